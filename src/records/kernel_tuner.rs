//! Kernel Tuner's cache file, read leniently: one JSON object whose `cache` maps `v1,v2,…` to a
//! row; unclosed while its writer runs; failures as `__error__` or as a word in the time's place.
//! Times are milliseconds. Nothing in it is ever evaluated.
//!
//! Reference: <https://kerneltuner.github.io/kernel_tuner/stable/cache_files.html>

use std::{io::Read as _, path::Path};

use serde_json::{Map, Value as Json};

use super::{Named, RecordedError, RecordedSpace, RecordedTrial, Status, python_json::mend};
use crate::space::Value;

/// Times at or above this, in milliseconds, were written for failures by old versions.
const OLD_FAILURE: f64 = 1e20;

/// Reads a cache file, also a gzipped one, also one that was never closed.
///
/// # Errors
/// When it cannot be read or is something else.
pub fn read_kernel_tuner(path: &Path) -> Result<RecordedSpace, RecordedError> {
    let failed = |source| RecordedError::Read { path: path.to_owned(), source };
    let mut bytes = std::fs::read(path).map_err(failed)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice())
            .read_to_end(&mut plain)
            .map_err(failed)?;
        bytes = plain;
    }
    let malformed = |why: String| RecordedError::Malformed { path: path.to_owned(), why };
    let text = String::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8 text".into()))?;
    parse_kernel_tuner(&text).map_err(malformed)
}

/// Reads the text of a cache file.
///
/// # Errors
/// What makes it something else, in words.
pub fn parse_kernel_tuner(text: &str) -> Result<RecordedSpace, String> {
    let (json, mut warnings) = match serde_json::from_str::<Json>(text) {
        Ok(json) => (json, Vec::new()),
        Err(first) => {
            let mended = mend(text);
            let json = serde_json::from_str(&mended.text).map_err(|_| first.to_string())?;
            (json, mended.warnings)
        }
    };
    let Json::Object(mut file) = json else {
        return Err("it holds no JSON object".into());
    };
    let Some(Json::Object(cache)) = file.remove("cache") else {
        return Err("it has no `cache`".into());
    };
    let parameters = parameters(&file, &cache, &mut warnings)?;
    let mut space = RecordedSpace::new(parameters);
    space.device = words(file.get("device_name"));
    space.kernel = words(file.get("kernel_name"));
    space.problem_size = words(file.get("problem_size"));
    space.objective = words(file.get("objective"));
    let objective = if space.objective.is_empty() { "time" } else { &space.objective }.to_owned();
    let (mut unreadable, mut unknown) = (0_usize, 0_usize);
    for (key, row) in &cache {
        let named = row.as_object().and_then(|row| configuration(&space.parameters, key, row));
        let (Some(row), Some(named)) = (row.as_object(), named) else {
            unreadable += 1;
            continue;
        };
        let trial = trial(&space.parameters, row, &objective, &mut unknown);
        space.insert(named, trial);
    }
    if unreadable > 0 {
        warnings.push(format!("{unreadable} rows do not name a configuration; they are left out"));
    }
    if unknown > 0 {
        warnings.push(format!(
            "{unknown} rows have no time and no known error; they count as failed runs"
        ));
    }
    space.warnings = warnings;
    Ok(space)
}

/// The parameters in the order of `tune_params_keys`, with their values.
fn parameters(
    file: &Map<String, Json>,
    cache: &Map<String, Json>,
    warnings: &mut Vec<String>,
) -> Result<Vec<(String, Vec<Value>)>, String> {
    let lists = file.get("tune_params").and_then(Json::as_object);
    let names: Vec<String> = match file.get("tune_params_keys").and_then(Json::as_array) {
        Some(keys) => keys.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        None => return Err("it has no `tune_params_keys`".into()),
    };
    let mut parameters = Vec::new();
    for name in names {
        let listed = lists.and_then(|lists| lists.get(&name)).and_then(Json::as_array);
        let mut values: Vec<Value> = Vec::new();
        let seen = || cache.values().filter_map(|row| row.get(&name));
        let all: Vec<&Json> = match listed {
            Some(list) => list.iter().collect(),
            None => {
                warnings.push(format!("`{name}` lists no values; those of the rows are taken"));
                seen().collect()
            }
        };
        for value in all.into_iter().filter_map(value) {
            if !values.iter().any(|known| same(known, &value)) {
                values.push(value);
            }
        }
        parameters.push((name, values));
    }
    Ok(parameters)
}

fn value(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(b) => Some(Value::Bool(*b)),
        Json::Number(n) => n.as_i64().map(Value::Int).or_else(|| n.as_f64().map(Value::Float)),
        Json::String(s) => Some(Value::Text(s.as_str().into())),
        _ => None,
    }
}

/// Equal as Python has it: `16 == 16.0`, `True == 1`.
fn same(a: &Value, b: &Value) -> bool {
    fn number(value: &Value) -> Option<f64> {
        match value {
            Value::Bool(b) => Some(f64::from(u8::from(*b))),
            Value::Int(i) => Some(*i as f64),
            Value::Float(f) => Some(*f),
            Value::Text(_) => None,
        }
    }
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b).is_eq(),
        _ => a == b,
    }
}

/// The configuration of a row: from its own fields, or else from its key.
fn configuration(
    parameters: &[(String, Vec<Value>)],
    key: &str,
    row: &Map<String, Json>,
) -> Option<Named> {
    let parts: Vec<&str> = key.split(',').collect();
    let mut pairs = Vec::with_capacity(parameters.len());
    for (at, (name, values)) in parameters.iter().enumerate() {
        let canonical = |value: &Value| values.iter().find(|v| same(v, value)).cloned();
        let found = match row.get(name).and_then(value) {
            // A value that no list names is kept as it is: it was measured.
            Some(value) => canonical(&value).unwrap_or(value),
            None if parts.len() == parameters.len() => {
                values.iter().find(|v| v.to_string() == parts[at].trim()).cloned()?
            }
            None => return None,
        };
        pairs.push((name.clone(), found));
    }
    Some(Named(pairs))
}

fn trial(
    parameters: &[(String, Vec<Value>)],
    row: &Map<String, Json>,
    objective: &str,
    unknown: &mut usize,
) -> RecordedTrial {
    let ms = |name: &str| row.get(name).and_then(Json::as_f64).filter(|v| *v >= 0.0);
    let time = ms("time").filter(|ms| *ms < OLD_FAILURE);
    let word = row
        .get("__error__")
        .or_else(|| row.get(objective))
        .and_then(Json::as_str)
        .or_else(|| row.get("time").and_then(Json::as_str));
    let (status, reason) = match (word, time) {
        (Some(word), _) => failure(word, unknown),
        (None, Some(_)) => (Status::Measured, String::new()),
        (None, None) => {
            *unknown += 1;
            (Status::RunFailed, "the file records no time".to_owned())
        }
    };
    const KNOWN: [&str; 7] = [
        "time",
        "compile_time",
        "verification_time",
        "benchmark_time",
        "strategy_time",
        "framework_time",
        "timestamp",
    ];
    let figures = row.iter().filter(|(name, _)| {
        !KNOWN.contains(&name.as_str()) && !parameters.iter().any(|(p, _)| p == *name)
    });
    let times = row.get("times").and_then(Json::as_array);
    RecordedTrial {
        status,
        reason,
        time_ms: time,
        times_ms: times.map_or_else(Vec::new, |t| t.iter().filter_map(Json::as_f64).collect()),
        compile_ms: ms("compile_time").unwrap_or(0.0),
        verification_ms: ms("verification_time").unwrap_or(0.0),
        benchmark_ms: ms("benchmark_time").unwrap_or(0.0),
        framework_ms: ms("framework_time").unwrap_or(0.0),
        metrics: figures.filter_map(|(n, v)| Some((n.clone(), v.as_f64()?))).collect(),
    }
}

fn failure(word: &str, unknown: &mut usize) -> (Status, String) {
    let status = match word {
        "InvalidConfig" => Status::Invalid,
        "CompilationFailedConfig" => Status::CompileFailed,
        "RuntimeFailedConfig" => Status::RunFailed,
        _ => {
            *unknown += 1;
            Status::RunFailed
        }
    };
    (status, format!("recorded as {word}"))
}

/// A text or a list of numbers, as people would write it.
fn words(json: Option<&Json>) -> String {
    match json {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(list)) => {
            list.iter().map(|v| words(Some(v))).collect::<Vec<_>>().join(" × ")
        }
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
#[path = "kernel_tuner_tests.rs"]
mod tests;
