//! History of a search: evaluated configurations, their places, and their costs.

use math::Rng;
use rand::seq::IndexedRandom;
use rustc_hash::FxHashSet;
use space::{Configuration, ConfigurationId, Space};

use super::{DistanceMetric, Points, blocks::Blocks, target};

#[derive(Debug)]
pub(crate) struct History {
    metric: DistanceMetric,
    known: FxHashSet<ConfigurationId>,
    ids: Vec<ConfigurationId>,
    places: Points,
    /// Infinite for failures.
    costs: Vec<f64>,
    blocks: Blocks,
    /// Prior mean of the target of each evaluation.
    prior_means: Vec<f64>,
}

/// Targets of evaluations.
#[derive(Debug)]
pub(crate) struct Targets {
    /// Target of the best.
    pub(crate) lowest: f64,
    /// Targets less their prior means.
    pub(crate) beyond: Vec<f64>,
}

impl History {
    pub(crate) fn new(space: &Space) -> Self {
        Self {
            metric: DistanceMetric::new(space).with_halvings(space.parameters()),
            known: FxHashSet::default(),
            ids: Vec::new(),
            places: Points::default(),
            costs: Vec::new(),
            blocks: Blocks::default(),
            prior_means: Vec::new(),
        }
    }

    /// Adds the expectation about blocks to a history that is still empty.
    pub(crate) fn expecting(mut self, blocks: Blocks) -> Self {
        debug_assert_eq!(self.len(), 0, "nothing is known yet");
        self.blocks = blocks;
        self
    }

    /// Adds an evaluation; returns `false` if it was known.
    pub(crate) fn learn(&mut self, space: &Space, id: ConfigurationId, cost: f64) -> bool {
        let new = self.known.insert(id);
        if new {
            self.ids.push(id);
            let configuration = space.configuration(id);
            self.places.push(&self.metric.point(&configuration));
            self.prior_means.push(self.blocks.prior_mean(&configuration));
            self.costs.push(cost);
        }
        new
    }

    /// Replaces all costs, for another weighting of the objectives.
    pub(crate) fn weigh(&mut self, costs: Vec<f64>) {
        debug_assert_eq!(costs.len(), self.len(), "a cost for every evaluation");
        self.costs = costs;
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn metric(&self) -> &DistanceMetric {
        &self.metric
    }

    pub(crate) fn known(&self) -> &FxHashSet<ConfigurationId> {
        &self.known
    }

    pub(crate) fn knows_valid(&self) -> bool {
        self.costs.iter().any(|cost| cost.is_finite())
    }

    pub(crate) fn place(&self, at: usize) -> &[u32] {
        self.places.get(at)
    }

    pub(crate) fn configurations(&self, space: &Space) -> Vec<Configuration> {
        self.ids.iter().map(|id| space.configuration(*id)).collect()
    }

    pub(crate) fn points(&self, positions: &[usize]) -> Points {
        let mut points = Points::default();
        positions.iter().for_each(|at| points.push(self.places.get(*at)));
        points
    }

    pub(crate) fn ids(&self, positions: &[usize]) -> Vec<ConfigurationId> {
        positions.iter().map(|at| self.ids[*at]).collect()
    }

    pub(crate) fn costs(&self, positions: &[usize]) -> Vec<f64> {
        positions.iter().map(|at| self.costs[*at]).collect()
    }

    /// Prior means of the targets of configurations.
    pub(crate) fn prior_means(&self, space: &Space, ids: &[ConfigurationId]) -> Vec<f64> {
        if self.blocks.says_nothing() {
            return vec![0.0; ids.len()];
        }
        ids.iter().map(|id| self.blocks.prior_mean(&space.configuration(*id))).collect()
    }

    pub(crate) fn targets(&self, positions: &[usize]) -> Targets {
        let targets = target(&self.costs(positions));
        let lowest = targets.iter().copied().fold(f64::INFINITY, f64::min);
        let beyond = targets.iter().zip(positions).map(|(value, at)| value - self.prior_means[*at]);
        Targets { lowest, beyond: beyond.collect() }
    }

    /// The configurations with the lowest costs, lowest first.
    pub(crate) fn incumbents(&self, count: usize) -> Vec<ConfigurationId> {
        self.best_first().into_iter().take(count).map(|at| self.ids[at]).collect()
    }

    /// Positions of the best and of random others; all positions, in order, while there are few.
    pub(crate) fn chosen(&self, (best, random): (usize, usize), rng: &mut Rng) -> Vec<usize> {
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
    use space::{Parameter, seeded};

    use super::*;

    #[test]
    fn targets_are_counted_from_what_was_expected_of_blocks() {
        let parameters = vec![Parameter::new("block_size_x", [32, 128, 1024])];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let ids: Vec<ConfigurationId> = space.ids().collect();
        let learnt = |mut history: History| {
            for (id, cost) in ids.iter().zip([2.0, 1.0, 4.0]) {
                assert!(history.learn(&space, *id, cost));
            }
            history
        };
        let (plain, expecting) = (History::new(&space), History::new(&space));
        let (plain, expecting) = (learnt(plain), learnt(expecting.expecting(Blocks::new(&space))));
        let of = |history: &History| history.targets(&[0, 1, 2]);
        let (targets, beyond) = (of(&plain), of(&expecting));
        assert!((targets.lowest - beyond.lowest).abs() < 1e-12);
        let means = expecting.prior_means(&space, &ids);
        assert!(means[0] > means[1] && means[2] >= means[0] && means[1].abs() < 1e-12, "{means:?}");
        assert!(plain.prior_means(&space, &ids).iter().all(|mean| mean.abs() < 1e-12));
        for ((target, beyond), mean) in targets.beyond.iter().zip(beyond.beyond).zip(means) {
            assert!((target - mean - beyond).abs() < 1e-12);
        }
    }

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
