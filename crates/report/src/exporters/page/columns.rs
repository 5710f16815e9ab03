//! Columns of a page's data. A number takes a few bytes: as text, 100,000 trials would be several
//! times as large and slower to read.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;

/// Numbers in single precision, little-endian, in base 64. Unknown numbers are NaN.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Numbers {
    f32: String,
    /// Number of rows, if all have the same value.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
}

impl Numbers {
    pub(super) fn of(values: impl Iterator<Item = Option<f64>>) -> Self {
        let bytes: Vec<[u8; 4]> =
            values.map(|value| (value.unwrap_or(f64::NAN) as f32).to_le_bytes()).collect();
        match &bytes[..] {
            [one, others @ ..] if others.iter().all(|other| other == one) => {
                Self { f32: STANDARD.encode(one), count: Some(bytes.len()) }
            }
            _ => Self { f32: STANDARD.encode(bytes.concat()), count: None },
        }
    }
}

/// A column of few different values. Each row is the 16-bit index of its value.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Coded {
    values: Vec<serde_json::Value>,
    u16: String,
    /// Number of rows, if all have the same value.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
}

/// Index of a row without a value.
const NONE: u16 = u16::MAX;

impl Coded {
    /// Builds a column. Values beyond the first 65,535 different ones are left out.
    pub(super) fn of(rows: impl Iterator<Item = Option<serde_json::Value>>) -> Self {
        let mut known: HashMap<String, u16> = HashMap::new();
        let mut column = Self::default();
        let mut bytes: Vec<[u8; 2]> = Vec::new();
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
            bytes.push(code.to_le_bytes());
        }
        if bytes.first().is_some_and(|one| bytes.iter().all(|other| other == one)) {
            column.count = Some(bytes.len());
            bytes.truncate(1);
        }
        column.u16 = STANDARD.encode(bytes.concat());
        column
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_four_bytes_and_nothing_is_nan() {
        let bytes = STANDARD.decode(Numbers::of([Some(1.0), None].into_iter()).f32).expect("base");
        assert_eq!(bytes[..4], 1.0_f32.to_le_bytes());
        let unknown = f32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        assert!(unknown.is_nan());
    }

    #[test]
    fn a_column_of_one_value_is_that_value() {
        let numbers = Numbers::of(std::iter::repeat_n(Some(2.0), 1000));
        assert_eq!((numbers.f32.len(), numbers.count), (8, Some(1000)));
        let coded = Coded::of(std::iter::repeat_n(Some(json!("search")), 1000));
        assert_eq!((coded.u16.len(), coded.count), (4, Some(1000)));
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
