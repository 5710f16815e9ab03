//! The results of a strategy's runs.

use scoring::{Landscape, ScoredStrategy, Simulated};

pub(super) struct SimulatedRuns {
    pub(super) landscape: Landscape,
    pub(super) scored_strategy: ScoredStrategy,
    pub(super) runs: Vec<Simulated>,
    pub(super) first_seed: u64,
    /// Real seconds of all runs together.
    pub(super) wall: f64,
}

impl SimulatedRuns {
    /// The best value after each different configuration; `None` until a value is found.
    pub(super) fn best_so_far(&self, run: &Simulated) -> Vec<Option<f64>> {
        let values = run.order.iter().map(|id| self.landscape.cell(*id).value);
        let keep = |best: &mut Option<f64>, value: Option<f64>| {
            *best = match (*best, value) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            Some(*best)
        };
        values.scan(None, keep).collect()
    }
}
