//! Results of a comparison of strategies.

use crate::scoring::{Landscape, ScoredStrategy, Standing};

pub(super) struct Scored {
    pub(super) landscapes: Vec<Landscape>,
    pub(super) strategies: Vec<ScoredStrategy>,
    /// By strategy, then by landscape.
    pub(super) standings: Vec<Vec<Standing>>,
    /// Indices of strategies, best score first.
    pub(super) ranking: Vec<usize>,
    pub(super) evaluations: Vec<usize>,
    pub(super) repeats: usize,
    pub(super) seed: u64,
}
