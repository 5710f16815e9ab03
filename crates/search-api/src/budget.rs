//! Limits of a search, and what it has spent.

/// Limits of a search. Without limits, it ends when every configuration is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Limit of evaluations of different configurations.
    pub evaluations: Option<u64>,
    /// Limit of the cost in seconds, as charged for compiling, checking and measuring.
    pub cost_seconds: Option<f64>,
    /// The cost does not end a search before this many evaluations.
    pub at_least: u64,
}

impl Budget {
    /// A limit of evaluations only.
    #[must_use]
    pub fn evaluations(count: u64) -> Self {
        Self { evaluations: Some(count), ..Self::default() }
    }
}

/// What a search has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Evaluations of different configurations.
    pub evaluations: u64,
    /// Limit of evaluations: that of the budget, but at most the size of the space.
    pub limit: Option<u64>,
    /// Share of the budget that is spent, 0 to 1; 0 without a limit.
    pub fraction: f64,
    /// Cost charged so far, in seconds.
    pub cost_seconds: f64,
}

impl Spent {
    /// Evaluations that are left, if limited; a limit of cost is divided by the mean cost so far.
    #[must_use]
    pub fn evaluations_left(&self) -> Option<u64> {
        let counted = self.limit.map(|limit| limit.saturating_sub(self.evaluations));
        let charged = (self.fraction > 0.0 && self.evaluations > 0).then(|| {
            (self.evaluations as f64 * (1.0 - self.fraction) / self.fraction).ceil() as u64
        });
        match (counted, charged) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}
