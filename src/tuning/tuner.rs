//! One search: the problem a strategy sees, over an evaluator, a book of trials and a budget.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::{Evaluator, Hints, Ranking};
use crate::{
    records::{Named, Phase, Trial},
    space::{ConfigurationId, Rng, Space},
    strategies::{Answer, Budget, Evaluation, Ledger, Problem, Spent, Stop},
};

/// Where trials are kept. A trial that is in the book is not run again.
pub trait Book {
    /// The trial of an earlier life of this study.
    fn recall(&mut self, size: u64, phase: Phase, configuration: &Named) -> Option<Trial>;
    /// Keeps a trial; it is on disk when this returns.
    fn record(&mut self, trial: &Trial) -> Result<(), String>;
}

/// Who is told what happens, while it happens.
pub trait Watcher {
    /// A configuration is about to be evaluated.
    fn begins(&mut self, size: u64, configuration: &Named, spent: &Spent);
    /// A trial is in the book.
    fn ended(&mut self, trial: &Trial);
}

/// Everything one search needs.
pub struct Search<'a> {
    /// The problem size.
    pub size: u64,
    /// Its space.
    pub space: Arc<Space>,
    /// How outcomes are ranked.
    pub ranking: &'a Ranking,
    /// What it may spend.
    pub budget: Budget,
    /// Configurations to begin with, the default among them.
    pub starts: Vec<ConfigurationId>,
    /// The search's own random numbers.
    pub rng: Rng,
    /// Set by Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

/// Patience is shared among at most this many trials to come.
const LONGEST: u64 = 1000;

/// A search in progress: the [`Problem`] a strategy works on.
pub struct Tuner<'a> {
    search: Search<'a>,
    evaluator: &'a mut dyn Evaluator,
    book: &'a mut dyn Book,
    watcher: &'a mut dyn Watcher,
    ledger: Ledger,
    trials: Vec<(ConfigurationId, Trial)>,
    best_seconds: Option<f64>,
    fault: Option<String>,
}

impl<'a> Tuner<'a> {
    /// A search that has not begun.
    pub fn new(
        search: Search<'a>,
        evaluator: &'a mut dyn Evaluator,
        book: &'a mut dyn Book,
        watcher: &'a mut dyn Watcher,
    ) -> Self {
        let ledger = Ledger::new(search.space.len(), search.budget);
        Self {
            search,
            evaluator,
            book,
            watcher,
            ledger,
            trials: Vec::new(),
            best_seconds: None,
            fault: None,
        }
    }

    /// The trials in the order they were made, or why they could not be kept.
    pub fn finish(self) -> Result<Vec<(ConfigurationId, Trial)>, String> {
        self.fault.map_or(Ok(self.trials), Err)
    }

    /// How long one measurement may take: a fair part of what is left.
    fn patience(&self) -> f64 {
        let spent = self.ledger.spent();
        let limit = self.search.budget.cost_seconds.unwrap_or(f64::INFINITY);
        let left = (limit - spent.cost_seconds).max(0.0);
        let trials = spent.limit.unwrap_or(LONGEST).min(self.search.space.len());
        let remaining = trials.saturating_sub(spent.evaluations).clamp(1, LONGEST);
        (left / remaining as f64).clamp(0.02, 2.0)
    }

    fn run(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        let configuration = Named::of(&self.search.space, id);
        let size = self.search.size;
        let trial = match self.book.recall(size, Phase::Search, &configuration) {
            Some(trial) => trial,
            None => {
                let spent = self.ledger.spent();
                self.watcher.begins(size, &configuration, &spent);
                let hints = Hints { best_seconds: self.best_seconds, patience: self.patience() };
                let outcome = self.evaluator.evaluate(size, &configuration, hints);
                if self.search.interrupted.load(Ordering::Relaxed) && outcome.measurement.is_none()
                {
                    return Err(Stop::Interrupted);
                }
                let score = self.search.ranking.score(&outcome);
                let trial = Trial { size, phase: Phase::Search, configuration, outcome, score };
                if let Err(why) = self.book.record(&trial) {
                    self.fault = Some(why);
                    return Err(Stop::Interrupted);
                }
                trial
            }
        };
        if let Some(measurement) = &trial.outcome.measurement {
            let seconds = measurement.seconds.median;
            self.best_seconds = Some(self.best_seconds.map_or(seconds, |best| best.min(seconds)));
        }
        let evaluation = trial.score.map_or_else(Evaluation::failed, Evaluation::scored);
        self.ledger.record(id, evaluation.clone(), trial.outcome.costs.total());
        self.watcher.ended(&trial);
        self.trials.push((id, trial));
        Ok(evaluation)
    }
}

impl Problem for Tuner<'_> {
    fn space(&self) -> Arc<Space> {
        Arc::clone(&self.search.space)
    }

    fn evaluate(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        self.check()?;
        match self.ledger.ask(id)? {
            Answer::Known(evaluation) => Ok(evaluation),
            Answer::New => self.run(id),
        }
    }

    fn may_try(&mut self, ids: &[ConfigurationId]) {
        let left = self.ledger.spent().evaluations_left().unwrap_or(u64::MAX);
        let mut wanted = Vec::new();
        for id in ids.iter().filter(|id| self.ledger.known(**id).is_none()) {
            let configuration = Named::of(&self.search.space, *id);
            if wanted.len() as u64 >= left {
                break;
            }
            if self.book.recall(self.search.size, Phase::Search, &configuration).is_none() {
                wanted.push(configuration);
            }
        }
        if wanted.len() > 1 {
            self.evaluator.prepare(self.search.size, &wanted);
        }
    }

    fn starts(&self) -> Vec<ConfigurationId> {
        self.search.starts.clone()
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.search.rng
    }

    fn spent(&self) -> Spent {
        self.ledger.spent()
    }

    fn check(&self) -> Result<(), Stop> {
        if self.search.interrupted.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        self.ledger.check()
    }
}
