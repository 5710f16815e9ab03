//! Objectives: metrics and their better directions.

use autobench_sdk::document::Better;
use serde::{Deserialize, Serialize};

/// Which direction of a metric is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    /// Less is better.
    #[default]
    Minimise,
    /// More is better.
    Maximise,
}

impl From<Better> for Sense {
    fn from(better: Better) -> Self {
        match better {
            Better::Higher => Self::Maximise,
            Better::Lower => Self::Minimise,
        }
    }
}

/// A metric to improve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Objective {
    /// Name of the metric. In a request, empty or `primary` means the benchmark's own; `time` is
    /// allowed too.
    pub metric: String,
    /// Better direction of the metric.
    pub sense: Sense,
}

impl Default for Objective {
    fn default() -> Self {
        Self::asked("seconds")
    }
}

impl Objective {
    /// An objective as the user named it; its sense is looked up later.
    #[must_use]
    pub fn asked(metric: &str) -> Self {
        Self { metric: metric.to_owned(), sense: Sense::default() }
    }

    /// A value as a cost: lower is better, and positive values stay positive.
    #[must_use]
    pub fn cost(&self, value: f64) -> f64 {
        match self.sense {
            Sense::Minimise => value,
            Sense::Maximise if value > 0.0 => 1.0 / value,
            Sense::Maximise => 1e150 * (1.0 - value),
        }
    }
}
