//! One search: the problem a strategy sees, over an evaluator, a book of trials and a budget.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{Budget, Evaluator, Hints, Ranking};
use crate::{
    records::{Named, Outcome, Phase, Trial},
    space::{ConfigurationId, Rng, Space},
    strategies::{Evaluation, Problem, Spent, Stop},
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
    fn ended(&mut self, trial: &Trial, best: Option<f64>);
}

/// Everything one search needs.
pub struct Search<'a> {
    /// The problem size.
    pub size: u64,
    /// Its space.
    pub space: &'a Space,
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

/// After this many evaluations in a row that were all known already, a search is over.
const REVISITS: u32 = 1000;

/// A search in progress: the [`Problem`] a strategy works on.
pub struct Tuner<'a> {
    search: Search<'a>,
    evaluator: &'a mut dyn Evaluator,
    book: &'a mut dyn Book,
    watcher: &'a mut dyn Watcher,
    known: HashMap<ConfigurationId, Evaluation>,
    trials: Vec<(ConfigurationId, Trial)>,
    best: Option<f64>,
    best_seconds: Option<f64>,
    cost_seconds: f64,
    revisits: u32,
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
        Self {
            search,
            evaluator,
            book,
            watcher,
            known: HashMap::new(),
            trials: Vec::new(),
            best: None,
            best_seconds: None,
            cost_seconds: 0.0,
            revisits: 0,
            fault: None,
        }
    }

    /// The trials in the order they were made, or why they could not be kept.
    pub fn finish(self) -> Result<Vec<(ConfigurationId, Trial)>, String> {
        self.fault.map_or(Ok(self.trials), Err)
    }

    /// A configuration by name.
    fn named(&self, id: ConfigurationId) -> Named {
        Named(
            self.search
                .space
                .named(id)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
        )
    }

    /// How long one measurement may take: a fair part of what is left.
    fn patience(&self) -> f64 {
        let left = (self.search.budget.seconds - self.cost_seconds).max(0.0);
        let trials = self.search.budget.evaluations.min(self.search.space.len());
        let remaining = trials.saturating_sub(self.trials.len() as u64).clamp(1, 1000);
        (left / (remaining as f64 + 6.0)).clamp(0.02, 2.0)
    }

    fn run(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        let configuration = self.named(id);
        let size = self.search.size;
        let trial = match self.book.recall(size, Phase::Search, &configuration) {
            Some(trial) => trial,
            None => {
                self.watcher.begins(size, &configuration, &self.spent());
                let hints =
                    Hints { best_seconds: self.best_seconds, patience: self.patience() };
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
        self.account(&trial.outcome);
        if let Some(score) = trial.score {
            self.best = Some(self.best.map_or(score, |best| best.min(score)));
        }
        self.watcher.ended(&trial, self.best);
        let evaluation = Evaluation::new(trial.score);
        self.known.insert(id, evaluation.clone());
        self.trials.push((id, trial));
        Ok(evaluation)
    }

    fn account(&mut self, outcome: &Outcome) {
        self.cost_seconds += outcome.costs.total();
        let seconds = outcome.measurement.as_ref().map(|m| m.seconds.median);
        self.best_seconds = match (self.best_seconds, seconds) {
            (Some(best), Some(new)) => Some(best.min(new)),
            (best, new) => best.or(new),
        };
    }
}

impl Problem for Tuner<'_> {
    fn space(&self) -> &Space {
        self.search.space
    }

    fn evaluate(&mut self, id: ConfigurationId) -> Result<Evaluation, Stop> {
        self.check()?;
        if let Some(known) = self.known.get(&id) {
            self.revisits += 1;
            let everything = self.known.len() as u64 >= self.search.space.len();
            if everything || self.revisits >= REVISITS {
                return Err(Stop::Exhausted);
            }
            return Ok(known.clone());
        }
        if !self.search.budget.allows(self.known.len() as u64, self.cost_seconds) {
            return Err(Stop::Budget);
        }
        self.revisits = 0;
        self.run(id)
    }

    fn evaluate_all(&mut self, ids: &[ConfigurationId]) -> Result<Vec<Evaluation>, Stop> {
        self.may_try(ids);
        ids.iter().map(|id| self.evaluate(*id)).collect()
    }

    fn may_try(&mut self, ids: &[ConfigurationId]) {
        let left = self.search.budget.evaluations.saturating_sub(self.known.len() as u64);
        let mut wanted = Vec::new();
        for id in ids.iter().filter(|id| !self.known.contains_key(id)) {
            let configuration = self.named(*id);
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

    fn starts(&self) -> &[ConfigurationId] {
        &self.search.starts
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.search.rng
    }

    fn spent(&self) -> Spent {
        let evaluations = self.known.len() as u64;
        Spent {
            evaluations,
            limit: Some(self.search.budget.evaluations.min(self.search.space.len())),
            fraction: self.search.budget.used(evaluations, self.cost_seconds),
            cost_seconds: self.cost_seconds,
        }
    }

    fn check(&self) -> Result<(), Stop> {
        if self.search.interrupted.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        Ok(())
    }
}
