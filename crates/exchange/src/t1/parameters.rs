//! Tuning parameters of a T1 file. Values are a Python expression, a JSON list, or one scalar.

use std::collections::HashSet;

use serde_json::Value as Json;
use space::{Parameter, Value, parse_values};

pub(crate) fn parameters(
    space: &Json,
    warnings: &mut Vec<String>,
) -> Result<Vec<Parameter>, String> {
    let all = match space.get("TuningParameters") {
        None | Some(Json::Null) => return Err("it has no `TuningParameters`".into()),
        Some(all) => all,
    };
    let mut found = Vec::new();
    for (at, json) in listed(all).enumerate() {
        let Some(name) = json.get("Name").and_then(Json::as_str).filter(|n| !n.is_empty()) else {
            return Err(format!("parameter {} has no `Name`", at + 1));
        };
        let values = match json.get("Values") {
            None | Some(Json::Null) => return Err(format!("parameter `{name}` has no `Values`")),
            Some(Json::String(text)) => {
                parse_values(text).map_err(|fault| format!("parameter `{name}`: {fault}"))?
            }
            Some(list) => literal(name, list)?,
        };
        let kind = json.get("Type").and_then(Json::as_str).unwrap_or("");
        let values = typed(name, kind, values, warnings);
        let values = different(name, values, warnings);
        let mut parameter = Parameter::new(name, values);
        parameter.default = default(&parameter, json.get("Default"), warnings);
        found.push(parameter);
    }
    Ok(found)
}

pub(crate) fn scalar(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(b) => Some(Value::Bool(*b)),
        Json::Number(n) => n.as_i64().map(Value::Int).or_else(|| n.as_f64().map(Value::Float)),
        Json::String(text) => Some(Value::from(text.as_str())),
        _ => None,
    }
}

fn literal(name: &str, list: &Json) -> Result<Vec<Value>, String> {
    let one = |json: &Json| {
        scalar(json).ok_or_else(|| {
            format!("parameter `{name}` lists {json}, which is no number, text or truth value")
        })
    };
    listed(list).map(one).collect()
}

/// The values converted to the type that `Type` demands, where possible.
fn typed(name: &str, kind: &str, values: Vec<Value>, warnings: &mut Vec<String>) -> Vec<Value> {
    let kind = kind.to_ascii_lowercase();
    let (mut quoted, mut fractions) = (0, 0);
    let mut as_typed = |value: Value| match (&kind[..], &value) {
        ("int" | "uint" | "float", Value::Text(text)) => {
            let text = text.trim();
            let number = text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Float));
            match number {
                Ok(Value::Float(f)) if !f.is_finite() => value,
                Ok(number) => {
                    quoted += 1;
                    number
                }
                Err(_) => value,
            }
        }
        ("int" | "uint", Value::Float(_)) => {
            fractions += 1;
            value
        }
        ("bool", Value::Int(i @ (0 | 1))) => Value::Bool(*i == 1),
        _ => value,
    };
    let values: Vec<Value> = values.into_iter().map(&mut as_typed).collect();
    let numeric = matches!(&kind[..], "int" | "uint" | "float");
    if numeric && values.iter().any(|v| v.as_text().is_some()) {
        warnings.push(format!("`{name}` is of type {kind} and lists texts"));
    }
    if quoted > 0 {
        warnings.push(format!("`{name}` quotes its numbers; they are taken for numbers"));
    }
    if fractions > 0 {
        warnings.push(format!("`{name}` is of type {kind} and lists floating-point numbers"));
    }
    values
}

/// The values without repeats.
fn different(name: &str, values: Vec<Value>, warnings: &mut Vec<String>) -> Vec<Value> {
    let identity = |value: &Value| match (value.as_i64(), value.as_f64()) {
        (Some(whole), _) => (whole, None),
        (None, Some(x)) => (0, Some(format!("{x}"))),
        (None, None) => (0, Some(format!("'{value}'"))),
    };
    let before = values.len();
    let mut seen = HashSet::new();
    let mut values = values;
    values.retain(|value| seen.insert(identity(value)));
    if values.len() < before {
        let twice = before - values.len();
        warnings.push(format!("`{name}` lists {twice} values again; each is taken once"));
    }
    values
}

/// Position of the default, if it is a listed value.
fn default(
    parameter: &Parameter,
    json: Option<&Json>,
    warnings: &mut Vec<String>,
) -> Option<usize> {
    let json = json.filter(|json| !json.is_null())?;
    let name = &parameter.name;
    let mut all = listed(json);
    let (Some(first), None) = (all.next(), all.next()) else {
        warnings.push(format!("the default of `{name}` is no single value; its first value is"));
        return None;
    };
    let value = scalar(first)?;
    let known = parameter.index_of(&value).or_else(|| {
        let text = value.as_text()?;
        parameter.values.iter().position(|v| v.to_string() == text)
    });
    if known.is_none() {
        let shown = written(first);
        warnings
            .push(format!("the default `{shown}` of `{name}` is not listed; its first value is"));
    }
    known
}

/// Elements of a list, or the single element that replaces a list.
pub(super) fn listed(json: &Json) -> impl Iterator<Item = &Json> {
    match json {
        Json::Array(all) => all.iter(),
        one => std::slice::from_ref(one).iter(),
    }
}

/// A text unchanged, and anything else as JSON.
pub(super) fn written(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}
