//! Finds values in a list without comparing them with each: lists may have many thousands.

use std::{collections::HashMap, sync::Arc};

use rustc_hash::FxBuildHasher;

use super::Value;

/// Equal for equal values: `1`, `1.0` and `true` have one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Whole(i64),
    /// Bits of a number that is not whole, or too large for an integer.
    Fraction(u64),
    Text(Arc<str>),
}

impl Key {
    /// The key of a value; `None` for NaN, which equals nothing.
    fn of(value: &Value) -> Option<Self> {
        Some(match (value, value.as_i64(), value.as_f64()) {
            (Value::Text(text), ..) => Self::Text(text.clone()),
            (_, Some(whole), _) => Self::Whole(whole),
            (_, None, Some(number)) if !number.is_nan() => Self::Fraction(number.to_bits()),
            _ => return None,
        })
    }
}

/// Positions of values, the first of equal ones.
#[derive(Debug, Clone, Default)]
pub struct ValueIndex(HashMap<Key, usize, FxBuildHasher>);

impl ValueIndex {
    /// The positions in a list.
    #[must_use]
    pub fn of<'a>(values: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut index = Self::default();
        for (at, value) in values.into_iter().enumerate() {
            index.insert(value, at);
        }
        index
    }

    /// The position of a value.
    #[must_use]
    pub fn position(&self, value: &Value) -> Option<usize> {
        self.0.get(&Key::of(value)?).copied()
    }

    /// Sets the position of a value that has none. Returns whether it had none.
    pub fn insert(&mut self, value: &Value, at: usize) -> bool {
        let Some(key) = Key::of(value) else { return true };
        let count = self.0.len();
        self.0.entry(key).or_insert(at);
        self.0.len() > count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_where_a_comparison_finds_it() {
        let values = [
            Value::Int(1),
            Value::Float(1.0),
            Value::Bool(true),
            Value::from("1"),
            Value::Float(0.0),
            Value::Float(-0.0),
            Value::Bool(false),
            Value::Float(0.5),
            Value::from(""),
            Value::Float(f64::NAN),
            Value::Float(f64::INFINITY),
            Value::Float(1e300),
            Value::Int(i64::MAX),
            Value::Float(9_223_372_036_854_775_807.0),
            Value::Int(9_007_199_254_740_993),
            Value::Float(9_007_199_254_740_992.0),
            Value::Int(i64::MIN),
            Value::Float(-9_223_372_036_854_775_808.0),
        ];
        let index = ValueIndex::of(&values);
        for value in &values {
            let compared = values.iter().position(|other| other == value);
            assert_eq!(index.position(value), compared, "{value:?}");
        }
        assert_eq!(index.position(&Value::Int(7)), None);
    }
}
