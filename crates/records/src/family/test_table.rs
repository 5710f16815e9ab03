//! The final table of a family: the best candidate and other strategies on unseen spaces.

use serde::{Deserialize, Serialize};

/// The final table, made once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TestTable {
    /// Number of the candidate that was the best.
    pub best: u64,
    /// Runs of each strategy on each space.
    pub repeats: u32,
    /// Seed of the first run.
    pub seed: u64,
    /// Names of the spaces.
    pub spaces: Vec<String>,
    /// The strategies, the best candidate first.
    pub rows: Vec<TestRow>,
    /// Seconds that the table took.
    pub seconds: f64,
}

/// A strategy in the final table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TestRow {
    /// The strategy with its settings.
    pub strategy: String,
    /// Mean score over the spaces: 0 is random search, 1 the optimum.
    pub score: f64,
    /// Standard error of the score, from resampled runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The score on each space, with its standard error.
    pub spaces: Vec<(f64, Option<f64>)>,
    /// How much better the best candidate is; `None` in its own row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// How much better one strategy is than another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Difference of the scores.
    pub score: f64,
    /// 95 % interval of the difference on these spaces, from both standard errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// 95 % interval of the difference over resampled spaces: estimates it for similar spaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_spaces: Option<(f64, f64)>,
    /// Spaces on which it is better.
    pub better_on: u64,
    /// Probability that a run of the first ends better than a run of the second; ties count half.
    pub wins: f64,
}
