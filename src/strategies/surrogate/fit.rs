//! Most probable settings of a process, by a random search that only goes uphill. A gradient would
//! cost a derivative of every length; from the last settings on, a few dozen tries are as good.

use super::{DistanceMetric, GaussianProcess, Hyperparameters, Points};
use crate::space::Rng;

/// Prior deviation of ln variance from 0.
const VARIANCE: f64 = 3.0;
/// Steps of a try: large ones first.
const STEPS: [f64; 2] = [0.7, 0.3];

/// Log posterior density of the settings given points and values, up to a constant.
fn log_probability(
    settings: &Hyperparameters,
    expected: &Hyperparameters,
    (metric, points, values): (&DistanceMetric, &Points, &[f64]),
) -> f64 {
    let Some(process) = GaussianProcess::new(metric, settings, points) else {
        return f64::NEG_INFINITY;
    };
    let ln_variance = process.posterior(values).variance.ln();
    let fit = (values.len() as f64 + 1.0) * ln_variance + process.factor().log_determinant();
    -0.5 * (fit + (ln_variance / VARIANCE).powi(2)) + settings.log_prior(expected)
}

/// Better settings than `last` under a prior with the mean `expected`, if `tries` find any.
pub(in crate::strategies) fn fit(
    seen: (&DistanceMetric, &Points, &[f64]),
    expected: &Hyperparameters,
    last: &Hyperparameters,
    tries: usize,
    rng: &mut Rng,
) -> Hyperparameters {
    let mut best = last.clone();
    let mut highest = log_probability(&best, expected, seen);
    for attempt in 0..tries {
        let step = STEPS[usize::from(2 * attempt >= tries)];
        let varied = best.varied(attempt, step, rng);
        let probability = log_probability(&varied, expected, seen);
        if probability > highest {
            (best, highest) = (varied, probability);
        }
    }
    best
}
