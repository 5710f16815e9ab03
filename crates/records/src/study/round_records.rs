//! Rounds of a study: each measures the winner of every size, and beside it the default or another
//! candidate.

use serde::{Deserialize, Serialize};

use crate::{Costs, Named};

/// Consecutive rounds, as the journal keeps them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundsEvent {
    /// Purpose of the rounds.
    pub purpose: RoundsPurpose,
    /// Number of the first round, counted from 1 over the study.
    pub first: u64,
    /// Whether sizes exchanged the memory of their buffers before these rounds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// Configurations that took part.
    pub entries: Vec<RoundEntry>,
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// Costs of all rounds.
    pub costs: Costs,
    /// Why all rounds were lost, if no single entry caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoilt: Option<String>,
}

/// Purpose of rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundsPurpose {
    /// To decide whether larger sizes are needed.
    Growth,
    /// To give the answer.
    #[default]
    Answer,
}

/// A configuration that takes part in rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundEntry {
    /// The problem size.
    pub size: u64,
    /// The configuration.
    pub configuration: Named,
    /// Runs per sample; 0 without samples.
    pub batch: u32,
    /// Why the configuration dropped out, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
}

/// One round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Whether heat or a power limit reduced the clock.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub throttled: bool,
    /// Samples in the order in which they were taken.
    pub samples: Vec<RoundSample>,
}

/// One sample: index of its entry, seconds per run, and seconds that other programs took from all
/// its runs (waiting for a core, or stolen time of a virtual machine).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundSample(pub usize, pub f64, pub f64);

/// Share of a sample's seconds above which time taken by other programs makes it disturbed.
pub const DISTURBED: f64 = 0.005;

impl RoundsEvent {
    /// Whether a sample of these rounds was disturbed.
    #[must_use]
    pub fn is_disturbed(&self, round: &Round, sample: &RoundSample) -> bool {
        round.throttled || sample.2 > DISTURBED * self.seconds(sample)
    }

    /// Seconds of all runs of a sample, including what other programs took.
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

/// Whether samples are cold or hot, and the measurements that prove it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CachesRecord {
    /// `cold` or `hot`, for all samples of a study.
    pub kind: String,
    /// How samples are made cold: `rotation` or `flush`; empty for hot samples.
    pub by: String,
    /// Bytes that are touched between two uses of the same data; 0 where caches are flushed.
    pub bytes: u64,
    /// Bytes of the last-level cache.
    pub last_cache: u64,
    /// Reads of buffers that fit into the last-level cache, one per buffer size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<CacheProof>,
}

/// Bandwidths of reading a buffer in four ways, in bytes per second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheProof {
    /// Size of the buffer, as a share of the last-level cache.
    pub share: f64,
    /// Read repeatedly.
    pub hot: f64,
    /// Read in the way of cold samples.
    pub cold: f64,
    /// Read after flushing.
    pub flushed: f64,
    /// Read from memory: between two uses lie many times the bytes of the cache.
    pub memory: f64,
}

/// A cold read may be faster than memory by at most this factor.
const AS_SLOW: f64 = 1.15;
/// A hot read must be faster than memory by at least this factor.
const FASTER: f64 = 1.2;

impl CacheProof {
    /// Whether the cold read is as slow as a read from memory.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.cold <= AS_SLOW * self.memory
    }

    /// Whether the hot read is faster than memory, so that the cache is visible.
    #[must_use]
    pub fn shows(&self) -> bool {
        self.hot >= FASTER * self.memory
    }
}

impl CachesRecord {
    /// Who keeps the data of a guest cold.
    pub const BY_GUEST: &str = "the guest";

    /// The problem with the caches, in one sentence; `None` if there is none.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        // A guest keeps its own data cold, where nobody else can look.
        if self.kind != "cold" || self.by == Self::BY_GUEST {
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
