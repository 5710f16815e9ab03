//! Macros that pass a configuration's values to a kernel, for the compiler and the exported header.

use space::{Value, accuracy::Element, parse_values};

use crate::BenchmarkRecord;

/// Whether all of a parameter's values name number formats.
#[must_use]
pub fn are_formats(values: &[Value]) -> bool {
    !values.is_empty() && values.iter().all(|value| format_of(value).is_some())
}

/// Macro for one value of a parameter: the type name for a format, 1 or 0 for a bool, otherwise the
/// text.
#[must_use]
pub fn macro_text(value: &Value, values: &[Value]) -> String {
    match (value, format_of(value)) {
        (_, Some(element)) if are_formats(values) => element.type_name().to_owned(),
        (Value::Bool(truth), _) => u8::from(*truth).to_string(),
        _ => value.to_string(),
    }
}

fn format_of(value: &Value) -> Option<Element> {
    value.as_text()?.parse().ok()
}

impl BenchmarkRecord {
    /// Macro for a value, as the kernel was compiled with it. Without a document, formats are plain
    /// texts.
    #[must_use]
    pub fn macro_text(&self, parameter: &str, value: &Value) -> String {
        macro_text(value, &self.values_of(parameter).unwrap_or_default())
    }

    /// Values of a parameter in the document, listed or as an expression.
    pub fn values_of(&self, parameter: &str) -> Option<Vec<Value>> {
        let parameters = self.document.get("parameters")?.as_array()?;
        let named = |stated: &&serde_json::Value| {
            stated.get("name").and_then(serde_json::Value::as_str) == Some(parameter)
        };
        let values = parameters.iter().find(named)?.get("values")?;
        match values.as_str() {
            Some(text) => parse_values(text).ok(),
            None => serde_json::from_value(values.clone()).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_type_where_all_values_of_its_parameter_are_formats() {
        let document = serde_json::json!({"parameters": [
            {"name": "precision", "values": ["f32", "f16"]},
            {"name": "computed", "values": "f64,bf16"},
            {"name": "mixed", "values": ["f32", "wide"]},
        ]});
        let benchmark = BenchmarkRecord { document, ..BenchmarkRecord::default() };
        for (parameter, value, text) in [
            ("precision", Value::from("f16"), "ab::f16"),
            ("computed", Value::from("f64"), "double"),
            ("mixed", Value::from("f32"), "f32"),
            ("unknown", Value::from("f32"), "f32"),
            ("unknown", Value::Bool(true), "1"),
            ("unknown", Value::Float(2.0), "2.0"),
        ] {
            assert_eq!(benchmark.macro_text(parameter, &value), text, "{parameter}");
        }
    }
}
