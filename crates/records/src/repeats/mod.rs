//! Repeats: independent studies of one plan in one folder, and how far they agree.

mod agreement;
mod band;
mod folder;
mod repeat;

use std::{collections::BTreeMap, ops::RangeInclusive, path::Path};

use serde::{Deserialize, Serialize};

pub use agreement::{Agreement, KneeAgreement, Spread, Wins};
pub use band::{BandPoint, band};
pub use folder::{RepeatsFolder, RepeatsLock};
pub use repeat::{Repeat, RepeatWinner};

use crate::{StudyRecord, StudyState, settings::StudySettings};

/// Version of the format that this program writes.
pub const REPEATS_VERSION: u32 = 1;

/// Word that marks a file as a record of repeats.
pub const REPEATS_FORMAT: &str = "autobench-repeats";

/// Limit of studies of one plan; a larger number is probably a mistake.
pub const MOST_REPEATS: u32 = 1000;

/// `repeats.json`: what is repeated, and how often; written before the first study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepeatsRecord {
    /// [`REPEATS_FORMAT`].
    pub format: String,
    /// [`REPEATS_VERSION`].
    pub version: u32,
    /// Number of studies.
    pub studies: u32,
    /// Record of the first study; the other studies differ only in the seed.
    pub plan: StudyRecord,
    /// Why studies gave no answer, by number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<u32, String>,
}

impl RepeatsRecord {
    /// A record of `studies` studies that have not begun.
    #[must_use]
    pub fn new(studies: u32, plan: StudyRecord) -> Self {
        let format = REPEATS_FORMAT.to_owned();
        Self { format, version: REPEATS_VERSION, studies, plan, failed: BTreeMap::new() }
    }

    /// Numbers of the studies, from 1.
    #[must_use]
    pub fn numbers(&self) -> RangeInclusive<u32> {
        1..=self.studies
    }

    /// Seed of a study.
    #[must_use]
    pub fn seed(&self, number: u32) -> u64 {
        repeat_seed(self.plan.settings.seed, number)
    }

    /// Settings of a study: the plan's with its own seed.
    #[must_use]
    pub fn settings(&self, number: u32) -> StudySettings {
        StudySettings { seed: self.seed(number), ..self.plan.settings.clone() }
    }

    /// Refuses a study whose benchmark is not the plan's.
    ///
    /// # Errors
    /// The reason, in one sentence.
    pub fn claims(&self, path: &Path, study: &StudyRecord) -> Result<(), String> {
        let (name, own) = (&study.benchmark.name, &self.plan.benchmark.name);
        if name == own {
            return Ok(());
        }
        Err(format!(
            "`{}` is a study of `{name}`, not of `{own}`; move it elsewhere",
            path.display()
        ))
    }
}

/// Seed of the study with this number, from 1. The first study has the plan's seed. The n-th study
/// has the upper 53 bits of the (n − 1)-th number of SplitMix64 (Steele, Lea and Flood 2014), so
/// that JSON holds the seed exactly and plans with neighbouring seeds share no study.
#[must_use]
pub fn repeat_seed(seed: u64, number: u32) -> u64 {
    if number <= 1 {
        return seed;
    }
    let steps = u64::from(number - 1);
    let mut bits = seed.wrapping_add(steps.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (bits ^ (bits >> 31)) >> 11
}

/// Repeats, prepared for readers.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatsView {
    /// Record of the repeats.
    pub record: RepeatsRecord,
    /// All studies, in order.
    pub repeats: Vec<Repeat>,
    /// Agreement of the finished studies.
    pub agreement: Agreement,
}

impl RepeatsView {
    /// View of a record and its studies.
    #[must_use]
    pub fn new(record: RepeatsRecord, repeats: Vec<Repeat>) -> Self {
        let agreement = Agreement::of(&record.plan, &repeats);
        Self { record, repeats, agreement }
    }

    /// Finished studies.
    pub fn finished(&self) -> impl Iterator<Item = &Repeat> {
        self.repeats.iter().filter(|repeat| repeat.state == StudyState::Finished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_the_published_generator_s() {
        assert_eq!(repeat_seed(42, 1), 42);
        // The first numbers of SplitMix64 from 1234567, as other programs give them.
        assert_eq!(repeat_seed(1_234_567, 2), 6_457_827_717_110_365_317 >> 11);
        assert_eq!(repeat_seed(1_234_567, 3), 3_203_168_211_198_807_973 >> 11);
    }

    #[test]
    fn plans_of_neighbouring_seeds_share_no_study() {
        let mut seeds: Vec<u64> =
            (0..20).flat_map(|seed| (1..=50).map(move |n| repeat_seed(seed, n))).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 1000);
    }
}
