//! Hyperparameters of a process, their prior, and how they vary.

use math::{Rng, normal};
use rand::RngExt;

/// Prior of ln length, ln noise and ln odds: mean and deviation.
const LENGTH: (f64, f64) = (1.0, 0.9);
/// Prior mean of ln length for halvings: so long that they matter only where evaluations say so.
const LENGTH_OF_HALVINGS: f64 = 2.5;
const NOISE: (f64, f64) = (-6.0, 1.5);
const ODDS: (f64, f64) = (0.0, 1.5);
/// Share of the way that the prior mean moves to lengths known elsewhere.
const LEARNT: f64 = 0.7;
/// Bounds of the hyperparameters.
const LENGTHS: (f64, f64) = (-3.0, 4.0);
const NOISES: (f64, f64) = (-11.0, -1.0);
const ALL_ODDS: (f64, f64) = (-4.0, 8.0);

/// Which distance a length scales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LengthOf {
    /// The distance of the values of a parameter by size and place.
    Values,
    /// Their distance by how often they can be halved.
    Halvings,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hyperparameters {
    pub(crate) ln_lengths: Vec<f64>,
    pub(crate) ln_noise: f64,
    /// ln odds of the joint effect of all parameters against the effects of each alone.
    pub(crate) ln_odds: f64,
}

impl Hyperparameters {
    pub(crate) fn prior(lengths: impl Iterator<Item = LengthOf>) -> Self {
        Self { ln_lengths: lengths.map(usual).collect(), ln_noise: NOISE.0, ln_odds: ODDS.0 }
    }

    /// The prior when some lengths are known elsewhere: its means move most of the way to these, as
    /// far as they are trusted.
    pub(super) fn informed(
        lengths: impl Iterator<Item = (LengthOf, Option<f64>)>,
        trust: f64,
    ) -> Self {
        let expected = |(of, known): (LengthOf, Option<f64>)| {
            let usual = usual(of);
            known.map_or(usual, |known| usual + trust * LEARNT * (known - usual))
        };
        Self { ln_lengths: lengths.map(expected).collect(), ..Self::prior(std::iter::empty()) }
    }

    /// Log density up to a constant, where `expected` is the mean.
    pub(super) fn log_prior(&self, expected: &Self) -> f64 {
        let away = |x: f64, mean: f64, deviation: f64| ((x - mean) / deviation).powi(2);
        let lengths = self.ln_lengths.iter().zip(&expected.ln_lengths);
        let lengths: f64 = lengths.map(|(l, mean)| away(*l, *mean, LENGTH.1)).sum();
        let noise = away(self.ln_noise, expected.ln_noise, NOISE.1);
        -0.5 * (lengths + noise + away(self.ln_odds, expected.ln_odds, ODDS.1))
    }

    /// Varies a length or the noise, others with probability 0.3; every fourth time all lengths.
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

/// Prior mean of ln length.
fn usual(of: LengthOf) -> f64 {
    match of {
        LengthOf::Values => LENGTH.0,
        LengthOf::Halvings => LENGTH_OF_HALVINGS,
    }
}
