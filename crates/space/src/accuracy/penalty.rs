//! Penalties for configurations whose error exceeds its bound.
//!
//! `x` is the excess in orders of magnitude: log₁₀(error) − log₁₀(bound), summed over all bounds.
//! Lower costs are better. `s` is the speed-up over the first configuration of the search. Three
//! forms are those of the accuracy-aware Kernel Tuner:
//!
//! - hard: the configuration counts as a failure;
//! - linear: the reward is `s` within the bounds and `−α·x` beyond them, regardless of speed;
//! - decay: the reward is `s·e^(−β·x)`, so the cost grows by `e^(β·x)`.
//!
//! A fourth form is our own:
//!
//! - factor: the cost grows by `1 + β·x`.
//!
//! Penalties only steer the search: the reported best configuration keeps to its bounds.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// How a value beyond its bound is penalised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyKind {
    /// Counts as a failure
    Hard,
    /// Replaces the cost by the orders of magnitude beyond the bound; speed does not count
    Linear,
    /// Raises the cost exponentially with the orders of magnitude beyond the bound
    #[default]
    Decay,
    /// Raises the cost linearly with the orders of magnitude beyond the bound
    Factor,
}

/// Penalties of values beyond their bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(from = "WrittenPenalty")]
pub struct Penalty {
    /// How values beyond their bounds steer the search
    #[arg(long = "penalty", value_enum, default_value_t = Self::default().kind)]
    pub kind: PenaltyKind,
    /// The strength of the linear penalty
    #[arg(long, default_value_t = Self::default().alpha)]
    pub alpha: f64,
    /// The strength of the penalties `decay` and `factor`
    #[arg(long, default_value_t = Self::default().beta)]
    pub beta: f64,
}

/// A penalty as records store it. Records without α use the name `linear` for today's `factor`.
#[derive(Deserialize)]
#[serde(default)]
struct WrittenPenalty {
    kind: PenaltyKind,
    alpha: Option<f64>,
    beta: f64,
}

impl Default for WrittenPenalty {
    fn default() -> Self {
        let Penalty { kind, beta, .. } = Penalty::default();
        Self { kind, alpha: None, beta }
    }
}

impl From<WrittenPenalty> for Penalty {
    fn from(written: WrittenPenalty) -> Self {
        let kind = match (written.kind, written.alpha) {
            (PenaltyKind::Linear, None) => PenaltyKind::Factor,
            (kind, _) => kind,
        };
        let alpha = written.alpha.unwrap_or(Self::default().alpha);
        Self { kind, alpha, beta: written.beta }
    }
}

impl Default for Penalty {
    fn default() -> Self {
        Self { kind: PenaltyKind::default(), alpha: 1.0, beta: 1.0 }
    }
}

impl Penalty {
    /// The score of a cost in a search whose first configuration costs `first`; lower is better.
    /// `excess` is how many orders of magnitude the error is beyond the bounds. `None` if the
    /// configuration counts as a failure.
    #[must_use]
    pub fn apply(self, cost: f64, excess: f64, first: f64) -> Option<f64> {
        let factor = match self.kind {
            PenaltyKind::Linear if excess == 0.0 => return finite(-speed_up(cost, first)),
            PenaltyKind::Linear => return finite(self.alpha * excess),
            _ if excess == 0.0 => return Some(cost),
            PenaltyKind::Hard => return None,
            PenaltyKind::Decay => (self.beta * excess).exp(),
            PenaltyKind::Factor => 1.0 + self.beta * excess,
        };
        finite(if cost >= 0.0 { cost * factor } else { cost / factor })
    }
}

/// `first / cost`. Costs that may be negative, such as logarithms, have no ratio; for these a
/// positive number that grows as the cost falls.
fn speed_up(cost: f64, first: f64) -> f64 {
    /// Upper limit of the speed-up, reached where the cost is 0.
    const MOST: f64 = 1e12;
    if first > 0.0 && cost >= 0.0 {
        return (first / cost).min(MOST);
    }
    let apart = (first - cost) / first.abs().max(1.0);
    apart.exp().min(MOST)
}

fn finite(score: f64) -> Option<f64> {
    score.is_finite().then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn of(kind: PenaltyKind, strength: f64) -> Penalty {
        Penalty { kind, alpha: strength, beta: strength }
    }

    #[test]
    fn within_the_bounds_the_order_is_that_of_the_costs() {
        for kind in PenaltyKind::value_variants() {
            let score = |cost| of(*kind, 1.0).apply(cost, 0.0, 2.0).expect("a score");
            assert!(score(1.0) < score(1.5) && score(1.5) < score(30.0), "{kind:?}");
        }
        assert_eq!(of(PenaltyKind::Decay, 1.0).apply(2.0, 0.0, 5.0), Some(2.0));
        assert_eq!(of(PenaltyKind::Decay, 1.0).apply(-2.0, 0.0, 5.0), Some(-2.0));
        assert_eq!(of(PenaltyKind::Linear, 1.0).apply(2.0, 0.0, 5.0), Some(-2.5));
    }

    #[test]
    fn beyond_the_bounds_scores_get_worse_with_the_distance() {
        assert_eq!(of(PenaltyKind::Hard, 1.0).apply(2.0, 0.1, 2.0), None);
        for kind in [PenaltyKind::Linear, PenaltyKind::Decay, PenaltyKind::Factor] {
            for cost in [2.0, if kind == PenaltyKind::Linear { 3.0 } else { -2.0 }] {
                let score = |excess| of(kind, 1.0).apply(cost, excess, 2.0).expect("a score");
                assert!(score(0.5) < score(1.0) && score(1.0) < score(3.0), "{kind:?} {cost}");
                assert!(score(0.0) < score(0.5), "{kind:?} {cost}");
            }
        }
    }

    #[test]
    fn the_paper_s_linear_penalty_does_not_know_the_speed() {
        let linear = of(PenaltyKind::Linear, 2.0);
        assert_eq!(linear.apply(1.0, 0.5, 7.0), Some(1.0));
        assert_eq!(linear.apply(1e-9, 0.5, 7.0), Some(1.0));
        // Any cost within the bounds is better, however slow.
        assert!(linear.apply(1e9, 0.0, 7.0) < linear.apply(1e-9, 1e-6, 7.0));
    }

    #[test]
    fn an_order_of_magnitude_costs_what_the_formula_says() {
        // LavaMD in the paper: 3.5 times as fast and 0.49 orders beyond the bound, β = 2.3.
        let decay = of(PenaltyKind::Decay, 2.3).apply(1.0 / 3.5, 0.49, 1.0).expect("a score");
        assert!((1.0 / decay - 1.134).abs() < 1e-3, "{decay}");
        let factor = of(PenaltyKind::Factor, 0.5).apply(1.0, 2.0, 1.0).expect("a score");
        assert!((factor - 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_linear_penalty_orders_costs_of_any_sign() {
        let score = |cost, first| of(PenaltyKind::Linear, 1.0).apply(cost, 0.0, first);
        assert!(score(0.0, 2.0) < score(1e-9, 2.0) && score(1e-9, 2.0) < score(1.0, 2.0));
        assert!(score(-15.0, -6.0) < score(-6.0, -6.0) && score(-6.0, -6.0) < score(-2.0, -6.0));
        assert!(score(0.0, 0.0) < score(1.0, 0.0) && score(1.0, 0.0) < Some(0.0));
    }

    #[test]
    fn what_earlier_versions_called_linear_is_a_factor() {
        let read = |text| serde_json::from_str::<Penalty>(text).expect(text).kind;
        assert_eq!(read(r#"{"kind":"linear","beta":2}"#), PenaltyKind::Factor);
        assert_eq!(read(r#"{"kind":"linear","alpha":1,"beta":2}"#), PenaltyKind::Linear);
        assert_eq!(read("{}"), PenaltyKind::Decay);
    }

    #[test]
    fn what_is_not_finite_has_no_score() {
        for kind in PenaltyKind::value_variants() {
            assert_eq!(of(*kind, 1.0).apply(1.0, f64::NAN, 1.0), None);
            assert_eq!(of(*kind, 1.0).apply(1.0, f64::INFINITY, 1.0), None);
        }
    }
}
