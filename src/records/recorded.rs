//! A space whose every outcome was recorded: what the replay device serves.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::{Costs, Exit, Measurement, Named, Outcome, Status, Summary};
use crate::space::Value;

/// Why a file cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// It cannot be read.
    #[error("cannot read `{path}`: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is not a recorded space.
    #[error("`{path}` is not a Kernel Tuner cache file: {why}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// What was recorded of one configuration; times in milliseconds, as in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTrial {
    /// How it ended.
    pub status: Status,
    /// Why, if it did not end in a measurement.
    pub reason: String,
    /// The time that its tuner reported (Kernel Tuner: the mean).
    pub time_ms: Option<f64>,
    /// The single runs.
    pub times_ms: Vec<f64>,
    /// Compiling.
    pub compile_ms: f64,
    /// Checking.
    pub verification_ms: f64,
    /// Running.
    pub benchmark_ms: f64,
    /// Whatever else its tuner did.
    pub framework_ms: f64,
    /// Other figures, by name.
    pub metrics: BTreeMap<String, f64>,
}

impl RecordedTrial {
    /// What it cost when it was recorded.
    #[must_use]
    pub fn costs(&self) -> Costs {
        Costs {
            compile: self.compile_ms / 1e3,
            verify: self.verification_ms / 1e3,
            measure: self.benchmark_ms / 1e3,
            overhead: self.framework_ms / 1e3,
        }
    }

    /// What a live device would have answered. The mean is the time that was reported, so that
    /// figures of other programs over the same file can be reproduced.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let seconds: Vec<f64> = self.times_ms.iter().map(|ms| ms / 1e3).collect();
        let reported = self.time_ms.map(|ms| ms / 1e3);
        let summary = match (Summary::of(&seconds), reported) {
            (Some(summary), Some(mean)) => Some(Summary { mean, ..summary }),
            (Some(summary), None) => Some(summary),
            (None, Some(time)) => Summary::of(&[time]),
            (None, None) => None,
        };
        let Some(seconds) = summary.filter(|_| self.status == Status::Measured) else {
            return Outcome::failed(self.status, self.reason.clone(), self.costs());
        };
        Outcome {
            status: Status::Measured,
            reason: String::new(),
            measurement: Some(Measurement {
                seconds,
                exit: Exit::Settled,
                batch: 1,
                cold: false,
                samples: self.times_ms.iter().take(256).map(|ms| (ms / 1e3) as f32).collect(),
                error: None,
                metrics: self.metrics.clone(),
            }),
            costs: self.costs(),
        }
    }
}

/// A recorded space.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSpace {
    /// The device it was recorded on.
    pub device: String,
    /// The kernel.
    pub kernel: String,
    /// The problem size, in its tuner's words.
    pub problem_size: String,
    /// What was tuned for, in its tuner's words.
    pub objective: String,
    /// The parameters and their values, in order.
    pub parameters: Vec<(String, Vec<Value>)>,
    /// What had to be mended or left out while reading, one sentence each.
    pub warnings: Vec<String>,
    rows: Vec<(Named, RecordedTrial)>,
    by_key: HashMap<String, usize>,
}

impl RecordedSpace {
    /// A space without rows.
    #[must_use]
    pub fn new(parameters: Vec<(String, Vec<Value>)>) -> Self {
        Self {
            device: String::new(),
            kernel: String::new(),
            problem_size: String::new(),
            objective: String::new(),
            parameters,
            warnings: Vec::new(),
            rows: Vec::new(),
            by_key: HashMap::new(),
        }
    }

    /// Adds a row; a later row of the same configuration replaces the earlier one.
    pub fn insert(&mut self, configuration: Named, trial: RecordedTrial) {
        let key = configuration.key();
        match self.by_key.get(&key) {
            Some(&at) => self.rows[at].1 = trial,
            None => {
                self.by_key.insert(key, self.rows.len());
                self.rows.push((configuration, trial));
            }
        }
    }

    /// What was recorded of a configuration; the order of its parameters does not matter.
    #[must_use]
    pub fn get(&self, configuration: &Named) -> Option<&RecordedTrial> {
        let find = |key: &str| self.by_key.get(key).map(|&at| &self.rows[at].1);
        find(&configuration.key()).or_else(|| {
            let ordered = self.parameters.iter().map(|(name, _)| {
                configuration.get(name).map(|value| (name.clone(), value.clone()))
            });
            find(&Named(ordered.collect::<Option<Vec<_>>>()?).key())
        })
    }

    /// All rows, each configuration once.
    #[must_use]
    pub fn rows(&self) -> &[(Named, RecordedTrial)] {
        &self.rows
    }
}
