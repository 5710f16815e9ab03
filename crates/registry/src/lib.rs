//! Registries of the parts that extend the program. A new part is a file that submits its entry,
//! and a line `mod NAME;`.
//!
//! It never knows what an entry does. Begin with `knobs.rs`.

mod grid;
mod knobs;
mod presets;
mod written;

use std::{ops::Deref, sync::OnceLock};

pub use grid::{Grid, GridError, combined, listed};
pub use knobs::{Allowed, Knob, KnobError, Knobs, parse_knob};
pub use presets::{PRESET, Preset, expanded};
pub use written::{Written, rejoined};

/// An entry that users name: a strategy, detector, exporter, observer, backend or metric.
pub trait Registered: Sync {
    /// The name that users type.
    fn name(&self) -> &'static str;

    /// Other names of the entry.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }
}

/// All entries of one kind, which the linker gathers from their files. Reads as a slice sorted by
/// name.
pub struct Registry<T: 'static> {
    kind: &'static str,
    sorted: OnceLock<Vec<&'static T>>,
}

impl<T> Registry<T> {
    /// The registry of a kind of entry; `kind` is the word for an entry in messages.
    #[must_use]
    pub const fn new(kind: &'static str) -> Self {
        Self { kind, sorted: OnceLock::new() }
    }
}

impl<T: Registered + inventory::Collect> Registry<T> {
    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.iter().map(|entry| entry.name())
    }

    /// The entry with this name or alias; `-` and `_` count as the same.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static T> {
        let wanted = name.replace('-', "_");
        let same = |other: &str| other.replace('-', "_") == wanted;
        let named = self.iter().find(|entry| same(entry.name()));
        let alias = || self.iter().find(|entry| entry.aliases().iter().any(|other| same(other)));
        named.or_else(alias).copied()
    }

    /// The entry with this name or alias.
    ///
    /// # Errors
    /// If no entry has this name; the error lists the known names.
    pub fn named(&self, name: &str) -> Result<&'static T, Unknown> {
        self.find(name).ok_or_else(|| Unknown {
            what: self.kind,
            name: name.to_owned(),
            known: offered(name, self.names()),
        })
    }
}

impl<T: Registered + inventory::Collect> Deref for Registry<T> {
    type Target = [&'static T];

    fn deref(&self) -> &[&'static T] {
        self.sorted.get_or_init(|| {
            let mut entries: Vec<&T> = inventory::iter::<T>().collect();
            entries.sort_by_key(|entry| entry.name());
            entries
        })
    }
}

/// No entry has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {what} named `{name}` (known: {known})")]
pub struct Unknown {
    /// Kind of entry.
    pub what: &'static str,
    /// The name asked for.
    pub name: String,
    /// The known names, and the one that was probably meant.
    pub known: String,
}

/// Names as a list for messages.
#[must_use]
pub fn known(names: impl IntoIterator<Item = &'static str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Names as a list for a message about an unknown name, with the most similar as "did you mean".
#[must_use]
pub fn offered<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    names.join(", ") + &did_you_mean(wanted, names.iter().copied())
}

/// The end of a message about an unknown name; empty if no name is similar.
#[must_use]
pub fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wanted, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The name most similar to `wanted`, if any is similar enough.
#[must_use]
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Similarity (0 to 1) that a name needs to be offered.
    const ALIKE: f64 = 0.6;
    /// Similarity that one word of a name needs.
    const WORD_ALIKE: f64 = 0.75;
    let wanted = wanted.to_lowercase();
    let like = |name: &str| strsim::normalized_damerau_levenshtein(&wanted, name);
    let alike = |name: &'a str| {
        let words = name.split(['_', '-']).filter(|word| word.len() > 3 && *word != name);
        // A match of a whole name wins over a match of one word of another name.
        let words = words.map(&like).filter(|like| *like >= WORD_ALIKE).map(|like| 0.9 * like);
        (words.fold(like(name), f64::max), name)
    };
    let best = names.into_iter().map(alike).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fruit(&'static str, &'static [&'static str]);

    impl Registered for Fruit {
        fn name(&self) -> &'static str {
            self.0
        }

        fn aliases(&self) -> &'static [&'static str] {
            self.1
        }
    }

    inventory::collect!(Fruit);
    inventory::submit!(Fruit("pear", &["nashi"]));
    inventory::submit!(Fruit("crab-apple", &[]));

    static FRUITS: Registry<Fruit> = Registry::new("fruit");

    #[test]
    fn entries_are_sorted_and_found_by_name_and_alias() {
        assert!(FRUITS.names().eq(["crab-apple", "pear"]));
        let found = |name| FRUITS.find(name).map(Registered::name);
        assert_eq!(found("crab_apple"), Some("crab-apple"));
        assert_eq!(found("nashi"), Some("pear"));
        assert_eq!(found("plum"), None);
    }

    #[test]
    fn who_asks_for_what_is_not_there_hears_what_is() {
        let refused = FRUITS.named("paer").map(Registered::name).expect_err("unknown").to_string();
        let wanted = "no fruit named `paer` (known: crab-apple, pear; did you mean `pear`?)";
        assert_eq!(refused, wanted);
    }

    #[test]
    fn a_misspelt_name_finds_the_one_that_was_meant() {
        let names = ["kneedle", "random", "triangle"];
        for (typed, meant) in
            [("neidle", "kneedle"), ("rnadom", "random"), ("Triangel", "triangle")]
        {
            assert_eq!(nearest(typed, names), Some(meant));
        }
        assert_eq!(nearest("xyz", names), None);
        let several = ["simulated_annealing", "genetic_algorithm", "annual"];
        assert_eq!(nearest("anealing", several), Some("simulated_annealing"));
        assert_eq!(nearest("genetic", several), Some("genetic_algorithm"));
        assert_eq!(nearest("annua", several), Some("annual"));
        assert_eq!(offered("rnadom", names), "kneedle, random, triangle; did you mean `random`?");
        assert_eq!(offered("xyz", names), "kneedle, random, triangle");
    }
}
