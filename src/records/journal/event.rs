//! What the journal says: one event per trial and per decision that read the world.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::records::{CachesRecord, Named, RoundsEvent, Summary, Trial};

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, counted from 1 without gaps.
    pub seq: u64,
    /// When it was written.
    pub utc: DateTime<Utc>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The device was looked at and the largest size is known.
    Started(Started),
    /// Tuning of a size begins.
    SizeOpened(SizeOpened),
    /// A configuration was tried.
    Trial(TrialEvent),
    /// A size is done, or cannot be done.
    SizeClosed(SizeClosed),
    /// The winners and defaults of all sizes were measured in rounds.
    Rounds(RoundsEvent),
    /// A detector looked at the curve so far.
    Knee(KneeFinding),
    /// A knee is the study's answer.
    KneeAccepted {
        /// The detector that decides.
        detector: String,
        /// The knee.
        size: u64,
        /// Why now, in one sentence.
        why: String,
        /// Whether larger sizes left it where it was; not so where none could be measured.
        #[serde(default = "confirmed")]
        confirmed: bool,
    },
    /// No larger size follows.
    GrowthEnded {
        /// Why, in one sentence.
        why: String,
        /// Whether because larger sizes left the knee where it was.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        confirmed: bool,
    },
    /// Sizes are looked at again, decided by the curve as it was.
    Looks {
        /// In the order in which they are made; none where nothing is left to try.
        looks: Vec<Look>,
    },
    /// Further sizes are measured around the knee.
    Refined {
        /// The knee.
        around: u64,
        /// The sizes, in the order they are measured.
        sizes: Vec<u64>,
    },
    /// The study is done.
    Finished {
        /// Seconds that were charged to the budget, over all its parts.
        seconds: f64,
    },
    /// The study goes on after an interruption.
    Resumed {
        /// The command, as typed.
        argv: Vec<String>,
        /// Changes that the user accepted, one sentence each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        accepted: Vec<String>,
    },
    /// The study was stopped before its end.
    Interrupted {
        /// Why, in one sentence.
        why: String,
    },
}

/// A size to look at again: configurations that are measured in turn with its winner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The size.
    pub size: u64,
    /// The configurations.
    pub challengers: Vec<Named>,
}

/// What was known before the first size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Started {
    /// The largest size that fits.
    pub largest: Option<u64>,
    /// What bounds it, in one sentence.
    pub why: String,
    /// Bytes that the largest size takes.
    pub largest_bytes: Option<u64>,
    /// Bytes that were free.
    pub free_bytes: Option<u64>,
    /// How samples find the caches; missing in records of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caches: Option<CachesRecord>,
    /// What an A/A comparison of the same configuration found, if made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// Reasons to distrust timings, one sentence each.
    pub warnings: Vec<String>,
}

/// Two interleaved series of the same configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// How far their medians lie apart, relative to the median.
    pub difference: f64,
    /// The relative spread of the samples.
    pub spread: f64,
}

/// Why a size is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// It is the next of the schedule.
    #[default]
    Growth,
    /// It lies beside the knee.
    Refinement,
}

/// Tuning of a size begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeOpened {
    /// The size.
    pub size: u64,
    /// Why it is measured.
    pub purpose: Purpose,
    /// How many valid configurations its space has.
    pub configurations: u64,
    /// Bytes that its arguments take.
    pub bytes: Option<u64>,
    /// Evaluations it may use.
    pub evaluations: Option<u64>,
    /// Seconds it may use.
    pub seconds: Option<f64>,
    /// Where the search starts: the best of sizes before.
    pub starts: Vec<Named>,
}

/// A configuration was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialEvent {
    /// What became of it.
    #[serde(flatten)]
    pub trial: Trial,
    /// Where its samples start in `samples.f32`, counted in samples.
    #[serde(default)]
    pub samples_offset: u64,
    /// How many samples it has there.
    #[serde(default)]
    pub samples_count: u64,
    /// Seconds that the budget was charged.
    #[serde(default)]
    pub charged: f64,
}

/// The value of a metric with its uncertainty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricFigure {
    /// The value.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// The metric of each sample, where it is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
}

/// What a size reports of one configuration, from fresh samples alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The configuration.
    pub configuration: Named,
    /// Its time.
    pub seconds: Summary,
    /// The secondary metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<MetricFigure>,
    /// Its error, verified on a fresh seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Whether time ran out before its time was measured precisely.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsettled: bool,
    /// All other metrics, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}

impl Figure {
    /// The value of a metric by the name that objectives call it; none where nobody measured it.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        match metric {
            "seconds" => Some(self.seconds.median),
            "error" => self.error,
            name => self.metrics.get(name).copied(),
        }
    }
}

/// A size is done, or cannot be done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeClosed {
    /// The size.
    pub size: u64,
    /// Why its search ended, in one sentence; if there is no best, why there is none.
    pub why: String,
    /// The best configuration that satisfies the error bound.
    pub best: Option<Figure>,
    /// The default configuration, if it could be measured.
    pub default: Option<Figure>,
    /// How many times faster the best is than the default (above 1: faster).
    pub gain: Option<f64>,
    /// The 95 % interval of the gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_interval: Option<(f64, f64)>,
    /// Seconds that the size was charged.
    pub seconds: f64,
    /// How many rounds its figures come from; none where they are those of its finals.
    #[serde(skip_serializing_if = "is_zero")]
    pub rounds: u64,
}

/// What a detector says about the curve of the metric over the sizes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KneeFinding {
    /// The detector.
    pub detector: String,
    /// The knee's size, if there is one.
    pub knee: Option<f64>,
    /// The bootstrap interval of its size.
    pub interval: Option<(f64, f64)>,
    /// Its share of the level that the curve reaches.
    pub share: Option<f64>,
    /// Why there is none, or how good the answer is.
    pub why: String,
    /// The detector's own figures, by name.
    pub facts: BTreeMap<String, f64>,
    /// How many sizes it saw.
    pub points: u64,
    /// How many rounds they were measured in.
    #[serde(skip_serializing_if = "is_zero")]
    pub rounds: u64,
    /// How far it can be relied on: `settled`, `weak` or `none`; empty in records of older versions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub confidence: String,
    /// What speaks against it, one phrase each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What records of accepted knees mean that do not say so.
const fn confirmed() -> bool {
    true
}
