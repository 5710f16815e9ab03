//! What other programs' formats have no words for and their files carry in ours, under one name.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{records::Status, space::Value};

/// The member that holds them.
pub const OWN_MEMBER: &str = "autobench";

/// Of a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnRow {
    /// How the trial ended, where the format cannot say it exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Members that the format has no place for.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Json>,
}

/// Of all rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnHeader {
    /// The device.
    pub device: String,
    /// The kernel.
    pub kernel: String,
    /// The problem size, in words.
    pub problem_size: String,
    /// The parameters and their values.
    pub parameters: Vec<(String, Vec<Value>)>,
    /// Members that the format has no place for.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Json>,
}
