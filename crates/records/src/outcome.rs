//! Outcome of one configuration at one size.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::derived::derived;

/// How a trial ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The configuration ran, its result was right, and it was timed.
    Measured,
    /// The device or a restriction does not allow the configuration.
    Invalid,
    /// The compiler refused the configuration.
    CompileFailed,
    /// The launch or the run failed, or the kernel wrote outside its buffers.
    RunFailed,
    /// The result is wrong beyond the bound, not finite, or incomplete.
    WrongResult,
    /// The trial did not end in time.
    TimedOut,
    /// The kernel crashed its process.
    Crashed,
}

impl Status {
    /// All statuses, in the order in which a trial can reach them.
    pub const ALL: [Self; 7] = [
        Self::Measured,
        Self::Invalid,
        Self::CompileFailed,
        Self::RunFailed,
        Self::WrongResult,
        Self::TimedOut,
        Self::Crashed,
    ];

    /// Word in records and tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Invalid => "invalid",
            Self::CompileFailed => "compile-failed",
            Self::RunFailed => "run-failed",
            Self::WrongResult => "wrong-result",
            Self::TimedOut => "timed-out",
            Self::Crashed => "crashed",
        }
    }

    /// Reason of a failure for which the recording gives none.
    #[must_use]
    pub fn recorded(self) -> String {
        format!("recorded as {}", self.word())
    }
}

/// Why measuring stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// The interval is narrow enough.
    Precise,
    /// More samples do not narrow the interval.
    Settled,
    /// Time ran out first: the outcome is kept and flagged *unsettled*.
    OutOfTime,
    /// Clearly worse than the best known configuration; stopped after the first samples.
    Hopeless,
}

/// Statistics of samples, in seconds per run of the kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Median: the value that is reported and compared.
    pub median: f64,
    /// 95 % interval of the median.
    pub interval: (f64, f64),
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The fastest sample.
    pub minimum: f64,
    /// The slowest sample.
    pub maximum: f64,
    /// Number of samples.
    pub count: usize,
}

impl Summary {
    /// Statistics of samples in seconds; `None` without samples.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let interval = math::median_interval(samples, 0.95)?;
        let sorted = math::sorted(samples);
        Some(Self {
            median: math::median(samples),
            interval,
            mean: math::mean(samples),
            deviation: if samples.len() > 1 { math::standard_deviation(samples) } else { 0.0 },
            minimum: sorted[0],
            maximum: sorted[sorted.len() - 1],
            count: samples.len(),
        })
    }
}

/// Run time relative to another configuration that was measured alternately with this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// The other configuration.
    pub configuration: super::Named,
    /// Median ratio of the pairs; below 1 is faster.
    pub ratio: f64,
    /// 95 % interval of the ratio.
    pub interval: (f64, f64),
}

/// Timing of a configuration, and the values of observers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Time per run.
    pub seconds: Summary,
    /// Why measuring stopped.
    pub exit: Exit,
    /// Runs per sample: above one for kernels too short to time alone.
    pub batch: u32,
    /// Whether samples were cold (data in memory); the same in a whole study. `None` if recorded
    /// elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold: Option<bool>,
    /// Whether caches were flushed because memory held too few copies to rotate over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flushed: bool,
    /// Up to 256 samples in seconds, in the order in which they were taken.
    pub samples: Vec<f32>,
    /// Positions of disturbed samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<u32>,
    /// Comparison with the best known configuration, which was measured alternately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// Error against the reference, in the benchmark's error metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Other metrics and the values of observers, by name.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
}

impl Measurement {
    /// Value of a metric, by its name in objectives; `None` if it was not measured.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        let value = match metric {
            "seconds" => Some(self.seconds.median),
            "error" => self.error,
            name => {
                let recorded = self.metrics.get(name).copied();
                recorded.or_else(|| derived(name, |name| self.value(name)))
            }
        };
        value.filter(|v| v.is_finite())
    }
}

/// Costs of a trial, in seconds of wall time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Compiling and loading.
    pub compile: f64,
    /// Checked run and its reference.
    pub verify: f64,
    /// Warm-up and samples.
    pub measure: f64,
    /// Everything else that autobench did for the trial.
    pub overhead: f64,
    /// Allocating and filling buffers.
    #[serde(default)]
    pub fill: f64,
    /// Part of `measure` that was spent inside the kernel.
    #[serde(default)]
    pub kernel: f64,
    /// Part of `verify` that was spent on the error: reading and comparing outputs, and computing
    /// the reference if it was not cached.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub compare: f64,
}

fn is_nothing(seconds: &f64) -> bool {
    *seconds <= 0.0
}

impl Costs {
    /// Sum of all costs.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.compile + self.fill + self.verify + self.measure + self.overhead
    }
}

impl std::ops::AddAssign for Costs {
    fn add_assign(&mut self, other: Self) {
        self.compile += other.compile;
        self.verify += other.verify;
        self.measure += other.measure;
        self.overhead += other.overhead;
        self.fill += other.fill;
        self.kernel += other.kernel;
        self.compare += other.compare;
    }
}

/// Outcome of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How the trial ended.
    pub status: Status,
    /// Why the trial failed, in one sentence; empty if measured.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The measurement, if the configuration was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<Measurement>,
    /// Costs of the trial.
    pub costs: Costs,
    /// The device that ran the trial, as `--device` names it; empty if there is only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub device: String,
}

impl Outcome {
    /// An outcome with a measurement.
    #[must_use]
    pub fn measured(measurement: Measurement, costs: Costs) -> Self {
        let (status, reason, device) = (Status::Measured, String::new(), String::new());
        Self { status, reason, measurement: Some(measurement), costs, device }
    }

    /// An outcome without a measurement.
    #[must_use]
    pub fn failed(status: Status, reason: impl Into<String>, costs: Costs) -> Self {
        Self { status, reason: reason.into(), measurement: None, costs, device: String::new() }
    }
}

/// Part of a size point that a trial belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Proposed by the strategy.
    Search,
    /// Measured again, alternating with the best few and the default.
    Final,
    /// The winner, checked on fresh inputs.
    Check,
    /// Read in journals of earlier versions: winner and default, measured alternately with winners
    /// of other sizes after the finals.
    Again,
    /// A candidate that failed in a round.
    Round,
    /// Tried in the search for the best configuration in full precision.
    Precise,
    /// The winner and the best in full precision, measured alternately.
    PreciseFinal,
    /// The best configurations under the error thresholds, measured alternately.
    Threshold,
}

impl Phase {
    /// Whether the phase measured configurations alternately with the winner, to find a better one.
    #[must_use]
    pub fn is_contest(self) -> bool {
        matches!(self, Self::Final | Self::Again)
    }
}

/// A configuration with its outcome and score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The problem size.
    pub size: u64,
    /// Part of the size point.
    pub phase: Phase,
    /// The parameters' values by name, in the space's order.
    pub configuration: super::Named,
    /// Outcome of the configuration.
    pub outcome: Outcome,
    /// Score after objective and penalty, lower is better; `None` for failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_orders_its_figures() {
        let summary = Summary::of(&[3.0, 1.0, 2.0, 10.0]).expect("samples");
        assert!((summary.median - 2.5).abs() < 1e-12);
        assert!((summary.mean - 4.0).abs() < 1e-12);
        assert_eq!((summary.minimum, summary.maximum, summary.count), (1.0, 10.0, 4));
        assert!(summary.interval.0 <= summary.median && summary.median <= summary.interval.1);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0]).map(|s| s.deviation), Some(0.0));
    }
}
