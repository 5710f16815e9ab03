//! Events of the journal: one for every trial, and for every decision that depends on measurements.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    CachesRecord, CeilingsUsed, Entry, Named, RoundsEvent, Summary, Trial, derived::derived,
};

/// One line of a study's journal.
pub type JournalEntry = Entry<Event>;

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The device was examined and the largest size is known.
    Started(Started),
    /// Read in journals of earlier versions, and ignored: machine speeds of earlier studies.
    #[serde(rename = "pace")]
    EarlierSpeeds,
    /// Read in journals of earlier versions, and ignored: which sizes were tuned again.
    #[serde(rename = "looks")]
    EarlierTuning,
    /// Tuning of a size begins.
    SizeOpened(SizeOpened),
    /// A configuration was tried.
    Trial(TrialEvent),
    /// A size is done, or cannot be done.
    SizeClosed(SizeClosed),
    /// The candidates of all sizes were measured in rounds.
    Rounds(RoundsEvent),
    /// A detector evaluated the curve so far.
    Knee(KneeFinding),
    /// A knee is the study's answer.
    KneeAccepted {
        /// The deciding detector.
        detector: String,
        /// The knee's size.
        size: u64,
        /// Why the knee is accepted now, in one sentence.
        why: String,
        /// Whether larger sizes left the knee where it was; `false` if no larger size could be
        /// measured.
        #[serde(default = "confirmed")]
        confirmed: bool,
    },
    /// No larger size follows.
    GrowthEnded {
        /// Why, in one sentence.
        why: String,
        /// Whether larger sizes left the knee where it was.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        confirmed: bool,
        /// Which of the three reasons; missing in journals of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<GrowthEnd>,
    },
    /// The winner was compared with the best configuration in full precision.
    Precise(PreciseBest),
    /// The best configuration under each error threshold was measured again.
    Thresholds(ThresholdBests),
    /// Further sizes are measured around the knee.
    Refined {
        /// The knee's size.
        around: u64,
        /// The sizes in the order in which they are measured.
        sizes: Vec<u64>,
    },
    /// Ceilings of the device that the study is compared with.
    Ceilings(CeilingsUsed),
    /// The study has ended.
    Finished {
        /// Seconds charged to the budget, over all sessions.
        seconds: f64,
    },
    /// The study was resumed after an interruption.
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

/// Why no larger size follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrowthEnd {
    /// Larger sizes left the knee where it was.
    Confirmed,
    /// The time for larger sizes is spent.
    OutOfTime,
    /// There is no larger size, or none that can be measured.
    NoLarger,
}

impl Event {
    /// Why no larger size follows, if this event is [`Event::GrowthEnded`].
    #[must_use]
    pub fn growth_end(&self) -> Option<GrowthEnd> {
        let Self::GrowthEnded { why, confirmed, by } = self else { return None };
        // Earlier versions wrote only the sentence.
        Some(by.unwrap_or(match (*confirmed, why.contains("--time")) {
            (true, _) => GrowthEnd::Confirmed,
            (false, true) => GrowthEnd::OutOfTime,
            (false, false) => GrowthEnd::NoLarger,
        }))
    }
}

/// Facts that are known before the first size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Started {
    /// The largest size that fits.
    pub largest: Option<u64>,
    /// What limits the largest size, in one sentence.
    pub why: String,
    /// Bytes of the largest size.
    pub largest_bytes: Option<u64>,
    /// Seconds that examining the device took.
    #[serde(skip_serializing_if = "is_nothing")]
    pub seconds: f64,
    /// Free bytes of memory.
    pub free_bytes: Option<u64>,
    /// Cold or hot samples, with the proof; `None` in records of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caches: Option<CachesRecord>,
    /// A/A comparison of one configuration with itself, if it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// Reasons to distrust timings, one sentence each.
    pub warnings: Vec<String>,
}

/// A/A comparison: two interleaved series of the same configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Difference of their medians, relative to the median.
    pub difference: f64,
    /// Relative spread of the samples.
    pub spread: f64,
}

/// Why a size is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The next size of the schedule.
    #[default]
    Growth,
    /// A size close to the knee.
    Refinement,
}

/// Tuning of a size begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeOpened {
    /// The size.
    pub size: u64,
    /// Why the size is measured.
    pub purpose: Purpose,
    /// Number of valid configurations.
    pub configurations: u64,
    /// Bytes of the kernel's arguments.
    pub bytes: Option<u64>,
    /// Limit of evaluations.
    pub evaluations: Option<u64>,
    /// Limit of seconds.
    pub seconds: Option<f64>,
    /// Starting points of the search: the best configurations of earlier sizes.
    pub starts: Vec<Named>,
}

/// A configuration that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialEvent {
    /// The trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// Position of the first sample in `samples.f32`, counted in samples.
    #[serde(default)]
    pub samples_offset: u64,
    /// Number of samples there.
    #[serde(default)]
    pub samples_count: u64,
    /// Seconds charged to the budget.
    #[serde(default)]
    pub charged: f64,
}

/// The value of a metric with its uncertainty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricFigure {
    /// The value.
    pub value: f64,
    /// 95 % interval.
    pub interval: (f64, f64),
    /// Value of each sample, if kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
}

/// Results of one configuration at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The configuration.
    pub configuration: Named,
    /// Run time.
    pub seconds: Summary,
    /// Secondary metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<MetricFigure>,
    /// Error on inputs of a new seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Whether time ran out before the run time was precise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsettled: bool,
    /// Other metrics, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}

impl Figure {
    /// Value of a metric by its name in objectives; `None` if it was not measured.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        match metric {
            "seconds" => Some(self.seconds.median),
            "error" => self.error,
            name => {
                let known = self.metrics.get(name).copied();
                known.or_else(|| derived(name, |name| self.value(name)))
            }
        }
    }
}

/// A size is done, or cannot be done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeClosed {
    /// The size.
    pub size: u64,
    /// Why the search ended, in one sentence; without a best configuration, why there is none.
    pub why: String,
    /// The best configuration that satisfies the error bound.
    pub best: Option<Figure>,
    /// The default configuration, if it could be measured.
    pub default: Option<Figure>,
    /// Speed-up of the best over the default; above 1 is faster.
    pub gain: Option<f64>,
    /// 95 % interval of the gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_interval: Option<(f64, f64)>,
    /// Seconds charged to the size.
    pub seconds: f64,
    /// Whether the results are those of the search, and the size's finals follow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// Whether the best in full precision took the place of the winner of the rounds: it was faster.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_precision: bool,
    /// Number of rounds behind the results; 0 if they are not of rounds.
    #[serde(skip_serializing_if = "is_zero")]
    pub rounds: u64,
    /// Error of the strategy's script, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The best configuration in full precision: all its formats and policies are the most precise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreciseBest {
    /// The size.
    pub size: u64,
    /// The configuration; `None` if none satisfies the bounds.
    pub best: Option<Figure>,
    /// Speed-up of the size's winner over this configuration; above 1 means the winner is faster.
    pub gain: Option<f64>,
    /// 95 % interval of the gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_interval: Option<(f64, f64)>,
    /// Evaluations of the search for this configuration.
    pub evaluations: u64,
    /// Seconds that the search and the comparison cost.
    pub seconds: f64,
}

/// The fastest configurations under several error bounds, measured alternately.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThresholdBests {
    /// The size.
    pub size: u64,
    /// The best configuration in full precision, measured with the others.
    pub precise: Option<Figure>,
    /// One entry per threshold, in the order of the request.
    pub bests: Vec<ThresholdBest>,
    /// Seconds that measuring and checking cost.
    pub seconds: f64,
}

/// The fastest configuration under one error bound.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThresholdBest {
    /// The bound's name, or its number.
    pub name: String,
    /// The bound.
    pub bound: f64,
    /// The configuration; `None` if none kept the bound on fresh inputs.
    pub best: Option<Figure>,
    /// The error on fresh inputs, over whole outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh_error: Option<f64>,
    /// Speed-up over the best in full precision; above 1 is faster.
    pub gain: Option<f64>,
    /// 95 % interval of the gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_interval: Option<(f64, f64)>,
}

/// A detector's answer about the curve of the metric over the sizes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KneeFinding {
    /// The detector.
    pub detector: String,
    /// The knee's size, if there is one.
    pub knee: Option<f64>,
    /// Bootstrap interval of the knee's size.
    pub interval: Option<(f64, f64)>,
    /// Probability that the knee lies within a step of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Share of the curve's level that the knee reaches.
    pub share: Option<f64>,
    /// Why there is no knee, or how good the answer is.
    pub why: String,
    /// Values that the detector computed, by name.
    pub facts: BTreeMap<String, f64>,
    /// Number of sizes on the curve.
    pub points: u64,
    /// Number of rounds behind the curve.
    #[serde(skip_serializing_if = "is_zero")]
    pub rounds: u64,
    /// Confidence: `settled`, `weak` or `none`; empty in records of older versions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub confidence: String,
    /// Reasons against the finding, one phrase each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// Detectors that confirm the knee, among those that were asked to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<String>,
}

fn is_nothing(seconds: &f64) -> bool {
    *seconds == 0.0
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Default for records of older versions, which have no `confirmed`.
const fn confirmed() -> bool {
    true
}
