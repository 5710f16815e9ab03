//! The one macro behind every extensible folder: a new thing is one file that ends in its `ENTRY`
//! and one name in its folder's list.

/// Declares the modules of a folder, the sorted list of their `ENTRY` values, and the tests that
/// keep names and files the same.
///
/// The listed type must be a trait object whose trait has `fn name(&self) -> &'static str` and
/// `fn about(&self) -> &'static str`.
#[macro_export]
macro_rules! registry {
    ($(#[$doc:meta])* pub static $all:ident: $ty:ty; $($name:ident),* $(,)?) => {
        $(mod $name;)*
        $(#[$doc])*
        pub static $all: &[&$ty] = &[$(&$name::ENTRY),*];

        #[cfg(test)]
        mod registry_tests {
            #[test]
            fn names_match_files_and_are_sorted() {
                let files = [$(stringify!($name)),*];
                let names: Vec<String> =
                    super::$all.iter().map(|e| e.name().replace('-', "_")).collect();
                assert_eq!(names, files);
                assert!(names.is_sorted(), "keep the list sorted: {names:?}");
            }

            #[test]
            fn every_entry_says_what_it_is() {
                for entry in super::$all {
                    assert!(!entry.about().is_empty(), "`{}` has no description", entry.name());
                }
            }
        }
    };
}

/// The names of a registry, for messages that say what exists.
#[must_use]
pub fn known(names: impl IntoIterator<Item = &'static str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
