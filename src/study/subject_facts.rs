//! Facts of a subject that a plan needs, and faults of settings.

use crate::{
    registry::{Unknown, offered},
    scaling::Rounding,
    settings::Sense,
};

/// What a plan needs to know of its subject.
#[derive(Debug, Clone, PartialEq)]
pub struct SubjectFacts {
    /// The metric that is tuned by default.
    pub primary: String,
    /// The metric whose saturation is sought.
    pub secondary: String,
    /// All metrics that a study can name, with their better directions.
    pub metrics: Vec<(String, Sense)>,
    /// The benchmark's error bound.
    pub bound: f64,
    /// How sizes are rounded.
    pub rounding: Rounding,
}

impl SubjectFacts {
    /// The better direction of a metric; `None` if there is no such metric.
    #[must_use]
    pub fn sense(&self, metric: &str) -> Option<Sense> {
        self.metrics.iter().find(|(name, _)| name == metric).map(|(_, better)| *better)
    }

    pub(super) fn unknown(&self, metric: &str) -> PlanFault {
        let known = offered(metric, self.metrics.iter().map(|(name, _)| name.as_str()));
        Unknown { what: "metric", name: metric.to_owned(), known }.into()
    }
}

/// Why settings make no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// An unknown name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A value that makes no sense; one sentence.
    #[error("{0}")]
    Value(String),
}
