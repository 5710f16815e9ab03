//! `kernel-tuner`: a cache file that Kernel Tuner opens, simulates and continues.
//!
//! Kernel Tuner recognises a closed file by its last three bytes (`}\n}`), cuts them off and
//! appends a comma. So the layout matters as well as the JSON. It cannot continue a file without
//! rows.
//! Reference: <https://kerneltuner.github.io/kernel_tuner/stable/cache_files.html>

use exchange::{OWN_MEMBER, RecordedSpace, failure_word, python_text};
use records::{RecordedTrial, Status, StudyRecord, StudyView};

use super::{
    Delivery, ExportError, Exporter, NamedFile, Options,
    exchange::{
        json_text::{Object, list, text, value},
        own,
    },
};

inventory::submit!(Exporter {
    name: NAME,
    about: "a cache file of one size for Kernel Tuner, to simulate or to go on with",
    file_names: &["kernel-tuner.json"],
    delivery: Delivery::Stream,
    export,
    recorded: Some(cache_file),
});

const NAME: &str = "kernel-tuner";

/// Failures that Kernel Tuner distinguishes.
const TOLD_APART: [Status; 3] = [Status::Invalid, Status::CompileFailed, Status::RunFailed];

fn export(
    record: &StudyRecord,
    view: &StudyView,
    options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let space = own::space(NAME, record, view, options)?;
    Ok(vec![("kernel-tuner.json".to_owned(), cache_file(&space)?)])
}

fn cache_file(space: &RecordedSpace) -> Result<Vec<u8>, ExportError> {
    if space.is_empty() {
        let why = "it has no rows, and Kernel Tuner cannot go on in a file without any".to_owned();
        return Err(ExportError::Format { format: NAME, why });
    }
    let mut out = String::from("{");
    header(&mut out, space);
    out.push_str("\"cache\": {");
    for row in 0..space.len() {
        out.push_str(if row == 0 { "\n" } else { ",\n" });
        let configuration = space.configuration(row);
        let key: Vec<String> =
            configuration.0.iter().map(|(_, value)| python_text(value)).collect();
        text(&mut out, &key.join(","));
        out.push_str(": ");
        let mut members = Object::open(&mut out);
        for (name, chosen) in &configuration.0 {
            value(members.member(name), chosen);
        }
        trial(&mut members, &space.trials()[row], &|name| configuration.get(name).is_some());
        members.close();
    }
    out.push_str("}\n}");
    Ok(out.into_bytes())
}

fn header(out: &mut String, space: &RecordedSpace) {
    let mut line = |name: &str, write: &dyn Fn(&mut String)| {
        out.push('\n');
        text(out, name);
        out.push_str(": ");
        write(out);
        out.push(',');
    };
    let stated = |name: &str| space.header.iter().find(|(known, _)| known == name);
    for (name, words) in [
        ("device_name", &space.device),
        ("kernel_name", &space.kernel),
        ("problem_size", &space.problem_size),
    ] {
        line(name, &|out| match stated(name) {
            Some((_, json)) => out.push_str(json),
            None => text(out, words),
        });
    }
    line("tune_params_keys", &|out| {
        list(out, &space.parameters, |out, (name, _)| text(out, name));
    });
    line("tune_params", &|out| {
        let mut lists = Object::open(out);
        for (name, values) in &space.parameters {
            list(lists.member(name), values, value);
        }
        lists.close();
    });
    if !space.objective.is_empty() {
        line("objective", &|out| match stated("objective") {
            Some((_, json)) => out.push_str(json),
            None => text(out, &space.objective),
        });
    }
    // These members are written elsewhere. A second one would be read in place of the first.
    let written = [
        "device_name",
        "kernel_name",
        "problem_size",
        "objective",
        "tune_params_keys",
        "tune_params",
        "cache",
    ];
    for (name, json) in space.header.iter().filter(|(name, _)| !written.contains(&&**name)) {
        line(name, &|out| out.push_str(json));
    }
    out.push('\n');
}

/// Writes the members of a row after its values. Members with the name of a parameter are skipped,
/// since a reader would take them for its value.
fn trial(members: &mut Object<'_>, trial: &RecordedTrial, parameter: &dyn Fn(&str) -> bool) {
    let failed = trial.status != Status::Measured;
    let word = failure_word(trial.status);
    match trial.time_ms {
        Some(time) => members.number("time", time),
        None if failed => members.text("time", word),
        None => {}
    }
    if failed {
        members.text("__error__", word);
    }
    if !trial.times_ms.is_empty() {
        members.numbers("times", &trial.times_ms);
    }
    for (name, cost) in [
        ("compile_time", trial.compile_ms),
        ("verification_time", trial.verification_ms),
        ("benchmark_time", trial.benchmark_ms),
        ("strategy_time", trial.strategy_ms),
        ("framework_time", trial.framework_ms),
    ] {
        members.number(name, cost);
    }
    for (name, figure) in trial.metrics.iter().filter(|(name, _)| !parameter(name)) {
        members.number(name, *figure);
    }
    for (name, json) in trial.more.iter().filter(|(name, _)| !parameter(name)) {
        members.json(name, json);
    }
    if let Some(own) = own::row(trial, &TOLD_APART, serde_json::Map::new()) {
        members.json(OWN_MEMBER, &own);
    }
    if !trial.timestamp.is_empty() {
        members.text("timestamp", &trial.timestamp);
    }
}
