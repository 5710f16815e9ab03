//! Candidates of a search, until they are taken.

use math::Rng;
use rustc_hash::FxHashSet;
use space::{ConfigurationId, Neighbourhood, Space};

use super::{DistanceMetric, GaussianProcess, Predictions, gaussian_process::Posterior};

#[derive(Debug)]
pub(crate) struct Candidates {
    ids: Vec<ConfigurationId>,
    predictions: Predictions,
    taken: Vec<bool>,
}

impl Candidates {
    pub(crate) fn new(
        process: &GaussianProcess,
        metric: &DistanceMetric,
        space: &Space,
        ids: Vec<ConfigurationId>,
    ) -> Self {
        let predictions = Predictions::new(process, &metric.points(space, &ids));
        let mut candidates = Self { taken: vec![false; ids.len()], ids, predictions };
        candidates.see(process);
        candidates
    }

    /// Updates the predictions with the new points of the process. O(candidates × points) per
    /// point.
    pub(crate) fn see(&mut self, process: &GaussianProcess) {
        self.predictions.see_places(process);
    }

    pub(crate) fn means(&self, posterior: &Posterior) -> Vec<f64> {
        self.predictions.means_of(posterior)
    }

    /// The posterior deviation of every candidate, without noise.
    pub(crate) fn deviations(&self, posterior: &Posterior) -> Vec<f64> {
        let deviation = |share: f32| (posterior.variance * f64::from(share)).sqrt();
        self.predictions.uncertain().map(deviation).collect()
    }

    /// Vᵀ times whitened values: what the points add to every candidate's mean.
    pub(crate) fn products(&self, whitened: &[f64]) -> Vec<f64> {
        self.predictions.products(whitened)
    }

    /// The unexplained share of every candidate's variance.
    pub(crate) fn uncertain(&self) -> Vec<f64> {
        self.predictions.uncertain().map(f64::from).collect()
    }

    pub(crate) fn ids(&self) -> &[ConfigurationId] {
        &self.ids
    }

    /// The free candidates with the highest values, highest first.
    pub(crate) fn best(&self, values: &[f64], count: usize) -> Vec<ConfigurationId> {
        let free = |at: &usize| !self.taken[*at] && !values[*at].is_nan();
        let mut order: Vec<usize> = (0..self.ids.len()).filter(free).collect();
        let higher = |a: &usize, b: &usize| values[*b].total_cmp(&values[*a]).then(a.cmp(b));
        if order.len() > count && count > 0 {
            order.select_nth_unstable_by(count - 1, higher);
            order.truncate(count);
        }
        order.sort_by(higher);
        order.into_iter().map(|at| self.ids[at]).collect()
    }

    pub(crate) fn take(&mut self, id: ConfigurationId) {
        if let Some(at) = self.ids.iter().position(|candidate| *candidate == id) {
            self.taken[at] = true;
        }
    }
}

/// All unknown configurations. If the space has more than `most`, random ones and the neighbours of
/// the incumbents instead.
pub(crate) fn pool(
    space: &Space,
    most: usize,
    incumbents: &[ConfigurationId],
    known: &FxHashSet<ConfigurationId>,
    rng: &mut Rng,
) -> Vec<ConfigurationId> {
    let mut pool: Vec<ConfigurationId> = if space.len() <= most as u64 {
        space.ids().collect()
    } else {
        let near = incumbents.iter().flat_map(|id| space.neighbours(*id, Neighbourhood::Hamming));
        space.sample(most, rng).into_iter().chain(near).collect()
    };
    pool.retain(|id| !known.contains(id));
    pool.sort_unstable();
    pool.dedup();
    pool
}

#[cfg(test)]
mod tests {
    use space::{Parameter, seeded};

    use super::*;

    #[test]
    fn small_spaces_are_whole_and_of_large_ones_the_neighbours_of_the_best_are_there() {
        let list = (1..=20).collect::<Vec<_>>();
        let parameters = ["a", "b", "c"].map(|name| Parameter::new(name, list.clone())).to_vec();
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let best = ConfigurationId(4_321);
        let known = FxHashSet::from_iter([best, ConfigurationId(7)]);
        let mut rng = seeded(1, 0);
        assert_eq!(pool(&space, 8_000, &[], &known, &mut rng).len(), 7_998);
        let some = pool(&space, 500, &[best], &known, &mut rng);
        assert!(some.is_sorted() && some.len() > 500 && some.len() <= 500 + 57);
        assert!(!some.contains(&best));
        let neighbours = space.neighbours(best, Neighbourhood::Hamming);
        assert!(neighbours.iter().all(|id| some.contains(id)));
    }
}
