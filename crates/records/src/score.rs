//! `score.json`: a comparison of strategies on recorded spaces, with its request and its results.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{FolderError, LearntFrom, read_record};

/// File of the record of a comparison of strategies; written last.
pub const SCORE_FILE: &str = "score.json";
/// Word that marks a file as the record of a comparison of strategies.
pub const SCORE_FORMAT: &str = "autobench-score";
/// Version of the format that this program writes.
pub const SCORE_VERSION: u32 = 1;

/// Names of all score values; `docs/guide/files.md` defines them.
pub const SCORE_FIGURES: [&str; 23] = [
    "score",
    "ahead",
    "score_on_target",
    "score_of_others",
    "ahead_on_targets",
    "share_of_optimum",
    "share_within_bounds",
    "speed_up",
    "deviation_factor",
    "less_deviation",
    "wins",
    "faster_by_evaluations",
    "faster_by_time",
    "gain",
    "gain_over",
    "less_time",
    "run_seconds",
    "compile_share",
    "check_share",
    "benchmark_share",
    "framework_share",
    "strategy_share",
    "igd_plus",
];

/// Stands for all strategies of a comparison.
pub const EVERY_STRATEGY: &str = "all";

/// A comparison of strategies on recorded spaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreRecord {
    /// [`SCORE_FORMAT`].
    pub format: String,
    /// [`SCORE_VERSION`].
    pub version: u32,
    /// Version of autobench.
    pub autobench: String,
    /// When the comparison started.
    pub started: DateTime<Utc>,
    /// Wall seconds of the comparison.
    pub wall_seconds: f64,
    /// Runs of each strategy on each space.
    pub repeats: u32,
    /// Seed of the first run.
    pub seed: u64,
    /// The objectives of the searches.
    pub objectives: Vec<String>,
    /// The spaces.
    pub spaces: Vec<ScoredSpace>,
    /// The strategies, the best first.
    pub strategies: Vec<String>,
    /// The score value that sorts the strategies.
    pub headline: Headline,
    /// The strategy that `--choose` chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// All score values.
    pub rows: Vec<ScoreRow>,
}

/// The score value that stands for a strategy in one number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headline {
    /// Name of the score value.
    pub figure: String,
    /// Evaluations at which the value is taken; `None` for the whole runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<u64>,
}

/// A space that strategies ran on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoredSpace {
    /// Name of the space in tables.
    pub name: String,
    /// Number of configurations.
    pub configurations: u64,
    /// The kernel; empty if unknown.
    #[serde(default)]
    pub kernel: String,
    /// The device that it was recorded on; empty if unknown.
    #[serde(default)]
    pub device: String,
    /// The priors of the searches on this space.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnt_from: Vec<LearntFrom>,
}

/// A score value of one strategy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScoreRow {
    /// The strategy with its settings, or [`EVERY_STRATEGY`].
    pub strategy: String,
    /// The space; `None` for the mean over all spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Evaluations at which the value is taken; `None` for the whole runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<u64>,
    /// Name of the score value.
    pub figure: String,
    /// The strategy that this one is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The value; on a single space, the median over the runs. `None` if infinite or unknown.
    pub value: Option<f64>,
    /// Quartiles over the runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quartiles: Option<(f64, f64)>,
    /// 95 % interval of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Standard deviation over the spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Share of the runs that found a configuration within the bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<f64>,
}

impl ScoreRow {
    /// The row without its infinite and undefined values, which JSON cannot hold.
    #[must_use]
    pub fn finite(mut self) -> Self {
        let whole = |pair: &(f64, f64)| pair.0.is_finite() && pair.1.is_finite();
        self.value = self.value.filter(|value| value.is_finite());
        self.quartiles = self.quartiles.filter(whole);
        self.interval = self.interval.filter(whole);
        self.spread = self.spread.filter(|value| value.is_finite());
        self
    }
}

impl ScoreRecord {
    /// Reads `score.json` of a folder.
    ///
    /// # Errors
    /// If it cannot be read, is not such a record, or is of a later version.
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        read_record(&folder.join(SCORE_FILE), SCORE_FORMAT, SCORE_VERSION)
    }

    /// The headline's row of a strategy.
    #[must_use]
    pub fn answer_of(&self, strategy: &str) -> Option<&ScoreRow> {
        self.rows.iter().find(|row| {
            row.strategy == strategy
                && row.space.is_none()
                && row.against.is_none()
                && row.figure == self.headline.figure
                && row.evaluations == self.headline.evaluations
        })
    }

    /// The headline's row of the best strategy.
    #[must_use]
    pub fn best(&self) -> Option<&ScoreRow> {
        self.answer_of(self.strategies.first()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_left_out_of_rows() {
        let row = ScoreRow {
            value: Some(f64::INFINITY),
            interval: Some((1.0, f64::INFINITY)),
            quartiles: Some((1.0, 2.0)),
            spread: Some(f64::NAN),
            ..ScoreRow::default()
        };
        let finite = row.finite();
        assert_eq!((finite.value, finite.interval, finite.spread), (None, None, None));
        assert_eq!(finite.quartiles, Some((1.0, 2.0)));
        let text = serde_json::to_string(&finite).expect("JSON");
        assert_eq!(serde_json::from_str::<ScoreRow>(&text).expect(&text), finite);
    }
}
