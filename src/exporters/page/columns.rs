//! Columns of a page's data. A hundred thousand trials are numbers of a few bytes each: as text they
//! would be several times as large, and slower to read.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;

/// Numbers as single precision, little-endian, in base 64; unknown ones are NaN.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Numbers {
    f32: String,
}

impl Numbers {
    pub(super) fn of(values: impl Iterator<Item = Option<f64>>) -> Self {
        let bytes: Vec<u8> =
            values.flat_map(|value| (value.unwrap_or(f64::NAN) as f32).to_le_bytes()).collect();
        Self { f32: STANDARD.encode(bytes) }
    }
}

/// A column of few different values: these, and which of them each row has, as numbers of 16 bits.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Coded {
    values: Vec<serde_json::Value>,
    u16: String,
}

/// The number that says that a row has no value.
const NONE: u16 = u16::MAX;

impl Coded {
    /// A column of values, those beyond 65,535 different ones being left out.
    pub(super) fn of(rows: impl Iterator<Item = Option<serde_json::Value>>) -> Self {
        let mut known: HashMap<String, u16> = HashMap::new();
        let mut column = Self::default();
        let mut bytes = Vec::new();
        for row in rows {
            let mut code = NONE;
            if let Some(value) = row {
                let key = value.to_string();
                code = known.get(&key).copied().unwrap_or(NONE);
                if code == NONE && column.values.len() < usize::from(NONE) {
                    code = column.values.len() as u16;
                    known.insert(key, code);
                    column.values.push(value);
                }
            }
            bytes.extend(code.to_le_bytes());
        }
        column.u16 = STANDARD.encode(bytes);
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_four_bytes_and_nothing_is_nan() {
        let bytes = STANDARD.decode(Numbers::of([Some(1.0), None].into_iter()).f32).expect("base");
        assert_eq!(bytes[..4], 1.0_f32.to_le_bytes());
        let unknown = f32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        assert!(unknown.is_nan());
    }

    #[test]
    fn values_are_named_once_in_the_order_of_their_rows() {
        let rows = [Some(json!(8)), Some(json!("8")), None, Some(json!(8))];
        let column = Coded::of(rows.into_iter());
        assert_eq!(column.values, [json!(8), json!("8")]);
        let bytes = STANDARD.decode(column.u16).expect("base 64");
        assert_eq!(bytes, [0, 0, 1, 0, 255, 255, 0, 0]);
    }
}
