//! Events of the journal: one for every trial and every decision that looked at the world.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    CachesRecord, CeilingsUsed, Entry, Named, Pace, RoundsEvent, Summary, Trial, derived::derived,
};

/// One line of a study's journal.
pub type JournalEntry = Entry<Event>;

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The device was examined and the largest size is known.
    Started(Started),
    /// How fast the faster ones of earlier studies saw the machine's memory.
    Pace(Pace),
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
        /// The deciding detector.
        detector: String,
        /// The knee's size.
        size: u64,
        /// Why the knee is accepted now, in one sentence.
        why: String,
        /// Whether larger sizes left it where it was; `false` if none could be measured.
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
        /// Which of the reasons it is; missing in journals of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<GrowthEnd>,
    },
    /// Second looks at sizes, chosen by the curve at that time.
    Looks {
        /// The looks in order; empty if nothing is left to try.
        looks: Vec<SecondLook>,
    },
    /// The winner was measured beside the best that is as precise as it can be.
    Precise(PreciseBest),
    /// The best under each threshold of the error was measured again.
    Thresholds(ThresholdBests),
    /// Further sizes are measured around the knee.
    Refined {
        /// The knee's size.
        around: u64,
        /// The sizes in the order in which they are measured.
        sizes: Vec<u64>,
    },
    /// The ceilings of the device that the study is held against.
    Ceilings(CeilingsUsed),
    /// The study has ended.
    Finished {
        /// Seconds charged to the budget, over all sessions.
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
    /// Why no larger size follows, if this says so.
    #[must_use]
    pub fn growth_end(&self) -> Option<GrowthEnd> {
        let Self::GrowthEnded { why, confirmed, by } = self else { return None };
        // Earlier versions wrote no more than the sentence.
        Some(by.unwrap_or(match (*confirmed, why.contains("--time")) {
            (true, _) => GrowthEnd::Confirmed,
            (false, true) => GrowthEnd::OutOfTime,
            (false, false) => GrowthEnd::NoLarger,
        }))
    }
}

/// A second look at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondLook {
    /// The size.
    pub size: u64,
    /// Configurations that are measured in turn with the size's winner.
    pub challengers: Vec<Named>,
}

/// What is known before the first size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Started {
    /// The largest size that fits.
    pub largest: Option<u64>,
    /// What bounds it, in one sentence.
    pub why: String,
    /// Bytes of the largest size.
    pub largest_bytes: Option<u64>,
    /// Free bytes of memory.
    pub free_bytes: Option<u64>,
    /// How samples find the caches; `None` in records of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caches: Option<CachesRecord>,
    /// A/A comparison of one configuration with itself, if made.
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
    /// It is the next size of the schedule.
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
    /// Why the size is measured.
    pub purpose: Purpose,
    /// Number of valid configurations.
    pub configurations: u64,
    /// Bytes of its arguments.
    pub bytes: Option<u64>,
    /// Limit of its evaluations.
    pub evaluations: Option<u64>,
    /// Limit of its seconds.
    pub seconds: Option<f64>,
    /// Where the search starts: the best of earlier sizes.
    pub starts: Vec<Named>,
}

/// A configuration that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialEvent {
    /// The trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// Position of its first sample in `samples.f32`, counted in samples.
    #[serde(default)]
    pub samples_offset: u64,
    /// Number of its samples there.
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

/// Results of one configuration at a size, from fresh samples alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The configuration.
    pub configuration: Named,
    /// Run time.
    pub seconds: Summary,
    /// Secondary metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<MetricFigure>,
    /// Error on inputs of a fresh seed.
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
    /// Why its search ended, in one sentence; without a best configuration, why there is none.
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
    /// Rounds behind its figures; 0 if they are from its finals.
    #[serde(skip_serializing_if = "is_zero")]
    pub rounds: u64,
    /// What failed in the script that searched it, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The best configuration whose formats and policies are all as precise as they can be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreciseBest {
    /// The size.
    pub size: u64,
    /// The configuration; `None` if none of them satisfies the bounds.
    pub best: Option<Figure>,
    /// Speed-up of the size's winner over it; above 1 is faster.
    pub gain: Option<f64>,
    /// 95 % interval of the gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_interval: Option<(f64, f64)>,
    /// Evaluations of the search for it.
    pub evaluations: u64,
    /// Seconds that the search and the comparison cost.
    pub seconds: f64,
}

/// The fastest configurations under several bounds on the error, measured in turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThresholdBests {
    /// The size.
    pub size: u64,
    /// The best with full precision everywhere, measured among them.
    pub precise: Option<Figure>,
    /// One for every threshold, as they were asked for.
    pub bests: Vec<ThresholdBest>,
    /// Seconds that measuring and checking cost.
    pub seconds: f64,
}

/// The fastest configuration under a bound on the error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThresholdBest {
    /// The bound's name, or its number.
    pub name: String,
    /// The bound.
    pub bound: f64,
    /// The configuration; `None` if none held on fresh inputs.
    pub best: Option<Figure>,
    /// Its error on fresh inputs, over whole outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh_error: Option<f64>,
    /// Speed-up over the best with full precision; above 1 is faster.
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
    /// Share of the curve's level that the knee reaches.
    pub share: Option<f64>,
    /// Why there is no knee, or how good the answer is.
    pub why: String,
    /// Figures of the detector, by name.
    pub facts: BTreeMap<String, f64>,
    /// Number of sizes on the curve.
    pub points: u64,
    /// Number of rounds behind the curve.
    #[serde(skip_serializing_if = "is_zero")]
    pub rounds: u64,
    /// Confidence: `settled`, `weak` or `none`; empty in records of older versions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub confidence: String,
    /// What speaks against it, one phrase each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// Detectors that confirm it, of those that were named to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<String>,
    /// That of the rounds in which the machine's memory was slower, which do not count, if these settle on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_slower: Option<KneeWhenSlower>,
}

/// The knee of the rounds of an answer that were slower and do not count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KneeWhenSlower {
    /// Its size.
    pub knee: f64,
    /// Bootstrap interval of it.
    pub interval: (f64, f64),
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Default for records of older versions, which have no `confirmed`.
const fn confirmed() -> bool {
    true
}
