//! The settings of a process, what is expected of them, and how they are varied.

use rand::RngExt;

use crate::{numeric::normal, space::Rng};

/// What is expected of ln length and ln noise before anything is seen: mean and deviation.
const LENGTH: (f64, f64) = (1.0, 0.9);
const NOISE: (f64, f64) = (-6.0, 1.5);
const ODDS: (f64, f64) = (0.0, 1.5);
/// Where settings may be.
const LENGTHS: (f64, f64) = (-3.0, 2.5);
const NOISES: (f64, f64) = (-11.0, -1.0);
const ALL_ODDS: (f64, f64) = (-4.0, 8.0);

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

    pub(super) fn log_prior(&self) -> f64 {
        let away = |x: f64, (mean, deviation): (f64, f64)| ((x - mean) / deviation).powi(2);
        let lengths: f64 = self.ln_lengths.iter().map(|l| away(*l, LENGTH)).sum();
        -0.5 * (lengths + away(self.ln_noise, NOISE) + away(self.ln_odds, ODDS))
    }

    /// A try: one axis in two or more, every fourth time all of them together.
    pub(super) fn varied(&self, attempt: usize, step: f64, rng: &mut Rng) -> Self {
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
