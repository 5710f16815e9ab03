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

/// A metric that is improved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Objective {
    /// Its name; in a request also nothing or `primary` for the benchmark's own, or `time`.
    pub metric: String,
    /// Its better direction.
    pub sense: Sense,
}

impl Default for Objective {
    fn default() -> Self {
        Self::asked("seconds")
    }
}

impl Objective {
    /// A metric as it was asked for; its sense is looked up later.
    #[must_use]
    pub fn asked(metric: &str) -> Self {
        Self { metric: metric.to_owned(), sense: Sense::default() }
    }

    /// A value as a cost, of which less is better: positive for positive values.
    #[must_use]
    pub fn cost(&self, value: f64) -> f64 {
        match self.sense {
            Sense::Minimise => value,
            Sense::Maximise if value > 0.0 => 1.0 / value,
            Sense::Maximise => 1e150 * (1.0 - value),
        }
    }
}
