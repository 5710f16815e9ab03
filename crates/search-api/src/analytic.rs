//! A problem in memory: a space and a function of its configurations.

use std::sync::Arc;

use math::Rng;
use space::{ConfigurationId, Space, seeded};

use crate::{Budget, Evaluation, Ledger, Lookup, Memory, Problem, Spent, Stop};

/// A problem whose evaluations are a function, for tests and simulation.
pub struct Analytic<F> {
    space: Arc<Space>,
    answer: F,
    ledger: Ledger,
    starts: Vec<ConfigurationId>,
    memory: Arc<Memory>,
    scores_are_seconds: bool,
    times_gpu_blocks: bool,
    rng: Rng,
}

impl Analytic<()> {
    /// A problem over `space` within `budget`; an evaluation by `function` costs one second.
    pub fn new(
        space: Arc<Space>,
        budget: Budget,
        seed: u64,
        mut function: impl FnMut(&Space, ConfigurationId) -> Evaluation,
    ) -> Analytic<impl FnMut(&mut Ledger, ConfigurationId) -> Result<Evaluation, Stop>> {
        let of = Arc::clone(&space);
        Analytic::answering(space, budget, seed, move |ledger, id| match ledger.ask(id)? {
            Lookup::Known(evaluation) => Ok(evaluation),
            Lookup::New => {
                let evaluation = function(&of, id);
                ledger.record(id, evaluation.clone(), 1.0);
                Ok(evaluation)
            }
        })
    }
}

impl<F: FnMut(&mut Ledger, ConfigurationId) -> Result<Evaluation, Stop>> Analytic<F> {
    /// A problem over `space` within `budget` whose function records the costs of its answers in
    /// the ledger itself.
    pub fn answering(space: Arc<Space>, budget: Budget, seed: u64, answer: F) -> Self {
        let ledger = Ledger::new(space.len(), budget);
        let (starts, memory) = (Vec::new(), Arc::default());
        Self {
            space,
            answer,
            ledger,
            starts,
            memory,
            scores_are_seconds: true,
            times_gpu_blocks: true,
            rng: seeded(seed, 0),
        }
    }

    /// Sets the configurations to begin with.
    #[must_use]
    pub fn starting_at(mut self, starts: Vec<ConfigurationId>) -> Self {
        self.starts = starts;
        self
    }

    /// Sets the prior.
    #[must_use]
    pub fn remembering(mut self, memory: Arc<Memory>) -> Self {
        self.memory = memory;
        self
    }

    /// Sets what [`Problem::scores_are_seconds`] returns.
    #[must_use]
    pub fn scoring_seconds(mut self, does: bool) -> Self {
        self.scores_are_seconds = does;
        self
    }

    /// Sets what [`Problem::times_gpu_blocks`] returns.
    #[must_use]
    pub fn timing_gpu_blocks(mut self, does: bool) -> Self {
        self.times_gpu_blocks = does;
        self
    }

    /// Everything evaluated so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

impl<F: FnMut(&mut Ledger, ConfigurationId) -> Result<Evaluation, Stop>> Problem for Analytic<F> {
    fn space(&self) -> Arc<Space> {
        Arc::clone(&self.space)
    }

    fn evaluate(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        (self.answer)(&mut self.ledger, id)
    }

    fn starts(&self) -> Vec<ConfigurationId> {
        self.starts.clone()
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn scores_are_seconds(&self) -> bool {
        self.scores_are_seconds
    }

    fn times_gpu_blocks(&self) -> bool {
        self.times_gpu_blocks
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn spent(&self) -> Spent {
        self.ledger.spent()
    }

    fn check(&self) -> Result<(), Stop> {
        self.ledger.check()
    }
}
