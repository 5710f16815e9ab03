//! What makes a candidate worth an evaluation: acquisition functions over predicted means and
//! deviations, lower costs being better.
//!
//! Brochu, Cora and de Freitas, A Tutorial on Bayesian Optimization of Expensive Cost Functions,
//! 2010; the contextual variance is from Willemsen, van Nieuwpoort and van Werkhoven, Bayesian
//! Optimization for auto-tuning GPU kernels, PMBS 2021.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use statrs::function::erf::erfc;

use crate::numeric::exponential;

/// How a candidate is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::strategies) enum Acquisition {
    /// By the mean of what it improves.
    ExpectedImprovement,
    /// By the probability that it improves at all.
    ProbabilityOfImprovement,
    /// By its mean less the exploration factor times its deviation.
    LowerConfidenceBound,
    /// By its mean less a number of deviations that grows with the evaluations, so that the regret
    /// has a bound (Srinivas, Krause, Kakade and Seeger 2010).
    SrinivasBound,
}

/// What is predicted of every candidate. One that is no longer free has an infinite mean.
#[derive(Debug, Clone, Default)]
pub(in crate::strategies) struct Outlook {
    /// The expected costs.
    pub(in crate::strategies) means: Vec<f32>,
    /// And how far from them the costs may be, in the same unit.
    pub(in crate::strategies) deviations: Vec<f32>,
}

/// What candidates are measured against, in the unit of the outlook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::strategies) struct Aim {
    /// The cost that counts as an improvement: the best so far, less a margin.
    pub(in crate::strategies) below: f64,
    /// The exploration factor.
    pub(in crate::strategies) exploration: f64,
    /// How many evaluations there were.
    pub(in crate::strategies) evaluations: usize,
    /// How many parameters have a choice.
    pub(in crate::strategies) axes: usize,
}

impl Outlook {
    /// Closes a candidate: it will not be chosen.
    pub(in crate::strategies) fn close(&mut self, slot: usize) {
        self.means[slot] = f32::INFINITY;
        self.deviations[slot] = 0.0;
    }

    /// The mean deviation of the free candidates; none if there are none.
    pub(in crate::strategies) fn mean_deviation(&self) -> Option<f64> {
        let all = self.means.iter().zip(&self.deviations);
        let free = all.filter(|(mean, _)| mean.is_finite());
        let (sum, n) = free.fold((0.0, 0), |(sum, n), (_, s)| (sum + f64::from(*s), n + 1));
        (n > 0).then(|| sum / f64::from(n))
    }

    fn pairs(&self) -> impl Iterator<Item = (f32, f32)> {
        self.means.iter().copied().zip(self.deviations.iter().copied())
    }
}

impl Acquisition {
    /// The free candidate that promises most, the first of equals; none if none is free.
    pub(in crate::strategies) fn choose(self, outlook: &Outlook, aim: &Aim) -> Option<usize> {
        match self {
            Self::ExpectedImprovement => most_improving(outlook, aim.below),
            // The probability grows with the deviations between mean and aim, and so is not needed.
            Self::ProbabilityOfImprovement => highest(standardised(outlook, aim.below)),
            Self::LowerConfidenceBound => lowest_bound(outlook, aim.exploration),
            Self::SrinivasBound => lowest_bound(outlook, aim.srinivas()),
        }
    }
}

impl Aim {
    /// √(2 ln(t^(d/2 + 2) π² / 3δ)): Srinivas' number of deviations as Brochu et al. give it, with
    /// the exploration factor for δ.
    fn srinivas(&self) -> f64 {
        let t = self.evaluations.max(1) as f64;
        let power = self.axes as f64 / 2.0 + 2.0;
        let inside = power * t.ln() + (PI * PI / (3.0 * self.exploration)).ln();
        (2.0 * inside).max(0.0).sqrt()
    }
}

/// The exploration factor that falls with what the model is still unsure of and with what has been
/// gained. Deviations are means over all candidates, the first ones those after the initial
/// sample; costs are the mean of the initial sample and the best so far.
pub(in crate::strategies) fn contextual_variance(
    (deviation, first_deviation): (f64, f64),
    (best, first_cost): (f64, f64),
) -> f64 {
    if !best.is_finite() {
        0.01
    } else if best <= 0.0 {
        (deviation / best).abs().min(f64::MAX)
    } else {
        deviation * best / first_cost / first_deviation
    }
}

/// ln of the expected improvement of a standard normal variable over −z: ln(φ(z) + z Φ(z)).
pub(in crate::strategies) fn log_improvement(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / TAU.sqrt();
    let below = 0.5 * erfc(-z * FRAC_1_SQRT_2);
    if z > -6.0 {
        return (density + z * below).max(f64::MIN_POSITIVE).ln();
    }
    // The first terms of the asymptotic series; the difference above has lost its digits here.
    let z2 = z * z;
    -0.5 * z2 - 0.5 * TAU.ln() - z2.ln() + (1.0 - 3.0 / z2 + 15.0 / (z2 * z2)).ln()
}

/// How many deviations each mean is below the aim.
fn standardised(outlook: &Outlook, below: f64) -> impl Iterator<Item = f32> {
    let below = below as f32;
    outlook.pairs().map(move |(mean, s)| (below - mean) / (s + f32::MIN_POSITIVE))
}

fn lowest_bound(outlook: &Outlook, deviations: f64) -> Option<usize> {
    let deviations = deviations as f32;
    highest(outlook.pairs().map(|(mean, s)| deviations * s - mean))
}

/// The candidate of the highest expected improvement σ τ(z), τ(z) = φ(z) + z Φ(z).
///
/// Exact values cost an error function, so only candidates get one whose upper bound is not below
/// the value of the one with the highest bound: τ(z) ≤ max(z, 0) + φ(z) / (1 + z²), by Gordon's
/// inequality for Mills' ratio (1941). The bound is tight enough to leave but a few.
fn most_improving(outlook: &Outlook, below: f64) -> Option<usize> {
    let z: Vec<f32> = standardised(outlook, below).collect();
    let nearest = z[highest(z.iter().copied())?];
    // Everything is relative to the density at the nearest, or far from the aim all would be zero.
    let nearest = nearest.min(0.0);
    let root = TAU.sqrt() as f32;
    let bound = |z: f32, s: f32| {
        // Held where no product is subnormal: these take a hundred times as long.
        let density = exponential((0.5 * (nearest - z) * (nearest + z)).max(-50.0));
        s * (z.max(0.0) * root + density / (1.0 + z * z))
    };
    let bounds: Vec<f32> = z.iter().zip(&outlook.deviations).map(|(z, s)| bound(*z, *s)).collect();
    let exact = |slot: usize| {
        let (z, s) = (f64::from(z[slot]), f64::from(outlook.deviations[slot]));
        s.ln() + log_improvement(z) + 0.5 * f64::from(nearest).powi(2) + 0.5 * TAU.ln()
    };
    let first = highest(bounds.iter().copied())?;
    let mut best = (first, exact(first));
    // A thousandth less, for what single precision rounds.
    let enough = (best.1.exp() * 0.999) as f32;
    for (slot, bound) in bounds.iter().enumerate() {
        if *bound >= enough && outlook.means[slot].is_finite() {
            let value = exact(slot);
            if value > best.1 || (slot < best.0 && value >= best.1) {
                best = (slot, value);
            }
        }
    }
    Some(best.0)
}

/// Where the highest finite number is, the first of equals.
fn highest(values: impl Iterator<Item = f32>) -> Option<usize> {
    let mut best = (None, f32::NEG_INFINITY);
    for (slot, value) in values.enumerate() {
        if value > best.1 {
            best = (Some(slot), value);
        }
    }
    best.0
}

#[cfg(test)]
#[path = "acquisition_tests.rs"]
mod tests;
