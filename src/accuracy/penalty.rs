//! What an error beyond its bound does to a score while the search goes on.
//!
//! With `x = log₁₀(error) − log₁₀(bound)`, the orders of magnitude beyond the bound, the score is
//! made worse by a factor `f ≥ 1`: `1 + slope·x` (linear) or `e^(β·x)` (decay, after the decaying
//! reward `speedup · e^(β·(τ − log₁₀ error))`). Scores are lower-is-better: a positive score is
//! multiplied by `f`, a negative one (a negated throughput) divided. Within the bound nothing
//! changes. A penalty steers the search only: what is reported as best satisfies the bound.

use std::{fmt, str::FromStr};

/// How an error beyond its bound is weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// It has no score at all.
    Hard,
    /// The factor grows by `slope` per order of magnitude.
    Linear {
        /// Growth per order of magnitude.
        slope: f64,
    },
    /// The factor grows by `e^beta` per order of magnitude.
    Decay {
        /// Rate per order of magnitude.
        beta: f64,
    },
}

impl Default for Penalty {
    fn default() -> Self {
        Self::Decay { beta: 1.0 }
    }
}

impl Penalty {
    /// The score (lower is better) of something with this error, or `None` when it has none.
    /// An error that is not finite never has one.
    #[must_use]
    pub fn apply(self, score: f64, error: f64, bound: f64) -> Option<f64> {
        if error <= bound {
            return Some(score);
        }
        // A bound of zero has no logarithm: the smallest positive number stands for it.
        let excess = error.log10() - bound.max(f64::MIN_POSITIVE).log10();
        if !excess.is_finite() {
            return None;
        }
        let factor = match self {
            Self::Hard => return None,
            Self::Linear { slope } => 1.0 + slope * excess,
            Self::Decay { beta } => (beta * excess).exp(),
        };
        let worse = if score >= 0.0 { score * factor } else { score / factor };
        worse.is_finite().then_some(worse)
    }
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hard => f.write_str("hard"),
            Self::Linear { slope } => write!(f, "linear:{slope}"),
            Self::Decay { beta } => write!(f, "decay:{beta}"),
        }
    }
}

/// No penalty is written like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no penalty named `{0}` (known: hard, linear, linear:SLOPE, decay, decay:BETA)")]
pub struct UnknownPenalty(String);

impl FromStr for Penalty {
    type Err = UnknownPenalty;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownPenalty(text.to_owned());
        let (name, rate) = text.split_once(':').map_or((text, None), |(n, r)| (n, Some(r)));
        let rate = match rate {
            None => 1.0,
            Some(digits) => digits
                .parse::<f64>()
                .ok()
                .filter(|rate| rate.is_finite() && *rate >= 0.0)
                .ok_or_else(unknown)?,
        };
        match name {
            "hard" if !text.contains(':') => Ok(Self::Hard),
            "linear" => Ok(Self::Linear { slope: rate }),
            "decay" => Ok(Self::Decay { beta: rate }),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Penalty; 3] =
        [Penalty::Hard, Penalty::Linear { slope: 1.0 }, Penalty::Decay { beta: 1.0 }];

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
        assert_eq!(Penalty::Hard.apply(2.0, 1e-3, 1e-4), None);
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
        let decay = Penalty::Decay { beta: 2.3 }.apply(1.0, 1e-3, 1e-4).expect("a score");
        assert!((decay - 2.3f64.exp()).abs() < 1e-9);
        let linear = Penalty::Linear { slope: 0.5 }.apply(1.0, 1e-2, 1e-4).expect("a score");
        assert!((linear - 2.0).abs() < 1e-9);
    }

    #[test]
    fn an_error_that_is_not_finite_has_no_score() {
        for penalty in ALL {
            assert_eq!(penalty.apply(1.0, f64::NAN, 1e-4), None);
            assert_eq!(penalty.apply(1.0, f64::INFINITY, 1e-4), None);
        }
    }

    #[test]
    fn texts_are_read_back() {
        for penalty in [Penalty::Hard, Penalty::Linear { slope: 0.5 }, Penalty::Decay { beta: 2.3 }]
        {
            assert_eq!(penalty.to_string().parse(), Ok(penalty));
        }
        assert_eq!("decay".parse(), Ok(Penalty::default()));
        for bad in ["soft", "decay:x", "decay:-1", "hard:1", ""] {
            assert!(bad.parse::<Penalty>().is_err(), "{bad}");
        }
    }
}
