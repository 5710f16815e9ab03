//! Values as texts: as Python's `str` writes them, for keys of Kernel Tuner's caches, and in words
//! for readers.

use serde_json::Value as Json;
use space::Value;

/// A value as Python's `str(value)`: `16`, `0.5`, `1e-05`, `True`, `f16`.
#[must_use]
pub fn python_text(value: &Value) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Float(float) => float_text(*float),
        other => other.to_string(),
    }
}

/// A float as Python writes it. Rust and Python both print the fewest digits that give the same
/// number. But Python uses exponents below 1e-4 and from 1e16 on, with at least two digits.
fn float_text(float: f64) -> String {
    let magnitude = float.abs();
    if magnitude.to_bits() == 0 || (1e-4..1e16).contains(&magnitude) {
        return format!("{float:?}");
    }
    let text = format!("{float:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// JSON in words: a text unchanged, a list with its elements joined, numbers as `4096 × 4096`.
pub(crate) fn words(json: &str) -> String {
    serde_json::from_str(json).map_or_else(|_| json.to_owned(), |json: Json| in_words(&json))
}

fn in_words(json: &Json) -> String {
    match json {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(list) => {
            let joint = if list.iter().all(Json::is_number) { " × " } else { ", " };
            list.iter().map(in_words).collect::<Vec<_>>().join(joint)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        for (value, text) in [
            (Value::Int(16), "16"),
            (Value::Bool(true), "True"),
            (Value::from("f16"), "f16"),
            (Value::Float(16.0), "16.0"),
            (Value::Float(0.1), "0.1"),
            (Value::Float(-0.0), "-0.0"),
            (Value::Float(0.0001), "0.0001"),
            (Value::Float(0.00001), "1e-05"),
            (Value::Float(1.5e-10), "1.5e-10"),
            (Value::Float(1e15), "1000000000000000.0"),
            (Value::Float(1e16), "1e+16"),
            (Value::Float(1.234_567_890_123_456_8e17), "1.2345678901234568e+17"),
            (Value::Float(5e-324), "5e-324"),
            (Value::Float(f64::MAX), "1.7976931348623157e+308"),
        ] {
            assert_eq!(python_text(&value), text);
        }
    }
}
