//! Penalty on the score of a configuration whose error exceeds its bound.
//!
//! With `x = log₁₀(error) − log₁₀(bound)`, the orders of magnitude beyond the bound, the score is
//! made worse by a factor `f ≥ 1`: `1 + β·x` (linear) or `e^(β·x)` (decay, after the decaying
//! reward `speedup · e^(β·(τ − log₁₀ error))`). Scores are lower-is-better: a positive one is
//! multiplied by `f`, a negative one (a negated throughput) divided. It steers the search only:
//! what is reported as best satisfies the bound.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// How an error beyond its bound is weighed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyKind {
    /// As if it had failed
    Hard,
    /// In proportion to the orders of magnitude beyond the bound
    Linear,
    /// Exponentially in those orders of magnitude
    #[default]
    Decay,
}

/// What an error beyond its bound costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default)]
pub struct Penalty {
    /// How errors beyond the bound steer the search
    #[arg(long = "penalty", value_enum, default_value_t = Self::default().kind)]
    pub kind: PenaltyKind,
    /// The strength of a linear or decaying penalty
    #[arg(long, default_value_t = Self::default().beta, allow_negative_numbers = true)]
    pub beta: f64,
}

impl Default for Penalty {
    fn default() -> Self {
        Self { kind: PenaltyKind::default(), beta: 1.0 }
    }
}

impl Penalty {
    /// The score (lower is better) after the penalty; `None` if none, as for an infinite error.
    #[must_use]
    pub fn apply(self, score: f64, error: f64, bound: f64) -> Option<f64> {
        if error <= bound {
            return Some(score);
        }
        // A bound of zero has no logarithm: the smallest positive number replaces it.
        let excess = error.log10() - bound.max(f64::MIN_POSITIVE).log10();
        if !excess.is_finite() {
            return None;
        }
        let factor = match self.kind {
            PenaltyKind::Hard => return None,
            PenaltyKind::Linear => 1.0 + self.beta * excess,
            PenaltyKind::Decay => (self.beta * excess).exp(),
        };
        let worse = if score >= 0.0 { score * factor } else { score / factor };
        worse.is_finite().then_some(worse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Penalty; 3] =
        [of(PenaltyKind::Hard, 1.0), of(PenaltyKind::Linear, 1.0), of(PenaltyKind::Decay, 1.0)];

    const fn of(kind: PenaltyKind, beta: f64) -> Penalty {
        Penalty { kind, beta }
    }

    #[test]
    fn within_the_bound_nothing_changes() {
        for penalty in ALL {
            assert_eq!(penalty.apply(2.0, 1e-5, 1e-4), Some(2.0));
            assert_eq!(penalty.apply(-2.0, 1e-4, 1e-4), Some(-2.0));
            assert_eq!(penalty.apply(2.0, 0.0, 0.0), Some(2.0));
        }
    }

    #[test]
    fn beyond_the_bound_scores_get_worse_whatever_their_sign() {
        assert_eq!(of(PenaltyKind::Hard, 1.0).apply(2.0, 1e-3, 1e-4), None);
        for penalty in &ALL[1..] {
            let mut previous = (2.0, -2.0);
            for error in [1e-3, 1e-2, 1.0, 1e3] {
                let time = penalty.apply(2.0, error, 1e-4).expect("a score");
                let rate = penalty.apply(-2.0, error, 1e-4).expect("a score");
                assert!(time > previous.0 && rate > previous.1 && rate < 0.0);
                previous = (time, rate);
            }
        }
    }

    #[test]
    fn one_order_of_magnitude_costs_what_the_formula_says() {
        let decay = of(PenaltyKind::Decay, 2.3).apply(1.0, 1e-3, 1e-4).expect("a score");
        assert!((decay - 2.3f64.exp()).abs() < 1e-9);
        let linear = of(PenaltyKind::Linear, 0.5).apply(1.0, 1e-2, 1e-4).expect("a score");
        assert!((linear - 2.0).abs() < 1e-9);
    }

    #[test]
    fn an_error_that_is_not_finite_has_no_score() {
        for penalty in ALL {
            assert_eq!(penalty.apply(1.0, f64::NAN, 1e-4), None);
            assert_eq!(penalty.apply(1.0, f64::INFINITY, 1e-4), None);
        }
    }
}
