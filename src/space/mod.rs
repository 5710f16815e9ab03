//! space (stand-in until the space branch lands)
use std::sync::Arc;
use serde::{Deserialize, Serialize};
/// A parameter's value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Truth.
    Bool(bool),
    /// Whole number.
    Int(i64),
    /// Number.
    Float(f64),
    /// Text.
    Text(Arc<str>),
}
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(b) => write!(f, "{b}"),
            Value::Float(b) => write!(f, "{b}"),
            Value::Text(b) => write!(f, "{b}"),
        }
    }
}
