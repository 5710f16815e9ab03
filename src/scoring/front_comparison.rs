//! How near strategies come to fronts of recorded spaces, by the number of different evaluations.

use std::sync::Arc;

use super::{Reached, ScoredStrategy, TrueFront, in_parallel};
use crate::{
    records::{RecordedSpace, RecordedTrial, Status},
    space::{ConfigurationId, Space},
    strategies::{Analytic, Budget, Evaluation},
    tuning::Ranking,
};

/// A recorded space with several objectives.
#[derive(Debug, Clone)]
pub struct FrontSpace {
    /// Name in tables.
    pub name: String,
    /// Configurations.
    pub space: Arc<Space>,
    /// The front that is sought.
    pub truth: TrueFront,
    /// Objectives of each configuration by number; `None` if it failed.
    objectives: Vec<Option<Vec<f64>>>,
}

impl FrontSpace {
    /// Takes a recorded space with the objectives of a ranking; what is beyond its bounds counts as
    /// failed.
    ///
    /// # Errors
    /// If the parameters are faulty, or no configuration has all objectives and keeps to the bounds.
    pub fn new(name: &str, recorded: &RecordedSpace, ranking: &Ranking) -> Result<Self, String> {
        let (space, rows) = recorded.space().map_err(|error| error.to_string())?;
        let trials = rows.iter().map(|row| &recorded.trials()[*row]);
        let read = |trial: &RecordedTrial| -> Option<Vec<f64>> {
            let costs = ranking.objectives().map(|objective| {
                let value = trial.value(&objective.metric).filter(|value| value.is_finite());
                value.map(|value| objective.cost(value))
            });
            let holds = ranking.bounds.hold(|metric| trial.value(metric));
            costs.collect::<Option<_>>().filter(|_| trial.status == Status::Measured && holds)
        };
        let objectives: Vec<Option<Vec<f64>>> = trials.map(read).collect();
        let all: Vec<Vec<f64>> = objectives.iter().flatten().cloned().collect();
        let truth = TrueFront::of(&all).ok_or_else(|| {
            "no configuration of it has all these objectives within the bounds".to_owned()
        })?;
        Ok(Self { name: name.to_owned(), space: Arc::new(space), truth, objectives })
    }

    /// Runs a strategy once; how near its first `n` evaluations come, for each `n` of `cuts`.
    #[must_use]
    pub fn search(
        &self,
        scored_strategy: &ScoredStrategy,
        cuts: &[usize],
        seed: u64,
    ) -> Vec<Reached> {
        let most = cuts.iter().copied().max().unwrap_or(0) as u64;
        let answer = |_: &Space, id: ConfigurationId| {
            let objectives = self.objectives[id.0 as usize].clone();
            objectives.map_or_else(Evaluation::failed, Evaluation::of)
        };
        let budget = Budget::evaluations(most);
        let mut problem = Analytic::new(Arc::clone(&self.space), budget, seed, answer);
        // Every end is an ordinary one.
        let _ = (scored_strategy.strategy.search)(&mut problem, &scored_strategy.knobs);
        let order = problem.ledger().order();
        let reached = |cut: &usize| {
            let first = order.iter().take(*cut);
            let found: Vec<&Vec<f64>> =
                first.filter_map(|id| self.objectives[id.0 as usize].as_ref()).collect();
            self.truth.reached(&found)
        };
        cuts.iter().map(reached).collect()
    }
}

/// Searches of several strategies for the fronts of several spaces.
#[derive(Clone, Copy)]
pub struct FrontComparison<'a> {
    /// Spaces.
    pub spaces: &'a [FrontSpace],
    /// Strategies.
    pub strategies: &'a [ScoredStrategy],
    /// Runs of each strategy on each space.
    pub repeats: usize,
    /// Seed of the first run; run `i` uses `seed + i`.
    pub seed: u64,
    /// Numbers of evaluations after which the distance is taken.
    pub cuts: &'a [usize],
}

impl FrontComparison<'_> {
    /// What every run reached, by strategy, space, run and cut. Calls `done` after every run.
    #[must_use]
    pub fn hold(&self, done: &(dyn Fn() + Sync)) -> Vec<Vec<Vec<Vec<Reached>>>> {
        let places = self.spaces.len();
        let jobs = self.strategies.len() * places * self.repeats;
        let mut runs = in_parallel(jobs, &|job| {
            let (pair, repeat) = (job / self.repeats, job % self.repeats);
            let (strategy, space) = (pair / places, pair % places);
            let seed = self.seed.wrapping_add(repeat as u64);
            let scored_strategy = &self.strategies[strategy];
            let reached = self.spaces[space].search(scored_strategy, self.cuts, seed);
            done();
            reached
        })
        .into_iter();
        let mut of_pair = || runs.by_ref().take(self.repeats).collect();
        let mut of_contestant = |_| (0..places).map(|_| of_pair()).collect();
        (0..self.strategies.len()).map(&mut of_contestant).collect()
    }
}
