//! Everything a user chose about a study: enough to repeat it.
//!
//! Plain data. Texts are kept as they were given, so that a record can be read where the rooms that
//! understand them have moved on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is asked of a benchmark on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Grow the size until a knee is found, tuning at every size.
    #[default]
    Saturate,
    /// Tune one size.
    Tune,
}

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    /// Less is better.
    #[default]
    Minimise,
    /// More is better.
    Maximise,
}

/// The state of the caches before every sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    /// Without what is read: by rotation over copies, or flushed.
    #[default]
    Cold,
    /// As the run before left them.
    Hot,
}

/// What ends the search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BudgetSettings {
    /// Evaluations per size; missing: no limit but the space.
    pub evaluations: Option<u64>,
    /// Seconds for the whole study; missing: no limit.
    pub seconds: Option<f64>,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ObjectiveSettings {
    /// A metric; in a request, nothing or `primary` for the benchmark's own, or `time`.
    pub metric: String,
    /// Which way it is better.
    pub sense: Sense,
}

impl ObjectiveSettings {
    /// A value as something to minimise.
    #[must_use]
    pub fn cost(&self, value: f64) -> f64 {
        match self.sense {
            Sense::Minimise => value,
            Sense::Maximise => -value,
        }
    }
}

impl Default for ObjectiveSettings {
    fn default() -> Self {
        Self { metric: "seconds".to_owned(), sense: Sense::Minimise }
    }
}

/// How the search weighs errors above the bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PenaltySettings {
    /// `hard`, `linear` or `decay`.
    pub kind: String,
    /// β of `linear` and `decay`.
    pub beta: f64,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self { kind: "hard".to_owned(), beta: 1.0 }
    }
}

/// Which sizes are visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeSettings {
    /// Each size is the one before times this, rounded by the benchmark's rule.
    pub factor: f64,
    /// The sizes themselves; overrules the rest.
    pub list: Option<Vec<u64>>,
    /// The first size; missing: the benchmark's own.
    pub start: Option<u64>,
    /// No size is larger; missing: what fits the device.
    pub largest: Option<u64>,
    /// The share of free memory that may be used.
    pub memory_share: f64,
    /// No knee is accepted before the largest size runs this long, in seconds.
    pub min_run_seconds: f64,
}

impl Default for SizeSettings {
    fn default() -> Self {
        Self {
            factor: 1.5,
            list: None,
            start: None,
            largest: None,
            memory_share: 0.9,
            min_run_seconds: 1e-3,
        }
    }
}

/// Everything needed to repeat a study, and nothing that was only seen while it ran.
///
/// Missing fields take their defaults, so that records of older versions can be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudySettings {
    /// What is asked for.
    pub goal: Goal,
    /// The benchmark as it was found: the path of its library or document.
    pub benchmark: String,
    /// SHA-256 of the benchmark's document, in hex.
    pub document_hash: String,
    /// The device as `--device` names it.
    pub device: String,
    /// The detectors; the first one decides. Empty when one size is tuned.
    pub detectors: Vec<String>,
    /// Options of the detectors, by name.
    pub detector_options: BTreeMap<String, String>,
    /// The strategy.
    pub strategy: String,
    /// Its knobs, by name.
    pub knobs: BTreeMap<String, String>,
    /// What all randomness and all inputs are a function of.
    pub seed: u64,
    /// What ends the search.
    pub budget: BudgetSettings,
    /// What is searched for.
    pub objective: ObjectiveSettings,
    /// What is searched for beside it; then a front is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_objectives: Vec<ObjectiveSettings>,
    /// The bound on the error that overrules the benchmark's own.
    pub max_error: Option<f64>,
    /// How errors above the bound steer the search.
    pub penalty: PenaltySettings,
    /// Which sizes are visited.
    pub sizes: SizeSettings,
    /// The state of the caches before every sample.
    pub caches: CacheState,
    /// `NAME=a,b` as given: narrowed parameters.
    pub parameters: Vec<String>,
    /// Restrictions added to the benchmark's own.
    pub restrictions: Vec<String>,
    /// `NAME=a,b` as given: clocks and limits of power that are parameters of the study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<String>,
    /// `off`, `sampled` or `thorough`.
    pub verification: String,
    /// Bytes that the whole study may take, if limited.
    pub memory_limit: Option<u64>,
    /// The measuring plan, as the worker understands it.
    pub measuring: serde_json::Value,
    /// Further settings of commands, by name.
    pub more: BTreeMap<String, serde_json::Value>,
}

impl StudySettings {
    /// Everything that is searched for, the first one first.
    pub fn objectives(&self) -> impl Iterator<Item = &ObjectiveSettings> {
        std::iter::once(&self.objective).chain(&self.further_objectives)
    }

    /// Whether a front is sought.
    #[must_use]
    pub fn seeks_front(&self) -> bool {
        !self.further_objectives.is_empty()
    }

    /// Whether what is reported satisfies the error bound. Where the error is one of several
    /// objectives the front shows what accuracy costs, unless the user named a bound.
    #[must_use]
    pub fn bounded(&self) -> bool {
        let weighs_error = || self.objectives().any(|objective| objective.metric == "error");
        self.max_error.is_some() || !(self.seeks_front() && weighs_error())
    }
}
