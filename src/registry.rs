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

/// The names of a registry for a message about one that it does not have, and the one that was
/// meant, where one is near.
#[must_use]
pub fn offered(wanted: &str, names: impl IntoIterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let near = nearest(wanted, names.iter().copied());
    let meant = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    names.join(", ") + &meant
}

/// The name that is most like another, if any is like it at all.
#[must_use]
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Less alike than this is not meant.
    const ALIKE: f64 = 0.6;
    let wanted = wanted.to_lowercase();
    let alike = |name: &'a str| (strsim::normalized_damerau_levenshtein(&wanted, name), name);
    let best = names.into_iter().map(alike).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_the_one_that_was_meant() {
        let names = ["kneedle", "random", "triangle"];
        for (typed, meant) in
            [("neidle", "kneedle"), ("rnadom", "random"), ("Triangel", "triangle")]
        {
            assert_eq!(nearest(typed, names), Some(meant));
        }
        assert_eq!(nearest("xyz", names), None);
        assert_eq!(offered("rnadom", names), "kneedle, random, triangle; did you mean `random`?");
        assert_eq!(offered("xyz", names), "kneedle, random, triangle");
    }
}
