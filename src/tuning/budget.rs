//! How much a search may spend: evaluations, and the charged cost of its trials.

use serde::{Deserialize, Serialize};

/// The budget of one search. Costs are what trials were charged (and the journal kept), never a
/// clock: a search repeated from its journal spends the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Most evaluations of distinct configurations.
    pub evaluations: u64,
    /// Most charged seconds.
    pub seconds: f64,
}

impl Budget {
    /// The share used, from 0 to 1: the larger of the two.
    #[must_use]
    pub fn used(&self, evaluations: u64, seconds: f64) -> f64 {
        let by_count = evaluations as f64 / self.evaluations.max(1) as f64;
        let by_time = if self.seconds > 0.0 { seconds / self.seconds } else { 1.0 };
        by_count.max(by_time).clamp(0.0, 1.0)
    }

    /// Whether another evaluation may start. The first always may: a size without its default
    /// configuration says nothing.
    #[must_use]
    pub fn allows(&self, evaluations: u64, seconds: f64) -> bool {
        evaluations == 0 || (evaluations < self.evaluations && seconds < self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whichever_runs_out_first_ends_it() {
        let budget = Budget { evaluations: 4, seconds: 10.0 };
        assert!(budget.allows(3, 9.0));
        assert!(!budget.allows(4, 0.0));
        assert!(!budget.allows(1, 10.0));
        assert!((budget.used(1, 5.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn one_evaluation_is_always_allowed() {
        assert!(Budget { evaluations: 0, seconds: 0.0 }.allows(0, 0.0));
    }
}
