//! The settings of a process: the most probable ones, by a random search that only goes uphill.
//! A gradient would need the derivative of every length at every step; from the last settings on,
//! a few dozen tries do as well.

use rand::RngExt;

use super::{Metric, Points, Process};
use crate::{numeric::normal, space::Rng};

/// What is expected of ln length and ln noise before anything is seen: mean and deviation.
const LENGTH: (f64, f64) = (1.0, 0.9);
const NOISE: (f64, f64) = (-6.0, 1.5);
const ODDS: (f64, f64) = (0.0, 1.5);
/// How far the variance may stray from 1, as a deviation of its logarithm.
const VARIANCE: f64 = 3.0;
/// Where settings may be.
const LENGTHS: (f64, f64) = (-3.0, 2.5);
const NOISES: (f64, f64) = (-11.0, -1.0);
const ALL_ODDS: (f64, f64) = (-4.0, 8.0);
/// The steps of a try: large ones first.
const STEPS: [f64; 2] = [0.7, 0.3];

/// The lengths of the axes and the noise, as logarithms.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::strategies) struct Settings {
    pub(in crate::strategies) ln_lengths: Vec<f64>,
    pub(in crate::strategies) ln_noise: f64,
    /// The odds of what all parameters do together against what each does alone.
    pub(in crate::strategies) ln_odds: f64,
}

impl Settings {
    /// What is expected before anything is seen.
    pub(in crate::strategies) fn prior(axes: usize) -> Self {
        Self { ln_lengths: vec![LENGTH.0; axes], ln_noise: NOISE.0, ln_odds: ODDS.0 }
    }

    fn log_prior(&self) -> f64 {
        let away = |x: f64, (mean, deviation): (f64, f64)| ((x - mean) / deviation).powi(2);
        let lengths: f64 = self.ln_lengths.iter().map(|l| away(*l, LENGTH)).sum();
        -0.5 * (lengths + away(self.ln_noise, NOISE) + away(self.ln_odds, ODDS))
    }

    /// The log posterior density of the settings given points and values, up to a constant.
    fn log_probability(&self, metric: &Metric, points: &Points, values: &[f64]) -> f64 {
        let Some(process) = Process::new(metric, self, points) else { return f64::NEG_INFINITY };
        let ln_variance = process.posterior(values).variance.ln();
        let fit = (values.len() as f64 + 1.0) * ln_variance + process.factor().log_determinant();
        -0.5 * (fit + (ln_variance / VARIANCE).powi(2)) + self.log_prior()
    }

    /// A try: one axis in two or more, every fourth time all of them together.
    fn varied(&self, attempt: usize, step: f64, rng: &mut Rng) -> Self {
        let mut varied = self.clone();
        if attempt % 4 == 3 {
            let shift = step * normal(rng);
            varied.ln_lengths.iter_mut().for_each(|l| *l += shift);
        } else {
            let chosen = rng.random_range(0..=self.ln_lengths.len());
            for (at, length) in varied.ln_lengths.iter_mut().enumerate() {
                if at == chosen || rng.random_bool(0.3) {
                    *length += step * normal(rng);
                }
            }
            if chosen == self.ln_lengths.len() || rng.random_bool(0.3) {
                varied.ln_noise += 2.0 * step * normal(rng);
            }
        }
        if rng.random_bool(0.3) {
            varied.ln_odds += 2.0 * step * normal(rng);
        }
        varied.ln_odds = varied.ln_odds.clamp(ALL_ODDS.0, ALL_ODDS.1);
        varied.ln_lengths.iter_mut().for_each(|l| *l = l.clamp(LENGTHS.0, LENGTHS.1));
        varied.ln_noise = varied.ln_noise.clamp(NOISES.0, NOISES.1);
        varied
    }
}

/// Better settings than `last`, if `tries` find any.
pub(in crate::strategies) fn fit(
    metric: &Metric,
    points: &Points,
    values: &[f64],
    last: &Settings,
    tries: usize,
    rng: &mut Rng,
) -> Settings {
    let mut best = last.clone();
    let mut highest = best.log_probability(metric, points, values);
    for attempt in 0..tries {
        let step = STEPS[usize::from(2 * attempt >= tries)];
        let varied = best.varied(attempt, step, rng);
        let probability = varied.log_probability(metric, points, values);
        if probability > highest {
            (best, highest) = (varied, probability);
        }
    }
    best
}
