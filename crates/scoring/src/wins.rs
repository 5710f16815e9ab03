//! Which strategy ends better: probabilities over pairs of runs, with their uncertainty.

use std::cmp::Ordering;

use math::{mean, variance};

use super::Standing;

/// Standard errors on both sides of a 95 % interval.
const ERRORS: f64 = 1.96;

/// Probability that a run of one strategy ends better than a run of another, ties shared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wins {
    /// The share of all pairs of runs.
    pub probability: f64,
    /// Its standard error (DeLong, DeLong and Clarke-Pearson 1988); NaN for single runs.
    pub standard_error: f64,
}

impl Wins {
    /// The probability over the runs of two strategies on one space. O(runs²).
    #[must_use]
    pub fn on(one: &Standing, other: &Standing) -> Self {
        let (ours, theirs) = (&one.finals, &other.finals);
        let better = |a: f64, b: f64| match a.total_cmp(&b) {
            Ordering::Less => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 0.0,
        };
        let over = |values: &[f64], of: &dyn Fn(f64) -> f64| {
            mean(&values.iter().map(|value| of(*value)).collect::<Vec<_>>())
        };
        let of_ours: Vec<f64> = ours.iter().map(|a| over(theirs, &|b| better(*a, b))).collect();
        let of_theirs: Vec<f64> = theirs.iter().map(|b| over(ours, &|a| better(a, *b))).collect();
        let squares =
            variance(&of_ours) / ours.len() as f64 + variance(&of_theirs) / theirs.len() as f64;
        Self { probability: mean(&of_ours), standard_error: squares.sqrt() }
    }

    /// The mean over several spaces.
    #[must_use]
    pub fn over_spaces(one: &[Standing], other: &[Standing]) -> Self {
        let all: Vec<Self> = one.iter().zip(other).map(|(a, b)| Self::on(a, b)).collect();
        let squares: f64 = all.iter().map(|wins| wins.standard_error.powi(2)).sum();
        let probabilities: Vec<f64> = all.iter().map(|wins| wins.probability).collect();
        let standard_error = squares.sqrt() / all.len() as f64;
        Self { probability: mean(&probabilities), standard_error }
    }

    /// 95 % interval.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        let half = ERRORS * self.standard_error;
        ((self.probability - half).max(0.0), (self.probability + half).min(1.0))
    }
}

/// Probability that a run of `one` beats a run of `other`, ties shared, averaged over the spaces.
#[must_use]
pub fn beats(one: &[Standing], other: &[Standing]) -> f64 {
    Wins::over_spaces(one, other).probability
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(finals: &[f64]) -> Standing {
        Standing {
            score: 0.0,
            standard_error: None,
            performance: Vec::new(),
            errors: Vec::new(),
            fractions: Vec::new(),
            bests: Vec::new(),
            progress: Vec::new(),
            deviations: Vec::new(),
            finals: finals.to_vec(),
        }
    }

    #[test]
    fn pairs_are_counted_and_ties_shared() {
        // 1 beats 2 and 4; 3 beats 4: three of four. Both variances are 1/8, over two runs each.
        let wins = Wins::on(&standing(&[1.0, 3.0]), &standing(&[2.0, 4.0]));
        assert!((wins.probability - 0.75).abs() < 1e-15);
        assert!((wins.standard_error - 0.125_f64.sqrt()).abs() < 1e-12);
        assert!(wins.interval().0 < 0.75 && (wins.interval().1 - 1.0).abs() < 1e-15);
        let tied = Wins::on(&standing(&[2.0, f64::INFINITY]), &standing(&[2.0, f64::INFINITY]));
        assert!((tied.probability - 0.5).abs() < 1e-15);
        let (one, other) = ([standing(&[1.0])], [standing(&[2.0])]);
        assert!((beats(&one, &other) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn over_spaces_errors_add_in_squares() {
        let one = [standing(&[1.0, 3.0]), standing(&[1.0, 2.0])];
        let other = [standing(&[2.0, 4.0]), standing(&[3.0, 4.0])];
        let wins = Wins::over_spaces(&one, &other);
        assert!((wins.probability - 0.875).abs() < 1e-15);
        assert!((wins.standard_error - 0.125_f64.sqrt() / 2.0).abs() < 1e-12);
    }
}
