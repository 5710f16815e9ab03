//! Facts of a subject that a plan needs, and faults of settings.

use std::collections::BTreeMap;

use records::{LOGARITHM, settings::Sense};
use registry::{Unknown, offered};
use search_api::StrategyFault;

use crate::scaling::Rounding;

/// What a plan needs to know of its subject.
#[derive(Debug, Clone, PartialEq)]
pub struct SubjectFacts {
    /// The metric that is tuned by default.
    pub primary: String,
    /// The metric whose saturation is sought.
    pub secondary: String,
    /// All metrics that a study can name, with their better directions.
    pub metrics: Vec<(String, Sense)>,
    /// Metrics without a better direction: bounds can name them, and objectives as `max:NAME`.
    pub undirected: Vec<String>,
    /// Errors that are computed if a study names them.
    pub errors: Vec<String>,
    /// Names of the outputs; a recorded space has none.
    pub outputs: Vec<String>,
    /// The metrics of which each metric is made and that are observed over a span of time. Metrics
    /// that need no such span are left out.
    pub observed: BTreeMap<String, Vec<String>>,
    /// The subject's own bound on the error.
    pub bound: Option<f64>,
    /// Bounds on the error that have names.
    pub levels: BTreeMap<String, f64>,
    /// The error above which results are wrong.
    pub wrong_line: Option<f64>,
    /// How sizes are rounded.
    pub rounding: Rounding,
}

impl SubjectFacts {
    /// Returns which direction of a metric is better, if that is known.
    #[must_use]
    pub fn sense(&self, metric: &str) -> Option<Sense> {
        let known = self.metrics.iter().find(|(name, _)| name == metric);
        if let Some((_, better)) = known {
            return Some(*better);
        }
        if self.errors.iter().any(|error| error == metric) {
            return Some(Sense::Minimise);
        }
        self.sense(metric.strip_prefix(LOGARITHM)?)
    }

    /// Whether a study can name a metric.
    #[must_use]
    pub fn knows(&self, metric: &str) -> bool {
        let plain = metric.strip_prefix(LOGARITHM).unwrap_or(metric);
        self.sense(plain).is_some() || self.undirected.iter().any(|name| name == plain)
    }

    /// Checks that an output of this name can be kept.
    pub(super) fn output(&self, name: &str) -> Result<(), PlanFault> {
        let outputs = || self.outputs.iter().map(String::as_str);
        if outputs().any(|known| known == name) {
            return Ok(());
        }
        if self.outputs.is_empty() {
            let why = format!("a recorded space has no output `{name}`; leave out --keep-output");
            return Err(PlanFault::Value(why));
        }
        Err(Unknown { what: "output", name: name.to_owned(), known: offered(name, outputs()) }
            .into())
    }

    pub(super) fn unknown(&self, metric: &str) -> PlanFault {
        let metrics = self.metrics.iter().map(|(name, _)| name.as_str());
        let errors = self.errors.iter().map(String::as_str);
        let known = offered(
            metric,
            metrics.chain(errors).chain(self.undirected.iter().map(String::as_str)),
        );
        Unknown { what: "metric", name: metric.to_owned(), known }.into()
    }
}

/// Why settings cannot be resolved to a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// An unknown name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// An unknown strategy, or a faulty script.
    #[error(transparent)]
    Strategy(#[from] StrategyFault),
    /// A value that makes no sense; one sentence.
    #[error("{0}")]
    Value(String),
}
