//! JSON written member by member, for files of a hundred thousand rows: nothing is built that is
//! only to be written.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::space::Value;

/// An object that is being written.
pub(in crate::exporters) struct Object<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> Object<'a> {
    /// Opens one.
    pub(in crate::exporters) fn open(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    /// Closes it.
    pub(in crate::exporters) fn close(self) {
        self.out.push('}');
    }

    /// The place of a member's value.
    pub(in crate::exporters) fn member(&mut self, name: &str) -> &mut String {
        if !self.empty {
            self.out.push_str(", ");
        }
        self.empty = false;
        text(self.out, name);
        self.out.push_str(": ");
        self.out
    }

    /// A number; one that is not finite is missing, and so is its member.
    pub(in crate::exporters) fn number(&mut self, name: &str, value: f64) {
        if value.is_finite() {
            number(self.member(name), value);
        }
    }

    /// A text.
    pub(in crate::exporters) fn text(&mut self, name: &str, value: &str) {
        text(self.member(name), value);
    }

    /// What is JSON already.
    pub(in crate::exporters) fn json(&mut self, name: &str, json: &str) {
        self.member(name).push_str(json);
    }

    /// A list of numbers.
    pub(in crate::exporters) fn numbers(&mut self, name: &str, values: &[f64]) {
        list(self.member(name), values.iter().filter(|v| v.is_finite()), |out, v| number(out, *v));
    }
}

/// A list.
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

/// A finite number, in the fewest digits that give it again; floats stay floats, as in Python.
pub(in crate::exporters) fn number(out: &mut String, value: f64) {
    // Writing to a text cannot fail.
    let _ = write!(out, "{value:?}");
}

/// A text in quotes.
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

/// The value of a parameter.
pub(in crate::exporters) fn value(out: &mut String, value: &Value) {
    match value {
        Value::Text(word) => text(out, word),
        Value::Float(float) => number(out, *float),
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
