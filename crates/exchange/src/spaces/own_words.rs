//! Our own members in other programs' files, for what their formats cannot express.

use records::Status;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use space::Value;

/// Name of our member.
pub const OWN_MEMBER: &str = "autobench";

/// Our member of a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnRow {
    /// How the trial ended, where the format cannot express it exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Reason of the outcome.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Members that the format has no place for.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Json>,
}

/// Our member about all rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnHeader {
    /// Device.
    pub device: String,
    /// Kernel.
    pub kernel: String,
    /// Problem size, in words.
    pub problem_size: String,
    /// Parameters and their values.
    pub parameters: Vec<(String, Vec<Value>)>,
    /// Members that the format has no place for.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Json>,
}
