//! A parameter's value, with Python's equality.

use std::{cmp::Ordering, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use super::expression::Num;

/// A scalar value, also in JSON. Compares as in Python: `1 == 1.0 == true`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`; counts as 1 or 0 in arithmetic.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text, such as the name of a number format.
    Text(Arc<str>),
}

impl Value {
    /// The value as a number; text has none.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.number().map(Num::as_f64)
    }

    /// The value as a whole number, if it is exactly one.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.number()? {
            Num::Int(i) => Some(i),
            Num::Float(f) => Num::Float(f).exact_int(),
        }
    }

    /// The value as text, if it is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Python's truth value: zero and the empty text are false.
    #[must_use]
    pub fn is_true(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Bool(b) => *b,
            Self::Int(i) => *i != 0,
            Self::Float(f) => *f != 0.0,
        }
    }

    pub(crate) fn number(&self) -> Option<Num> {
        match self {
            Self::Bool(b) => Some(Num::Int(i64::from(*b))),
            Self::Int(i) => Some(Num::Int(*i)),
            Self::Float(f) => Some(Num::Float(*f)),
            Self::Text(_) => None,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Value {
    /// Numbers compare with numbers and texts with texts; other pairs have no order.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => self.number()?.compare(other.number()?),
        }
    }
}

impl fmt::Display for Value {
    /// Writes the value as macros and CSV do: `8`, `0.5`, `2.0`, `true`, `f16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Self::Int(i)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Self::Float(x)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_across_their_kinds_and_text_is_not() {
        assert_eq!(Value::Int(1), Value::Float(1.0));
        assert_eq!(Value::Int(1), Value::Bool(true));
        assert_ne!(Value::Int(1), Value::from("1"));
        assert_ne!(Value::Int(i64::MAX), Value::Float(9_223_372_036_854_775_807.0));
    }

    #[test]
    fn json_keeps_every_kind() {
        let text = r#"[1,2.0,true,"f16",-0.5]"#;
        let values: Vec<Value> = serde_json::from_str(text).expect("scalars");
        assert!(matches!(values[0], Value::Int(1)));
        assert!(matches!(values[1], Value::Float(_)));
        assert!(matches!(values[2], Value::Bool(true)));
        assert_eq!(serde_json::to_string(&values).expect("json"), text);
    }

    #[test]
    fn values_print_as_macros_need_them() {
        let printed: Vec<String> =
            [Value::Int(8), Value::Float(2.0), Value::Bool(true), Value::from("f16")]
                .iter()
                .map(ToString::to_string)
                .collect();
        assert_eq!(printed, ["8", "2.0", "true", "f16"]);
    }
}
