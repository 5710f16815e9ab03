//! `suite.json`: the suite as it was read, and all its studies. Written before the first study.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{earlier_runs::SizeFrom, published::Published};

/// Format name in the record of a suite.
pub const SUITE_FORMAT: &str = "autobench-suite";

/// Version of the format that this program writes.
pub const SUITE_VERSION: u32 = 1;

/// A study of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedStudy {
    /// The study's name in tables.
    pub label: String,
    /// Arguments with which the program makes the same study by itself.
    pub argv: Vec<String>,
    /// Line of the study's entry in the suite's file.
    #[serde(default)]
    pub line: u64,
    /// The size that an earlier run gave this study, with `--sizes-from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sized: Option<SizeFrom>,
    /// Published results of the study.
    #[serde(default, skip_serializing_if = "Published::is_empty")]
    pub published: Published,
    /// 1-based numbers of the studies whose winning values are parameters of this study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winners_of: Vec<usize>,
    /// 1-based number of the run that gives this study its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_of: Option<usize>,
}

impl RecordedStudy {
    /// 1-based numbers of the studies that must end before this one begins.
    pub fn needs(&self) -> impl Iterator<Item = usize> {
        self.winners_of.iter().copied().chain(self.size_of)
    }
}

/// The record of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteRecord {
    /// Always [`SUITE_FORMAT`].
    pub format: String,
    /// Version of the format, at most [`SUITE_VERSION`].
    pub version: u32,
    /// Version of autobench.
    pub autobench: String,
    /// The command, as typed.
    pub argv: Vec<String>,
    /// When the suite started.
    pub started: DateTime<Utc>,
    /// Name of the suite.
    pub suite: String,
    /// The suite's purpose.
    #[serde(default)]
    pub about: String,
    /// Published results on which the suite is based, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<String>,
    /// How the spaces or machines differ from the published ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub differs: String,
    /// The file that was read, or the name of a built-in suite.
    pub origin: String,
    /// SHA-256 of the suite's text, in hex.
    pub hash: String,
    /// The suite's text.
    pub text: String,
    /// Whether the suite ran with its quick settings.
    #[serde(default)]
    pub quick: bool,
    /// For each figure, the 1-based numbers of the studies that it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Vec<usize>>,
    /// For each map, the 1-based numbers of the studies that it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<Vec<usize>>,
    /// The 1-based numbers of the studies whose curves are compared, those of a variation together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Vec<usize>>,
    /// The studies, in order.
    pub studies: Vec<RecordedStudy>,
}

impl SuiteRecord {
    /// The study with a number, from 1.
    #[must_use]
    pub fn study(&self, number: usize) -> Option<&RecordedStudy> {
        self.studies.get(number.checked_sub(1)?)
    }

    /// The label of the study with a number, from 1; empty without such a study.
    #[must_use]
    pub fn label(&self, number: usize) -> &str {
        self.study(number).map_or("", |study| &study.label)
    }

    /// The studies with their numbers, from 1.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &RecordedStudy)> {
        (1..).zip(&self.studies)
    }
}
