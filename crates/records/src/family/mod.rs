//! `family.json`: the request for a family of candidate strategies, and the spaces that score it.

pub(super) mod candidate;
pub(super) mod event;
pub(super) mod test_table;

use std::{collections::BTreeMap, path::Path};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{FolderError, read_record};

/// File of the record of a family.
pub const FAMILY_FILE: &str = "family.json";
/// Word that marks a file as the record of a family.
pub const FAMILY_FORMAT: &str = "autobench-family";
/// Version of the format that this program writes.
pub const FAMILY_VERSION: u32 = 1;

/// A family of candidates: everything that decides its course.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FamilyRecord {
    /// [`FAMILY_FORMAT`].
    pub format: String,
    /// [`FAMILY_VERSION`].
    pub version: u32,
    /// Version of autobench.
    pub autobench: String,
    /// When the family began.
    pub started: DateTime<Utc>,
    /// The command that began or last resumed the family, as typed.
    pub argv: Vec<String>,
    /// Number of candidates; may be raised later, until the final table is made.
    pub candidates: u64,
    /// Limit of tokens, read and written together; may be raised later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The generator of the candidates.
    pub generator: GeneratorRecord,
    /// How candidates are selected.
    pub rules: FamilyRules,
    /// The spaces that score candidates.
    pub spaces: Vec<FamilySpace>,
    /// Plan of the final table, if one was asked for. It may change until the table is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestPlan>,
}

/// A generator of candidates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratorRecord {
    /// Name of the generator.
    pub name: String,
    /// The generator's own description.
    pub described: String,
    /// Where the answers come from; may change when the family is resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Settings that change what the generator is asked, as given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub knobs: BTreeMap<String, String>,
    /// Other settings; may change when the family is resumed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub incidental: BTreeMap<String, String>,
    /// A remark for readers of the values, such as that tokens are estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

impl GeneratorRecord {
    /// The generator's description, and where its answers come from.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.place {
            Some(place) => format!("{} {place}", self.described),
            None => self.described.clone(),
        }
    }
}

/// How candidates are made, scored and selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FamilyRules {
    /// Seed of everything random, and of the first run of every candidate.
    pub seed: u64,
    /// Candidates that survive a generation.
    pub parents: u64,
    /// Children of a generation.
    pub offspring: u64,
    /// Runs of a candidate on each space.
    pub repeats: u32,
    /// Runs of each finalist on each space; 0 for no finals.
    pub final_repeats: u32,
    /// Limit of wall seconds for all runs of a candidate.
    pub candidate_seconds: f64,
    /// The kernel that strategies are written for; empty for any kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Hash of the kernel's description that generators read; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A space that candidates are scored on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FamilySpace {
    /// Name of the space in tables.
    pub name: String,
    /// Number of configurations.
    pub configurations: u64,
    /// The kernel; empty if unknown.
    #[serde(default)]
    pub kernel: String,
    /// The device that it was recorded on; empty if unknown.
    #[serde(default)]
    pub device: String,
    /// Hash of the configurations and their costs.
    pub hash: String,
}

/// How the final table is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestPlan {
    /// Spaces that no candidate was scored on.
    pub spaces: Vec<FamilySpace>,
    /// Runs of each strategy on each space.
    pub repeats: u32,
    /// Strategies that the best candidate is compared with.
    pub against: Vec<String>,
}

impl FamilyRecord {
    /// Reads `family.json` of a folder.
    ///
    /// # Errors
    /// If it cannot be read, is not a family's record, or is of a later version.
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        read_record(&folder.join(FAMILY_FILE), FAMILY_FORMAT, FAMILY_VERSION)
    }

    /// Differences from `asked` that make it another family, one sentence each. The numbers of
    /// candidates and tokens, the generator's address and its time limits make no difference. The
    /// plan of the final table counts only once the table is made (`tested`): nobody has seen its
    /// spaces before.
    #[must_use]
    pub fn differences(&self, asked: &Self, tested: bool) -> Vec<String> {
        let mut all = Vec::new();
        let mut compare = |what: &str, was: String, is: String| {
            if was != is {
                all.push(format!("{what} was {was}, and is {is} now"));
            }
        };
        let quoted = |text: &str| format!("`{text}`");
        let (was, is) = (&self.generator, &asked.generator);
        compare("the generator", quoted(&was.name), quoted(&is.name));
        compare("the generator's description", quoted(&was.described), quoted(&is.described));
        let knobs = |generator: &GeneratorRecord| match generator.knobs.is_empty() {
            true => "the default".to_owned(),
            false => {
                let each = generator.knobs.iter().map(|(name, value)| format!("{name}={value}"));
                quoted(&each.collect::<Vec<_>>().join(","))
            }
        };
        compare("--generator-knob", knobs(was), knobs(is));
        let (was, is) = (&self.rules, &asked.rules);
        compare("--seed", was.seed.to_string(), is.seed.to_string());
        compare("--parents", was.parents.to_string(), is.parents.to_string());
        compare("--offspring", was.offspring.to_string(), is.offspring.to_string());
        compare("--repeats", was.repeats.to_string(), is.repeats.to_string());
        compare("--final-repeats", was.final_repeats.to_string(), is.final_repeats.to_string());
        let limit = |rules: &FamilyRules| rules.candidate_seconds.to_string();
        compare("--candidate-seconds", limit(was), limit(is));
        let target = |rules: &FamilyRules| match rules.target.is_empty() {
            true => "every kernel".to_owned(),
            false => quoted(&rules.target),
        };
        compare("--target", target(was), target(is));
        if was.target == is.target && was.description != is.description {
            all.push("what generators are told of the kernel is another now".to_owned());
        }
        all.extend(different_spaces("--spaces", &self.spaces, &asked.spaces));
        let none = TestPlan::default();
        let (was, is) = (self.test.as_ref().unwrap_or(&none), asked.test.as_ref().unwrap_or(&none));
        if !tested {
            return all;
        }
        all.extend(different_spaces("--test", &was.spaces, &is.spaces));
        if !was.spaces.is_empty() && !is.spaces.is_empty() {
            let mut compare = |what: &str, was: String, is: String| {
                if was != is {
                    all.push(format!("{what} was {was}, and is {is} now"));
                }
            };
            compare("--test-repeats", was.repeats.to_string(), is.repeats.to_string());
            compare("--against", quoted(&was.against.join(",")), quoted(&is.against.join(",")));
        }
        all
    }
}

/// Differences between two lists of spaces: missing, added, or with other content.
fn different_spaces(flag: &str, was: &[FamilySpace], is: &[FamilySpace]) -> Vec<String> {
    let mut all = Vec::new();
    for space in was {
        match is.iter().find(|other| other.name == space.name) {
            None => all.push(format!("{flag} had `{}`, and has it no more", space.name)),
            Some(other) if other.hash != space.hash => {
                all.push(format!("`{}` of {flag} has another content now", space.name));
            }
            Some(_) => {}
        }
    }
    let is_new = |space: &&FamilySpace| was.iter().all(|other| other.name != space.name);
    all.extend(is.iter().filter(is_new).map(|space| format!("{flag} has `{}` now", space.name)));
    let order = |spaces: &[FamilySpace]| -> Vec<String> {
        spaces.iter().map(|space| space.name.clone()).collect()
    };
    if all.is_empty() && order(was) != order(is) {
        all.push(format!("{flag} has another order now"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(name: &str, hash: &str) -> FamilySpace {
        FamilySpace { name: name.to_owned(), hash: hash.to_owned(), ..FamilySpace::default() }
    }

    fn record() -> FamilyRecord {
        FamilyRecord {
            format: FAMILY_FORMAT.to_owned(),
            version: FAMILY_VERSION,
            autobench: "0".to_owned(),
            started: DateTime::UNIX_EPOCH,
            argv: Vec::new(),
            candidates: 100,
            tokens: None,
            generator: GeneratorRecord { name: "grammar".to_owned(), ..Default::default() },
            rules: FamilyRules {
                seed: 1,
                parents: 4,
                offspring: 12,
                repeats: 10,
                final_repeats: 50,
                candidate_seconds: 300.0,
                target: String::new(),
                description: String::new(),
            },
            spaces: vec![space("a", "1"), space("b", "2")],
            test: None,
        }
    }

    #[test]
    fn more_candidates_other_words_and_a_first_table_make_no_other_family() {
        let asked = FamilyRecord {
            candidates: 200,
            tokens: Some(5),
            generator: GeneratorRecord {
                place: Some("at http://127.0.0.1:1/v1".to_owned()),
                incidental: BTreeMap::from([("timeout".to_owned(), "9".to_owned())]),
                ..record().generator
            },
            argv: vec!["x".to_owned()],
            started: DateTime::UNIX_EPOCH + chrono::TimeDelta::days(1),
            test: Some(TestPlan { spaces: vec![space("d", "4")], ..TestPlan::default() }),
            ..record()
        };
        assert_eq!(record().differences(&asked, false), Vec::<String>::new());
    }

    #[test]
    fn every_difference_is_named() {
        let mut asked = record();
        asked.rules.seed = 2;
        asked.generator.knobs.insert("depth".to_owned(), "3".to_owned());
        asked.spaces = vec![space("a", "9"), space("c", "3")];
        let tested =
            |name: &str| Some(TestPlan { spaces: vec![space(name, "4")], ..TestPlan::default() });
        asked.test = tested("d");
        let mut known = record();
        known.test = tested("e");
        assert_eq!(
            known.differences(&asked, true),
            [
                "--generator-knob was the default, and is `depth=3` now",
                "--seed was 1, and is 2 now",
                "`a` of --spaces has another content now",
                "--spaces had `b`, and has it no more",
                "--spaces has `c` now",
                "--test had `e`, and has it no more",
                "--test has `d` now",
            ]
        );
        asked = record();
        asked.spaces.reverse();
        assert_eq!(record().differences(&asked, false), ["--spaces has another order now"]);
    }
}
