//! `suite.json`: the suite as it was read, and every study of it; written before the first one.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::published::Published;

/// Word that marks a file as the record of a suite.
pub const SUITE_FORMAT: &str = "autobench-suite";

/// Version of the format that this program writes.
pub const SUITE_VERSION: u32 = 1;

/// A study of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedStudy {
    /// What it is called in tables.
    pub label: String,
    /// Arguments of the program that make the same study alone.
    pub argv: Vec<String>,
    /// Line of its entry in the suite's text.
    #[serde(default)]
    pub line: u64,
    /// Folder of the study whose knee is its size, if it was chosen so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_from: Option<String>,
    /// What was published of it.
    #[serde(default, skip_serializing_if = "Published::is_empty")]
    pub published: Published,
    /// Numbers, from 1, of the studies whose winners are its parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winners_of: Vec<usize>,
}

/// A suite before its first study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteRecord {
    /// [`SUITE_FORMAT`].
    pub format: String,
    /// [`SUITE_VERSION`].
    pub version: u32,
    /// Version of autobench.
    pub autobench: String,
    /// The command, as typed.
    pub argv: Vec<String>,
    /// When it started.
    pub started: DateTime<Utc>,
    /// Name of the suite.
    pub suite: String,
    /// What it is for.
    #[serde(default)]
    pub about: String,
    /// What was published before, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<String>,
    /// In what its spaces or machines differ from the published ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub differs: String,
    /// File that it was read from, or the name of a built-in suite.
    pub origin: String,
    /// SHA-256 of its text, in hex.
    pub hash: String,
    /// Its text.
    pub text: String,
    /// Whether it was made quick.
    #[serde(default)]
    pub quick: bool,
    /// Numbers, from 1, of the studies that its figures show side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Vec<usize>>,
    /// Its studies, in order.
    pub studies: Vec<RecordedStudy>,
}

impl SuiteRecord {
    /// Numbers of the studies, from 1, with the studies.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &RecordedStudy)> {
        (1..).zip(&self.studies)
    }
}
