//! What a comparison of strategies has found.

use crate::scoring::{Landscape, ScoredStrategy, Standing};

/// Everything that was found out.
pub(super) struct Scored {
    pub(super) landscapes: Vec<Landscape>,
    pub(super) strategies: Vec<ScoredStrategy>,
    /// By strategy, then by landscape.
    pub(super) standings: Vec<Vec<Standing>>,
    /// Sorted by the score, best first: indices of strategies.
    pub(super) ranking: Vec<usize>,
    pub(super) evaluations: Vec<usize>,
    pub(super) repeats: usize,
    pub(super) seed: u64,
}
