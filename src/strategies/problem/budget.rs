//! How much a search may cost and how much it has.

/// Limits of a search; with none, it ends when everything is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Most evaluations of different configurations.
    pub evaluations: Option<u64>,
    /// Most cost in seconds, as charged for compiling, checking and measuring.
    pub cost_seconds: Option<f64>,
    /// The cost does not end a search before so many evaluations.
    pub at_least: u64,
}

impl Budget {
    /// So many evaluations, and no other limit.
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
    /// The most there may be: the budget's, and never more than the space has.
    pub limit: Option<u64>,
    /// The share of the budget that is spent, 0 to 1; 0 when there is no limit.
    pub fraction: f64,
    /// The cost charged so far.
    pub cost_seconds: f64,
}

impl Spent {
    /// How many evaluations are left, as far as that is known; estimated from the cost so far
    /// when only the cost is limited.
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
