//! Configurations that may come next, with what a process says of each. What depends on their
//! places alone is kept: a point that is seen costs one row, not a new prediction.

use super::{Metric, Points, Process, process::Posterior};
use crate::space::{ConfigurationId, Space};

/// The candidates, with V = L⁻¹ K(points, candidates).
#[derive(Debug)]
pub(in crate::strategies) struct Candidates {
    ids: Vec<ConfigurationId>,
    places: Points,
    /// A row of V for every point of the process.
    rows: Vec<Vec<f64>>,
    /// Σ V² of every candidate: the share of its variance that the points explain.
    explained: Vec<f64>,
    taken: Vec<bool>,
}

impl Candidates {
    /// These candidates under a process.
    pub(in crate::strategies) fn new(
        process: &Process,
        metric: &Metric,
        space: &Space,
        ids: Vec<ConfigurationId>,
    ) -> Self {
        let mut places = Points::default();
        for id in &ids {
            places.push(&metric.point(&space.configuration(*id)));
        }
        let (explained, taken) = (vec![0.0; ids.len()], vec![false; ids.len()]);
        let mut candidates = Self { ids, places, rows: Vec::new(), explained, taken };
        for _ in 0..process.points().len() {
            candidates.see(process);
        }
        candidates
    }

    /// Takes in the next point of the process. O(candidates × points).
    pub(in crate::strategies) fn see(&mut self, process: &Process) {
        let at = self.rows.len();
        let point = process.points().get(at);
        let mut row: Vec<f64> = process.covariances(point, self.places.iter()).collect();
        let factor = process.factor().row(at);
        for (known, l) in self.rows.iter().zip(factor) {
            for (value, known) in row.iter_mut().zip(known) {
                *value -= l * known;
            }
        }
        let diagonal = 1.0 / factor[at];
        for (value, explained) in row.iter_mut().zip(&mut self.explained) {
            *value *= diagonal;
            *explained += *value * *value;
        }
        self.rows.push(row);
    }

    /// The posterior mean of every candidate.
    pub(in crate::strategies) fn means(&self, posterior: &Posterior) -> Vec<f64> {
        let mut means = vec![posterior.mean; self.ids.len()];
        for (row, weight) in self.rows.iter().zip(&posterior.whitened) {
            for (mean, value) in means.iter_mut().zip(row) {
                *mean += weight * value;
            }
        }
        means
    }

    /// The posterior deviation of every candidate, without noise.
    pub(in crate::strategies) fn deviations(&self, posterior: &Posterior) -> Vec<f64> {
        let deviation = |share: &f64| (posterior.variance * (1.0 - share).max(1e-12)).sqrt();
        self.explained.iter().map(deviation).collect()
    }

    /// The free candidates with the highest values, highest first.
    pub(in crate::strategies) fn best(&self, values: &[f64], count: usize) -> Vec<ConfigurationId> {
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

    /// Marks a candidate as evaluated.
    pub(in crate::strategies) fn take(&mut self, id: ConfigurationId) {
        if let Some(at) = self.ids.iter().position(|candidate| *candidate == id) {
            self.taken[at] = true;
        }
    }
}
