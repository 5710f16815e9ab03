//! History of a search: evaluated configurations, their places, and their costs.

use rand::seq::IndexedRandom;
use rustc_hash::FxHashSet;

use super::{DistanceMetric, Points, blocks::Blocks, target};
use crate::space::{Configuration, ConfigurationId, Rng, Space};

#[derive(Debug)]
pub(in crate::strategies) struct History {
    metric: DistanceMetric,
    known: FxHashSet<ConfigurationId>,
    ids: Vec<ConfigurationId>,
    places: Points,
    /// Infinite for failures.
    costs: Vec<f64>,
    blocks: Blocks,
    /// Targets that were expected before anything was known.
    expected: Vec<f64>,
}

/// Targets of evaluations.
#[derive(Debug)]
pub(in crate::strategies) struct Seen {
    /// Of the best.
    pub(in crate::strategies) lowest: f64,
    /// Beyond what was expected.
    pub(in crate::strategies) beyond: Vec<f64>,
}

impl History {
    pub(in crate::strategies) fn new(space: &Space) -> Self {
        Self {
            metric: DistanceMetric::new(space).with_halvings(space.parameters()),
            known: FxHashSet::default(),
            ids: Vec::new(),
            places: Points::default(),
            costs: Vec::new(),
            blocks: Blocks::new(space),
            expected: Vec::new(),
        }
    }

    /// Takes in an evaluation; `false` if it was known.
    pub(in crate::strategies) fn learn(
        &mut self,
        space: &Space,
        id: ConfigurationId,
        cost: f64,
    ) -> bool {
        let new = self.known.insert(id);
        if new {
            self.ids.push(id);
            let configuration = space.configuration(id);
            self.places.push(&self.metric.point(&configuration));
            self.expected.push(self.blocks.expected(&configuration));
            self.costs.push(cost);
        }
        new
    }

    /// Replaces all costs, for another weighting of the objectives; what is expected are run times.
    pub(in crate::strategies) fn weigh(&mut self, costs: Vec<f64>) {
        debug_assert_eq!(costs.len(), self.len(), "a cost for every evaluation");
        self.costs = costs;
        self.blocks = Blocks::default();
        self.expected.fill(0.0);
    }

    pub(in crate::strategies) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(in crate::strategies) fn metric(&self) -> &DistanceMetric {
        &self.metric
    }

    pub(in crate::strategies) fn known(&self) -> &FxHashSet<ConfigurationId> {
        &self.known
    }

    pub(in crate::strategies) fn knows_valid(&self) -> bool {
        self.costs.iter().any(|cost| cost.is_finite())
    }

    pub(in crate::strategies) fn place(&self, at: usize) -> &[u32] {
        self.places.get(at)
    }

    pub(in crate::strategies) fn configurations(&self, space: &Space) -> Vec<Configuration> {
        self.ids.iter().map(|id| space.configuration(*id)).collect()
    }

    pub(in crate::strategies) fn points(&self, positions: &[usize]) -> Points {
        let mut points = Points::default();
        positions.iter().for_each(|at| points.push(self.places.get(*at)));
        points
    }

    pub(in crate::strategies) fn ids(&self, positions: &[usize]) -> Vec<ConfigurationId> {
        positions.iter().map(|at| self.ids[*at]).collect()
    }

    pub(in crate::strategies) fn costs(&self, positions: &[usize]) -> Vec<f64> {
        positions.iter().map(|at| self.costs[*at]).collect()
    }

    /// What is expected of each of these before anything is known.
    pub(in crate::strategies) fn expected(
        &self,
        space: &Space,
        ids: &[ConfigurationId],
    ) -> Vec<f64> {
        ids.iter().map(|id| self.blocks.expected(&space.configuration(*id))).collect()
    }

    pub(in crate::strategies) fn seen(&self, positions: &[usize]) -> Seen {
        let targets = target(&self.costs(positions));
        let lowest = targets.iter().copied().fold(f64::INFINITY, f64::min);
        let beyond = targets.iter().zip(positions).map(|(value, at)| value - self.expected[*at]);
        Seen { lowest, beyond: beyond.collect() }
    }

    /// The configurations of the lowest cost, lowest first.
    pub(in crate::strategies) fn incumbents(&self, count: usize) -> Vec<ConfigurationId> {
        self.best_first().into_iter().take(count).map(|at| self.ids[at]).collect()
    }

    /// Positions of the best and of random others; all, in order, while there are few.
    pub(in crate::strategies) fn chosen(
        &self,
        (best, random): (usize, usize),
        rng: &mut Rng,
    ) -> Vec<usize> {
        if self.len() <= best + random {
            return (0..self.len()).collect();
        }
        let mut order = self.best_first();
        let rest = order.split_off(best);
        order.extend(rest.sample(rng, random).copied());
        order
    }

    fn best_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, seeded};

    #[test]
    fn the_best_are_always_chosen_and_nothing_is_learnt_twice() {
        let parameters = vec![Parameter::new("x", (0..50_i64).collect::<Vec<_>>())];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let mut history = History::new(&space);
        for at in 0..50 {
            let cost = if at == 7 { f64::INFINITY } else { (at as f64 - 20.0).abs() };
            assert!(history.learn(&space, ConfigurationId(at), cost));
        }
        assert!(!history.learn(&space, ConfigurationId(3), 0.0));
        assert_eq!(history.len(), 50);
        assert_eq!(history.incumbents(1), [ConfigurationId(20)]);
        let chosen = history.chosen((3, 5), &mut seeded(1, 0));
        assert_eq!(chosen.len(), 8);
        assert!([20, 19, 21].iter().all(|best| chosen[..3].contains(best)));
        assert_eq!(history.chosen((30, 30), &mut seeded(1, 0)), (0..50).collect::<Vec<_>>());
    }
}
