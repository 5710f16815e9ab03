//! What became of one configuration at one size.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::numeric;

/// The ways a trial can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It ran, was right, and was timed.
    Measured,
    /// The device or a restriction does not allow it.
    Invalid,
    /// The compiler refused it.
    CompileFailed,
    /// The launch or the run failed, or it wrote outside its buffers.
    RunFailed,
    /// It ran, and its result is wrong beyond the bound, not finite, or incomplete.
    WrongResult,
    /// It did not end in time.
    TimedOut,
    /// It took its process with it.
    Crashed,
}

impl Status {
    /// All of them, in the order of a trial's life.
    pub const ALL: [Self; 7] = [
        Self::Measured,
        Self::Invalid,
        Self::CompileFailed,
        Self::RunFailed,
        Self::WrongResult,
        Self::TimedOut,
        Self::Crashed,
    ];

    /// The word of records and tables.
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

    /// The reason of a failure whose file gives no other.
    #[must_use]
    pub fn recorded(self) -> String {
        format!("recorded as {}", self.word())
    }
}

/// Why measuring stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// The interval is as narrow as asked.
    Precise,
    /// More samples do not narrow it.
    Settled,
    /// Time ran out first: the figure is kept and flagged *unsettled*.
    OutOfTime,
    /// Clearly worse than the best known; stopped after the first samples.
    Hopeless,
}

/// The statistics of the samples, in seconds per run of the kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The median: the figure that is reported and compared.
    pub median: f64,
    /// The 95 % interval of the median.
    pub interval: (f64, f64),
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The fastest sample.
    pub minimum: f64,
    /// The slowest sample.
    pub maximum: f64,
    /// How many samples.
    pub count: usize,
}

impl Summary {
    /// The statistics of samples in seconds; `None` when there are none.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let interval = numeric::median_interval(samples, 0.95)?;
        let sorted = numeric::sorted(samples);
        Some(Self {
            median: numeric::median(samples),
            interval,
            mean: numeric::mean(samples),
            deviation: if samples.len() > 1 { numeric::standard_deviation(samples) } else { 0.0 },
            minimum: sorted[0],
            maximum: sorted[sorted.len() - 1],
            count: samples.len(),
        })
    }
}

/// The run time of a configuration in units of another's that was measured in turn with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// The other one.
    pub configuration: super::Named,
    /// The median ratio of the pairs; below 1: faster.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
}

/// What the observers saw while a configuration was timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Time per run.
    pub seconds: Summary,
    /// Why measuring stopped.
    pub exit: Exit,
    /// Runs per sample: above one for kernels too short to time alone.
    pub batch: u32,
    /// Whether its data came from memory: as in all measurements of the same study. Of what was
    /// recorded elsewhere nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold: Option<bool>,
    /// Whether caches were flushed before every sample though the study rotates: there was room for
    /// too few copies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flushed: bool,
    /// Up to 256 samples, in seconds, in the order they were taken.
    pub samples: Vec<f32>,
    /// Which samples were disturbed by others, by position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<u32>,
    /// How it compares with the best known configuration, which was measured in turn with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// The error against the reference, in the benchmark's error metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// What else was seen or derived: observers and metrics, by name.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
}

impl Measurement {
    /// The value of a metric by the name that objectives call it; none where nobody measured it.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        let value = match metric {
            "seconds" => Some(self.seconds.median),
            "error" => self.error,
            name => self.metrics.get(name).copied(),
        };
        value.filter(|v| v.is_finite())
    }
}

/// What a trial cost, in seconds of wall time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Compiling and loading.
    pub compile: f64,
    /// The checked run and its reference.
    pub verify: f64,
    /// Warm-up and samples.
    pub measure: f64,
    /// Everything else autobench did.
    pub overhead: f64,
    /// Taking buffers and filling them.
    #[serde(default)]
    pub fill: f64,
    /// The part of measuring that was spent inside the kernel.
    #[serde(default)]
    pub kernel: f64,
}

impl Costs {
    /// The whole cost.
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
    }
}

/// What became of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Why, in one sentence; empty when measured.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What was seen, if it ran to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<Measurement>,
    /// What it cost.
    pub costs: Costs,
    /// Which of several devices it was tried on, as `--device` names it; empty where there is one.
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

/// Which part of a size point a trial belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Proposed by the strategy.
    Search,
    /// Measured again with fresh samples when the size closed.
    Final,
    /// The winner, checked on fresh inputs.
    Check,
    /// The winner and the default beside winners of other sizes, which were never tried at theirs.
    Again,
    /// A winner or a default that failed in a round.
    Round,
}

/// A configuration, what became of it, and its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The problem size.
    pub size: u64,
    /// Search or final.
    pub phase: Phase,
    /// The parameters' values by name, in the space's order.
    pub configuration: super::Named,
    /// What became of it.
    pub outcome: Outcome,
    /// After objective and penalty; lower is better; missing for failures.
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
