//! Acquisition functions over predicted means and deviations of candidates; lower costs are better.
//! Brochu, Cora and de Freitas, A Tutorial on Bayesian Optimization of Expensive Cost Functions,
//! 2010; the contextual variance is from Willemsen, van Nieuwpoort and van Werkhoven, Bayesian
//! Optimization for auto-tuning GPU kernels, PMBS 2021.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use math::exponential;
use statrs::function::erf::erfc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acquisition {
    /// The mean improvement.
    ExpectedImprovement,
    /// The probability of any improvement.
    ProbabilityOfImprovement,
    /// The mean less the exploration factor times the deviation.
    LowerConfidenceBound,
    /// The mean less a number of deviations that grows with the evaluations, so that the regret has
    /// a bound (Srinivas, Krause, Kakade and Seeger 2010).
    SrinivasBound,
}

/// Predictions for every candidate. A closed candidate has an infinite mean.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outlook {
    pub(crate) means: Vec<f32>,
    /// Standard deviations of the predictions, in the same unit.
    pub(crate) deviations: Vec<f32>,
}

/// What candidates are compared with, in the unit of the outlook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Aim {
    /// The cost that counts as an improvement: the best so far, less a margin.
    pub(crate) below: f64,
    pub(crate) exploration: f64,
    /// ζ of Srinivas' bound: factor of the squared number of deviations.
    pub(crate) zeta: f64,
    pub(crate) evaluations: usize,
    /// Number of parameters with several values.
    pub(crate) axes: usize,
}

impl Outlook {
    /// Closes a candidate: it will not be chosen.
    pub(crate) fn close(&mut self, slot: usize) {
        self.means[slot] = f32::INFINITY;
        self.deviations[slot] = 0.0;
    }

    /// Mean deviation of the free candidates, if there are any.
    pub(crate) fn mean_deviation(&self) -> Option<f64> {
        self.mean_power(1)
    }

    /// Mean variance of the free candidates, if there are any.
    pub(crate) fn mean_variance(&self) -> Option<f64> {
        self.mean_power(2)
    }

    /// Mean over the free candidates of their deviations, each to a power.
    fn mean_power(&self, power: i32) -> Option<f64> {
        let all = self.means.iter().zip(&self.deviations);
        let free = all.filter(|(mean, _)| mean.is_finite());
        let (sum, n) =
            free.fold((0.0, 0), |(sum, n), (_, s)| (sum + f64::from(*s).powi(power), n + 1));
        (n > 0).then(|| sum / f64::from(n))
    }

    fn pairs(&self) -> impl Iterator<Item = (f32, f32)> {
        self.means.iter().copied().zip(self.deviations.iter().copied())
    }
}

impl Acquisition {
    /// The most promising free candidate, the first of equals.
    pub(crate) fn choose(self, outlook: &Outlook, aim: &Aim) -> Option<usize> {
        match self {
            Self::ExpectedImprovement => most_improving(outlook, aim.below),
            // The probability rises with this number of deviations, so it need not be computed.
            Self::ProbabilityOfImprovement => highest(standardised(outlook, aim.below)),
            Self::LowerConfidenceBound => lowest_bound(outlook, aim.exploration),
            Self::SrinivasBound => lowest_bound(outlook, aim.srinivas()),
        }
    }
}

impl Aim {
    /// √(2 ζ ln(t^(d/2 + 2) π² / 3δ)): the number of deviations of Srinivas' bound as in Brochu et
    /// al., with `exploration` for δ.
    fn srinivas(&self) -> f64 {
        let t = self.evaluations.max(1) as f64;
        let power = self.axes as f64 / 2.0 + 2.0;
        let inside = power * t.ln() + (PI * PI / (3.0 * self.exploration)).ln();
        (2.0 * self.zeta * inside).max(0.0).sqrt()
    }
}

/// Exploration factor that falls with the model's uncertainty and with the improvement so far.
/// Deviations (or variances) are means over all candidates: now, and after the initial sample.
/// Costs are the best so far, and the mean of the initial sample.
pub(crate) fn contextual_variance(
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
pub(crate) fn log_improvement(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / TAU.sqrt();
    let below = 0.5 * erfc(-z * FRAC_1_SQRT_2);
    if z > -6.0 {
        return (density + z * below).max(f64::MIN_POSITIVE).ln();
    }
    // First terms of the asymptotic series, since the sum above has lost its digits here.
    let z2 = z * z;
    -0.5 * z2 - 0.5 * TAU.ln() - z2.ln() + (1.0 - 3.0 / z2 + 15.0 / (z2 * z2)).ln()
}

/// How many deviations each mean lies below the aim.
fn standardised(outlook: &Outlook, below: f64) -> impl Iterator<Item = f32> {
    let below = below as f32;
    outlook.pairs().map(move |(mean, s)| (below - mean) / (s + f32::MIN_POSITIVE))
}

fn lowest_bound(outlook: &Outlook, deviations: f64) -> Option<usize> {
    let deviations = deviations as f32;
    highest(outlook.pairs().map(|(mean, s)| deviations * s - mean))
}

/// The candidate with the highest expected improvement σ τ(z), where τ(z) = φ(z) + z Φ(z).
///
/// Exact values need an error function. They are computed only for candidates whose upper bound
/// reaches the exact value of the candidate with the highest bound. The bound is τ(z) ≤ max(z, 0) +
/// φ(z) / (1 + z²), by Gordon's inequality for Mills' ratio (1941). Few candidates reach it.
fn most_improving(outlook: &Outlook, below: f64) -> Option<usize> {
    let z: Vec<f32> = standardised(outlook, below).collect();
    let nearest = z[highest(z.iter().copied())?];
    // Densities are relative to that of the nearest candidate: far from the aim, all would be zero.
    let nearest = nearest.min(0.0);
    let root = TAU.sqrt() as f32;
    let bound = |z: f32, s: f32| {
        // Limited so that no product is subnormal, which would take a hundred times as long.
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
    // A thousandth less, to allow for rounding in single precision.
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

/// Position of the highest finite number, the first of equals.
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
