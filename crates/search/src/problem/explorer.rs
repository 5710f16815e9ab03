//! A problem that remembers known costs and can draw unknown configurations.

use std::sync::Arc;

use math::Rng;
use rustc_hash::FxHashMap;
use search_api::{Evaluation, Problem, Stop};
use space::{ConfigurationId, Shuffle, Space};

use super::form::published_unit;
use crate::surrogate::starts;

/// A problem as costs, lower is better. It can draw unknown configurations when those around are
/// known.
pub struct Explorer<'p> {
    problem: &'p mut dyn Problem,
    space: Arc<Space>,
    known: FxHashMap<ConfigurationId, f64>,
    /// Random configurations, for when every other source gives known ones.
    rest: Shuffle,
    fruitless: u32,
    /// Factor of costs in published forms.
    unit: f64,
}

impl<'p> Explorer<'p> {
    /// Wraps `problem`, of which nothing is known yet.
    pub fn new(problem: &'p mut dyn Problem) -> Self {
        let space = problem.space();
        let (rest, unit) = (space.shuffle(), published_unit(problem));
        Self { problem, space, known: FxHashMap::default(), rest, fruitless: 0, unit }
    }

    /// The cost of a configuration, infinite if it failed.
    ///
    /// # Errors
    /// When the search must end.
    pub fn cost(&mut self, id: ConfigurationId) -> Result<f64, Stop> {
        let cost = self.problem.evaluate(id)?.cost();
        self.learn(id, cost);
        Ok(cost)
    }

    /// The cost of a configuration, evaluated only if it is unknown.
    ///
    /// # Errors
    /// As [`Explorer::cost`].
    pub fn recall(&mut self, id: ConfigurationId) -> Result<f64, Stop> {
        match self.known(id) {
            Some(cost) => {
                self.fruitless += 1;
                Ok(cost)
            }
            None => self.cost(id),
        }
    }

    /// The costs of several configurations, some evaluated at once where the problem can.
    ///
    /// # Errors
    /// As [`Explorer::cost`].
    pub fn costs(&mut self, ids: &[ConfigurationId]) -> Result<Vec<f64>, Stop> {
        let evaluations = self.problem.evaluate_all(ids)?;
        let costs: Vec<f64> = evaluations.iter().map(Evaluation::cost).collect();
        ids.iter().zip(&costs).for_each(|(id, cost)| self.learn(*id, *cost));
        Ok(costs)
    }

    fn learn(&mut self, id: ConfigurationId, cost: f64) {
        let new = self.known.insert(id, cost).is_none();
        self.fruitless = if new { 0 } else { self.fruitless + 1 };
    }

    /// The cost of a configuration that was evaluated.
    #[must_use]
    pub fn known(&self, id: ConfigurationId) -> Option<f64> {
        self.known.get(&id).copied()
    }

    /// A cost in the unit of published settings. Failures are the largest number, as published, so
    /// that two of them add up to infinity.
    #[must_use]
    pub fn as_published(&self, cost: f64) -> f64 {
        (cost * self.unit).min(f64::MAX)
    }

    /// Number of different configurations that were evaluated.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.known.len() as u64
    }

    /// Number of consecutive requests for known configurations.
    #[must_use]
    pub fn fruitless(&self) -> u32 {
        self.fruitless
    }

    /// A random unknown configuration; `None` when all are known.
    pub fn unknown(&mut self) -> Option<ConfigurationId> {
        let rng = self.problem.rng();
        std::iter::from_fn(|| self.rest.next(rng)).find(|id| !self.known.contains_key(id))
    }

    /// The first unknown of up to `tries` proposals, else any unknown; `None` when all are known.
    pub fn unknown_of(
        &mut self,
        tries: usize,
        mut propose: impl FnMut(&mut Rng) -> Option<ConfigurationId>,
    ) -> Option<ConfigurationId> {
        for _ in 0..tries {
            let proposed = propose(self.problem.rng()).filter(|id| !self.known.contains_key(id));
            if proposed.is_some() {
                return proposed;
            }
        }
        self.unknown()
    }

    /// Configurations to begin with, best first: what was good at other sizes, and the best of the
    /// prior.
    #[must_use]
    pub fn starts(&self) -> Vec<ConfigurationId> {
        starts(self.problem)
    }

    /// The spent share of the budget or the known share of the space, whichever is larger.
    #[must_use]
    pub fn progress(&self) -> f64 {
        let spent = self.problem.spent();
        let known = spent.evaluations as f64 / self.space.len().max(1) as f64;
        spent.fraction.max(known)
    }

    /// Limit of different configurations that can be evaluated, if any.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.problem.spent().limit
    }

    /// The generator that every random decision must use.
    pub fn rng(&mut self) -> &mut Rng {
        self.problem.rng()
    }

    /// Announces configurations that may come next.
    pub fn may_try(&mut self, ids: &[ConfigurationId]) {
        self.problem.may_try(ids);
    }

    /// Checks whether the search may go on, in loops that may not evaluate anything.
    ///
    /// # Errors
    /// As [`Explorer::cost`].
    pub fn check(&self) -> Result<(), Stop> {
        self.problem.check()
    }
}

#[cfg(test)]
mod tests {
    use search_api::{Analytic, Budget};
    use space::Parameter;

    use super::*;

    #[test]
    fn the_unknown_ends_with_the_space_and_never_repeats() {
        let parameters = vec![Parameter::new("a", 0_i64..20)];
        let space = Arc::new(Space::build(parameters, &[] as &[&str], &[]).unwrap());
        let mut problem =
            Analytic::new(space, Budget::default(), 1, |_, id| Evaluation::scored(id.0 as f64));
        let mut explorer = Explorer::new(&mut problem);
        assert!(explorer.cost(ConfigurationId(3)).is_ok());
        assert!(explorer.cost(ConfigurationId(3)).is_ok());
        assert_eq!((explorer.fruitless(), explorer.known(ConfigurationId(3))), (1, Some(3.0)));
        let mut seen = vec![ConfigurationId(3)];
        while let Some(id) = explorer.unknown() {
            assert!(!seen.contains(&id));
            seen.push(id);
        }
        assert_eq!(seen.len(), 20);
        assert!((explorer.progress() - 0.05).abs() < 1e-12);
    }
}
