//! Writes JSON member by member without a tree, for files of 100,000 rows.

use std::fmt::Write as _;

use serde_json::Value as Json;
use space::Value;

pub(in crate::exporters) struct Object<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> Object<'a> {
    pub(in crate::exporters) fn open(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    pub(in crate::exporters) fn close(self) {
        self.out.push('}');
    }

    /// Writes a member's name. The caller appends its value to the returned text.
    pub(in crate::exporters) fn member(&mut self, name: &str) -> &mut String {
        if !self.empty {
            self.out.push_str(", ");
        }
        self.empty = false;
        text(self.out, name);
        self.out.push_str(": ");
        self.out
    }

    /// Writes a number, or nothing if it is not finite.
    pub(in crate::exporters) fn number(&mut self, name: &str, value: f64) {
        if value.is_finite() {
            number(self.member(name), value);
        }
    }

    pub(in crate::exporters) fn text(&mut self, name: &str, value: &str) {
        text(self.member(name), value);
    }

    /// Writes a value that is already JSON.
    pub(in crate::exporters) fn json(&mut self, name: &str, json: &str) {
        self.member(name).push_str(json);
    }

    pub(in crate::exporters) fn numbers(&mut self, name: &str, values: &[f64]) {
        list(self.member(name), values.iter().filter(|v| v.is_finite()), |out, v| number(out, *v));
    }
}

pub(in crate::exporters) fn list<T>(
    out: &mut String,
    elements: impl IntoIterator<Item = T>,
    write: impl Fn(&mut String, T),
) {
    out.push('[');
    for (at, element) in elements.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write(out, element);
    }
    out.push(']');
}

/// Writes a finite number in the fewest digits that restore it. Floats keep their point.
pub(in crate::exporters) fn number(out: &mut String, value: f64) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{value:?}");
}

pub(in crate::exporters) fn text(out: &mut String, value: &str) {
    let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\' && byte.is_ascii();
    if value.bytes().all(plain) {
        out.push('"');
        out.push_str(value);
        out.push('"');
    } else {
        let _ = write!(out, "{}", Json::from(value));
    }
}

pub(in crate::exporters) fn value(out: &mut String, value: &Value) {
    match value {
        Value::Text(word) => text(out, word),
        Value::Float(float) => number(out, *float),
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
