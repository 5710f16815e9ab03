//! Gaussian process: a correlation over configurations, noise on the diagonal, a constant mean.
//! Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 and 4.

use math::Cholesky;

use super::{CorrelationFunction, DistanceMetric, Hyperparameters, Points, distance::Correlation};

/// A process with points. Values come with each query, so new values need no new factor.
#[derive(Debug)]
pub(crate) struct GaussianProcess {
    correlation: Correlation,
    noise: f64,
    points: Points,
    factor: Cholesky,
    /// L⁻¹ 1.
    ones: Vec<f64>,
}

#[derive(Debug)]
pub(crate) struct Posterior {
    /// Constant mean, by generalised least squares.
    pub(crate) mean: f64,
    /// L⁻¹ (values − mean).
    pub(crate) whitened: Vec<f64>,
    /// Variance of the process, shrunk towards 1, the variance of targets.
    pub(crate) variance: f64,
}

impl GaussianProcess {
    /// A Matérn 5/2 process with these points; `None` if it cannot tell them apart.
    pub(crate) fn new(
        metric: &DistanceMetric,
        settings: &Hyperparameters,
        points: &Points,
    ) -> Option<Self> {
        let mut process = Self::unseeing(metric, settings, CorrelationFunction::Matern52);
        points.iter().all(|point| process.push(point)).then_some(process)
    }

    /// A process without points.
    pub(crate) fn unseeing(
        metric: &DistanceMetric,
        settings: &Hyperparameters,
        shape: CorrelationFunction,
    ) -> Self {
        Self {
            correlation: metric.correlation(settings, shape),
            noise: settings.ln_noise.exp(),
            points: Points::default(),
            factor: Cholesky::default(),
            ones: Vec::new(),
        }
    }

    /// Adds a point; returns `false` if it cannot be told from the others.
    pub(crate) fn push(&mut self, point: &[u32]) -> bool {
        let mut row: Vec<f64> = self.covariances(point, self.points.iter()).collect();
        row.push(1.0 + self.noise);
        if !self.factor.push(&row) {
            return false;
        }
        let last = self.factor.row(self.factor.len() - 1);
        let known = self.ones.iter().zip(last).map(|(one, l)| one * l).sum::<f64>();
        self.ones.push((1.0 - known) / last[last.len() - 1]);
        self.points.push(point);
        true
    }

    pub(crate) fn covariances<'a>(
        &'a self,
        point: &[u32],
        others: impl Iterator<Item = &'a [u32]> + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        self.correlation.with_each(point, others)
    }

    pub(crate) fn points(&self) -> &Points {
        &self.points
    }

    /// The factor L.
    pub(crate) fn factor(&self) -> &Cholesky {
        &self.factor
    }

    /// L⁻¹ 1.
    pub(super) fn ones(&self) -> &[f64] {
        &self.ones
    }

    pub(super) fn correlation(&self) -> &Correlation {
        &self.correlation
    }

    pub(crate) fn posterior(&self, values: &[f64]) -> Posterior {
        let mut whitened = self.factor.solve_lower(values);
        let with = |other: &[f64]| self.ones.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
        let mean = with(&whitened) / with(&self.ones).max(f64::MIN_POSITIVE);
        for (value, one) in whitened.iter_mut().zip(&self.ones) {
            *value -= mean * one;
        }
        let squares: f64 = whitened.iter().map(|r| r * r).sum();
        let variance = (squares + 1.0) / (values.len() as f64 + 1.0);
        Posterior { mean, whitened, variance }
    }

    /// How far each value lies above the prediction from all other values, which also determine the
    /// mean (Rasmussen and Williams, 5.4.2; Dubrule 1983). O(n³).
    pub(super) fn left_out(&self, values: &[f64]) -> Vec<f64> {
        let weights = self.factor.solve_upper(&self.posterior(values).whitened);
        let ones = self.factor.solve_upper(&self.ones);
        let all: f64 = ones.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let precisions = self.factor.inverse_diagonal().into_iter().zip(ones);
        let precisions = precisions.map(|(own, one)| own - one * one / all);
        weights.iter().zip(precisions).map(|(weight, precision)| weight / precision).collect()
    }
}

#[cfg(test)]
mod tests {
    use space::{Parameter, Space};

    use super::*;
    use crate::surrogate::LengthOf;

    fn grid() -> (Space, DistanceMetric, Points) {
        let parameters = vec![
            Parameter::new("x", (1..=6).collect::<Vec<_>>()),
            Parameter::new("y", (1..=5).collect::<Vec<_>>()),
        ];
        let space = Space::build(parameters, &[] as &[&str], &[]).unwrap();
        let metric = DistanceMetric::new(&space);
        let mut points = Points::default();
        for id in space.ids() {
            points.push(&metric.point(&space.configuration(id)));
        }
        (space, metric, points)
    }

    #[test]
    fn without_noise_the_process_goes_through_its_points() {
        let (_, metric, points) = grid();
        let settings =
            Hyperparameters { ln_lengths: vec![0.0, 0.5], ln_noise: -14.0, ln_odds: 2.0 };
        let process = GaussianProcess::new(&metric, &settings, &points).unwrap();
        let values: Vec<f64> = (0..points.len()).map(|i| ((i * 7) % 11) as f64).collect();
        let posterior = process.posterior(&values);
        let weights = process.factor().solve_upper(&posterior.whitened);
        for (at, value) in values.iter().enumerate() {
            let mean: f64 = process
                .covariances(points.get(at), points.iter())
                .zip(&weights)
                .map(|(k, w)| k * w)
                .sum();
            assert!((posterior.mean + mean - value).abs() < 1e-2, "{at}");
        }
    }

    #[test]
    fn what_is_left_out_is_foretold_by_the_others() {
        let (_, metric, points) = grid();
        let settings = Hyperparameters { ln_lengths: vec![0.0, 0.5], ln_noise: -5.0, ln_odds: 2.0 };
        let values: Vec<f64> = (0..points.len()).map(|i| ((i * 7) % 11) as f64).collect();
        let process = GaussianProcess::new(&metric, &settings, &points).unwrap();
        let left_out = process.left_out(&values);
        for at in [0, 7, points.len() - 1] {
            let mut others = Points::default();
            let mut known = Vec::new();
            for (other, value) in values.iter().enumerate().filter(|(other, _)| *other != at) {
                others.push(points.get(other));
                known.push(*value);
            }
            let process = GaussianProcess::new(&metric, &settings, &others).unwrap();
            let posterior = process.posterior(&known);
            let weights = process.factor().solve_upper(&posterior.whitened);
            let covariances = process.covariances(points.get(at), others.iter());
            let apart: f64 = covariances.zip(&weights).map(|(k, w)| k * w).sum();
            let error = values[at] - posterior.mean - apart;
            assert!((left_out[at] - error).abs() < 1e-6, "{at}: {} and {error}", left_out[at]);
        }
    }

    #[test]
    fn equal_values_leave_no_residual() {
        let (_, metric, points) = grid();
        let process = GaussianProcess::new(
            &metric,
            &Hyperparameters::prior([LengthOf::Values; 2].into_iter()),
            &points,
        )
        .unwrap();
        let posterior = process.posterior(&vec![3.0; points.len()]);
        assert!((posterior.mean - 3.0).abs() < 1e-9);
        assert!(posterior.whitened.iter().all(|r| r.abs() < 1e-6));
    }
}
