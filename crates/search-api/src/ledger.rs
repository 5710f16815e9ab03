//! Ledger of a search: known evaluations, their cost, and when the search must end.

use rustc_hash::{FxBuildHasher, FxHashMap};
use space::ConfigurationId;

use crate::{Budget, Evaluation, Spent, Stop};

/// Consecutive requests for known configurations after which a strategy counts as finished.
const MOST_REVISITS: u32 = 1_000;

/// Most evaluations for which memory is reserved at the beginning.
const ROOM: u64 = 1_024;

/// Answer to a request for a configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// The configuration is known and costs nothing.
    Known(Evaluation),
    /// The configuration is new: evaluate it and record the result.
    New,
}

/// The accounts of a [`Problem`](super::Problem), however it evaluates.
#[derive(Clone, Debug)]
pub struct Ledger {
    budget: Budget,
    valid: u64,
    known: FxHashMap<ConfigurationId, Evaluation>,
    order: Vec<ConfigurationId>,
    best: Option<(ConfigurationId, f64)>,
    cost_seconds: f64,
    revisits: u32,
}

impl Ledger {
    /// An empty ledger for a space of `valid` configurations.
    #[must_use]
    pub fn new(valid: u64, budget: Budget) -> Self {
        let most = budget.evaluations.unwrap_or(ROOM).min(valid).min(ROOM) as usize;
        Self {
            budget,
            valid,
            known: FxHashMap::with_capacity_and_hasher(most, FxBuildHasher),
            order: Vec::with_capacity(most),
            best: None,
            cost_seconds: 0.0,
            revisits: 0,
        }
    }

    /// Whether the search may go on.
    ///
    /// # Errors
    /// [`Stop::Exhausted`] when every configuration is known, [`Stop::Budget`] when the budget is
    /// spent.
    pub fn check(&self) -> Result<(), Stop> {
        let evaluations = self.order.len() as u64;
        if evaluations >= self.valid {
            return Err(Stop::Exhausted);
        }
        let counted = self.budget.evaluations.is_some_and(|limit| evaluations >= limit);
        let charged = evaluations >= self.budget.at_least
            && self.budget.cost_seconds.is_some_and(|limit| self.cost_seconds >= limit);
        if counted || charged { Err(Stop::Budget) } else { Ok(()) }
    }

    /// Says whether `id` is known or must be evaluated.
    ///
    /// # Errors
    /// As [`Ledger::check`]; [`Stop::Exhausted`] also after 1,000 requests in a row for known
    /// configurations.
    pub fn ask(&mut self, id: ConfigurationId) -> Result<Lookup, Stop> {
        self.check()?;
        let Some(known) = self.known.get(&id) else { return Ok(Lookup::New) };
        self.revisits += 1;
        if self.revisits > MOST_REVISITS {
            return Err(Stop::Exhausted);
        }
        Ok(Lookup::Known(known.clone()))
    }

    /// Records an evaluation, replacing an earlier one of the configuration, and adds its cost.
    pub fn record(&mut self, id: ConfigurationId, evaluation: Evaluation, cost_seconds: f64) {
        self.revisits = 0;
        self.charge(cost_seconds);
        if let Some(score) = evaluation.score
            && self.best.is_none_or(|(_, best)| score < best)
        {
            self.best = Some((id, score));
        }
        if self.known.insert(id, evaluation).is_none() {
            self.order.push(id);
        }
    }

    /// Adds a cost that belongs to no configuration.
    pub fn charge(&mut self, cost_seconds: f64) {
        self.cost_seconds += cost_seconds.max(0.0);
    }

    /// The evaluation of a configuration, if it is known.
    #[must_use]
    pub fn known(&self, id: ConfigurationId) -> Option<&Evaluation> {
        self.known.get(&id)
    }

    /// Evaluated configurations, in order.
    #[must_use]
    pub fn order(&self) -> &[ConfigurationId] {
        &self.order
    }

    /// The best configuration so far with its score; among equals, the first.
    #[must_use]
    pub fn best(&self) -> Option<(ConfigurationId, f64)> {
        self.best
    }

    /// Evaluations and cost so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let evaluations = self.order.len() as u64;
        let share = |spent: f64, limit: f64| if limit > 0.0 { spent / limit } else { 1.0 };
        let counted = self.budget.evaluations.map_or(0.0, |l| share(evaluations as f64, l as f64));
        let charged = self.budget.cost_seconds.map_or(0.0, |l| share(self.cost_seconds, l));
        Spent {
            evaluations,
            limit: self.budget.evaluations.map(|limit| limit.min(self.valid)),
            fraction: counted.max(charged).min(1.0),
            cost_seconds: self.cost_seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisits_are_free_until_there_are_too_many_in_a_row() {
        let mut ledger = Ledger::new(10, Budget::evaluations(5));
        let id = ConfigurationId(3);
        assert_eq!(ledger.ask(id), Ok(Lookup::New));
        ledger.record(id, Evaluation::scored(2.0), 0.5);
        for _ in 0..1_000 {
            assert_eq!(ledger.ask(id), Ok(Lookup::Known(Evaluation::scored(2.0))));
        }
        assert_eq!(ledger.ask(id), Err(Stop::Exhausted));
        assert_eq!(ledger.spent().evaluations, 1);
    }

    #[test]
    fn the_search_ends_with_the_budget_or_with_the_space() {
        let mut ledger = Ledger::new(2, Budget::evaluations(9));
        ledger.record(ConfigurationId(0), Evaluation::failed(), 0.0);
        assert_eq!(ledger.check(), Ok(()));
        ledger.record(ConfigurationId(1), Evaluation::scored(1.0), 0.0);
        assert_eq!(ledger.check(), Err(Stop::Exhausted));
        let mut ledger = Ledger::new(9, Budget { cost_seconds: Some(1.0), ..Budget::default() });
        ledger.record(ConfigurationId(0), Evaluation::scored(1.0), 0.4);
        assert_eq!(ledger.spent().evaluations_left(), Some(2));
        ledger.record(ConfigurationId(1), Evaluation::scored(1.0), 0.6);
        assert_eq!(ledger.check(), Err(Stop::Budget));
    }
}
