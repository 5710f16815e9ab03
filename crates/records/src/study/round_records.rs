//! Rounds of a study: every size's winner, measured once a round, and its default and rivals by turns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Costs, Named};

/// Consecutive rounds, as the journal keeps them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundsEvent {
    /// Purpose of the rounds.
    pub purpose: RoundsPurpose,
    /// Number of the first of them, from 1 over the study.
    pub first: u64,
    /// Configurations that took part.
    pub entries: Vec<RoundEntry>,
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// Costs of all rounds.
    pub costs: Costs,
    /// Why there are no rounds, if no single entry is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoilt: Option<String>,
}

/// Purpose of rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundsPurpose {
    /// They show whether larger sizes have to follow.
    Growth,
    /// They give the answer.
    #[default]
    Answer,
}

/// A configuration of a size in rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundEntry {
    /// The problem size.
    pub size: u64,
    /// The configuration.
    pub configuration: Named,
    /// Runs in a sample; 0 without samples.
    pub batch: u32,
    /// Whether other memory took the place of what it had before: its earlier samples do not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
    /// Why it dropped out, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
}

/// One round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Seconds of the sentinel, the copy that is the same in every round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentinel: Option<f64>,
    /// Whether heat or a power limit held the clock down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub throttled: bool,
    /// Samples in the order in which they were taken.
    pub samples: Vec<RoundSample>,
}

/// One sample: position of its entry, seconds per run, and seconds that others took from it
/// (waiting for a core, a virtual machine's stolen time).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundSample(pub usize, pub f64, pub f64);

/// Share of a sample that others may take before it counts as disturbed.
pub const DISTURBED: f64 = 0.005;

impl RoundsEvent {
    /// Whether a sample of these rounds was disturbed.
    #[must_use]
    pub fn is_disturbed(&self, round: &Round, sample: &RoundSample) -> bool {
        round.throttled || sample.2 > DISTURBED * self.seconds(sample)
    }

    /// Seconds of all runs of a sample, what others took from it included.
    #[must_use]
    pub fn seconds(&self, sample: &RoundSample) -> f64 {
        let batch = self.entries.get(sample.0).map_or(1, |entry| entry.batch.max(1));
        sample.1 * f64::from(batch)
    }

    /// Every sample with its entry, the number of its round, and whether it was disturbed.
    pub fn samples(&self) -> impl Iterator<Item = (&RoundEntry, u64, RoundSample, bool)> {
        self.rounds.iter().zip(self.first..).flat_map(move |(round, number)| {
            round.samples.iter().filter_map(move |sample| {
                let entry = self.entries.get(sample.0)?;
                Some((entry, number, *sample, self.is_disturbed(round, sample)))
            })
        })
    }
}

/// The first round since which samples of a size count, of sizes that had other memory, by these rounds of one purpose.
pub fn since_anew<'a>(rounds: impl Iterator<Item = &'a RoundsEvent>) -> BTreeMap<u64, u64> {
    let anew = |event: &'a RoundsEvent| {
        let entries = event.entries.iter().filter(|entry| entry.anew);
        entries.map(move |entry| (entry.size, event.first))
    };
    rounds.flat_map(anew).collect()
}

/// How samples of a study find the caches, and the proof that cold is cold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CachesRecord {
    /// `cold` or `hot`, for all samples of a study.
    pub kind: String,
    /// How cold is made: `rotation` or `flush`; empty for hot samples.
    pub by: String,
    /// Bytes that are touched between two uses of the same bytes; 0 where caches are flushed.
    pub bytes: u64,
    /// Bytes of the last-level cache.
    pub last_cache: u64,
    /// Reads of buffers that fit into the last-level cache, by their share of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<CacheProof>,
}

/// Bandwidths of reading a buffer, in bytes per second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheProof {
    /// Size of the buffer as a share of the last-level cache.
    pub share: f64,
    /// Read again and again.
    pub hot: f64,
    /// Read as cold samples are.
    pub cold: f64,
    /// Read after flushing.
    pub flushed: f64,
    /// Read from memory: far more bytes than the cache holds lie between two uses.
    pub memory: f64,
}

/// Largest factor by which a cold read is faster than one from memory.
const AS_SLOW: f64 = 1.15;
/// Factor by which a hot read must be faster than memory.
const FASTER: f64 = 1.2;

impl CacheProof {
    /// Whether the cold read is as slow as one from memory.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.cold <= AS_SLOW * self.memory
    }

    /// Whether hot reads are faster, so that the cache shows at all.
    #[must_use]
    pub fn shows(&self) -> bool {
        self.hot >= FASTER * self.memory
    }
}

impl CachesRecord {
    /// What is wrong with the caches, in one sentence.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        if self.kind != "cold" {
            return None;
        }
        let rate = |bytes: f64| format!("{:.1} GB/s", bytes / 1e9);
        if self.proof.is_empty() {
            return Some(
                "cold could not be seen to be cold: the size of the last cache is not known, or there is \
                 no memory for the reads"
                    .to_owned(),
            );
        }
        let warm = self.proof.iter().find(|proof| !proof.is_cold());
        let hidden = self.proof.iter().find(|proof| !proof.shows());
        if let Some(proof) = warm {
            return Some(format!(
                "cold samples are not quite cold: {:.0} % of the last cache are read at {} when \
                 cold and at {} from memory",
                100.0 * proof.share,
                rate(proof.cold),
                rate(proof.memory)
            ));
        }
        hidden.map(|proof| {
            format!(
                "the last cache hardly shows ({:.0} % of it are read again at {}, memory at {}): \
                 others may use it, or it is smaller than it says",
                100.0 * proof.share,
                rate(proof.hot),
                rate(proof.memory)
            )
        })
    }
}
