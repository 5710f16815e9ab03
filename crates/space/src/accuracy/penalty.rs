//! What a configuration beyond its bounds costs a search.
//!
//! `x` is how far it is beyond them, in orders of magnitude: log₁₀(error) − log₁₀(bound), summed
//! over all bounds. Costs are lower-is-better. With `s` for the speed-up over the first
//! configuration of the search, the forms of the accuracy-aware Kernel Tuner are
//!
//! - hard: as if it had failed;
//! - linear: the reward is `s` within the bounds and `−α·x` beyond, whatever the speed;
//! - decay: the reward is `s·e^(−β·x)`, so the cost grows by `e^(β·x)`;
//!
//! and beside them
//!
//! - factor: the cost grows by `1 + β·x`.
//!
//! They steer the search only: what is reported as best keeps to its bounds.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// How a value beyond its bound is weighed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyKind {
    /// As if it had failed
    Hard,
    /// By the orders of magnitude beyond the bound alone, whatever the speed
    Linear,
    /// Exponentially in those orders of magnitude
    #[default]
    Decay,
    /// In proportion to those orders of magnitude
    Factor,
}

/// What values beyond their bounds cost.
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

/// A penalty as records have it. Those of versions without α call `factor` what is called so now by
/// the name `linear`.
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
    /// The score, lower is better, of a cost that is `excess` orders of magnitude beyond the bounds,
    /// in a search whose first configuration costs `first`; `None` if it counts as a failure.
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

/// How many times better than the first a cost is; of costs without ratios, as logarithms are, a
/// positive number that grows as they fall.
fn speed_up(cost: f64, first: f64) -> f64 {
    /// Most that counts, where the cost is nothing.
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
        // Anything within the bounds is better, however slow.
        assert!(linear.apply(1e9, 0.0, 7.0) < linear.apply(1e-9, 1e-6, 7.0));
    }

    #[test]
    fn an_order_of_magnitude_costs_what_the_formula_says() {
        // LavaMD of the paper: 3.5 times as fast and 0.49 orders beyond the bound, β = 2.3.
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
