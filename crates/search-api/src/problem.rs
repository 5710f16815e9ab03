//! What a strategy sees.

use std::sync::Arc;

use math::Rng;
use smallvec::SmallVec;
use space::{ConfigurationId, Space};

use crate::{Memory, Spent};

/// Objectives of one evaluation; one or two need no allocation.
pub type Objectives = SmallVec<[f64; 2]>;

/// Result of one configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Score, lower is better; `None` if the configuration failed.
    pub score: Option<f64>,
    /// Every objective, lower is better, for strategies that seek a front.
    pub objectives: Objectives,
}

impl Evaluation {
    /// An evaluation whose only objective is its score; a NaN counts as failed.
    #[must_use]
    pub fn scored(score: f64) -> Self {
        Self::of([score].as_slice())
    }

    /// An evaluation with several objectives, the first being the score; a NaN makes it failed.
    #[must_use]
    pub fn of(objectives: impl Into<Objectives>) -> Self {
        let objectives = objectives.into();
        if objectives.iter().any(|objective| objective.is_nan()) {
            return Self::failed();
        }
        Self { score: objectives.first().copied(), objectives }
    }

    /// The evaluation of a configuration that could not be measured or is not allowed to win.
    #[must_use]
    pub fn failed() -> Self {
        Self::default()
    }

    /// The score, or infinity for a failure.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.score.unwrap_or(f64::INFINITY)
    }
}

/// Why a search ends; only a fault is an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The budget is spent.
    #[error("the budget is spent")]
    Budget,
    /// Every valid configuration is known, or the strategy only asks for known ones.
    #[error("nothing new is left to try")]
    Exhausted,
    /// The user ended it.
    #[error("interrupted")]
    Interrupted,
    /// The strategy itself failed: the reason, and the line of a script.
    #[error("{0}")]
    Fault(Arc<str>),
}

/// A space to search, and the only way to learn about it.
pub trait Problem {
    /// The space.
    fn space(&self) -> Arc<Space>;

    /// Evaluates a configuration; a known one costs nothing.
    ///
    /// # Errors
    /// When the search must end.
    fn evaluate(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop>;

    /// Evaluates several configurations in order. Some problems evaluate several at once.
    ///
    /// # Errors
    /// When the search must end. What was evaluated until then is recorded.
    fn evaluate_all(&mut self, ids: &[ConfigurationId]) -> Result<Vec<Evaluation>, Stop> {
        self.may_try(ids);
        ids.iter().map(|id| self.evaluate(*id)).collect()
    }

    /// Announces configurations that may come next, so that they can be prepared. Never changes a
    /// result.
    fn may_try(&mut self, _ids: &[ConfigurationId]) {}

    /// Configurations to begin with, best first: those that were good elsewhere.
    fn starts(&self) -> Vec<ConfigurationId>;

    /// The prior: what was evaluated of the same kernel elsewhere.
    fn memory(&self) -> &Memory {
        &crate::memory::NOTHING
    }

    /// Whether scores are run times in seconds.
    fn scores_are_seconds(&self) -> bool {
        true
    }

    /// Whether scores depend only on how fast blocks of threads run on a GPU.
    fn times_gpu_blocks(&self) -> bool {
        true
    }

    /// The generator that every random decision must use.
    fn rng(&mut self) -> &mut Rng;

    /// Evaluations and cost so far: the only clock that a strategy sees.
    fn spent(&self) -> Spent;

    /// Checks whether the search may go on, for long computations between evaluations.
    ///
    /// # Errors
    /// When the search must end.
    fn check(&self) -> Result<(), Stop>;
}
