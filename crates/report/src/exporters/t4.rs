//! `t4`: results in the T4 format of the auto-tuning community, valid by its schema.
//!
//! Compile times are written under the schema's name and under Kernel Tuner's, which other tools
//! read. Objectives are a list, as in the schema. What has no place in the schema is under
//! `autobench`.
//! Reference: <https://github.com/odgaard/TuningSchema>

use exchange::{OWN_MEMBER, OwnHeader, RecordedSpace, TIMES_PREFIX, invalidity};
use records::{RecordedTrial, Status, StudyRecord, StudyView};
use serde_json::{Map, Value as Json};

use super::{
    Delivery, ExportError, Exporter, NamedFile, Options,
    exchange::{
        json_text::{Object, list, number, value},
        own,
    },
};

inventory::submit!(Exporter {
    name: NAME,
    about: "the trials of one size as T4 results, for the tools of the auto-tuning community",
    file_names: &["t4.json"],
    delivery: Delivery::Stream,
    export,
    recorded: Some(results_file),
});

const NAME: &str = "t4";

const VERSION: &str = "1.0.0";

/// Failures that the schema distinguishes.
const TOLD_APART: [Status; 5] = [
    Status::Invalid,
    Status::CompileFailed,
    Status::RunFailed,
    Status::WrongResult,
    Status::TimedOut,
];

fn export(
    record: &StudyRecord,
    view: &StudyView,
    options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let space = own::space(NAME, record, view, options)?;
    Ok(vec![("t4.json".to_owned(), results_file(&space)?)])
}

fn results_file(space: &RecordedSpace) -> Result<Vec<u8>, ExportError> {
    let failed =
        |error: serde_json::Error| ExportError::Format { format: NAME, why: error.to_string() };
    let metadata = serde_json::to_string(&metadata(space)).map_err(failed)?;
    let mut out = format!(
        "{{\n\"schema_version\": \"{VERSION}\",\n\"metadata\": {metadata},\n\"results\": ["
    );
    let objectives = objectives(space);
    for row in 0..space.len() {
        out.push_str(if row == 0 { "\n" } else { ",\n" });
        result(&mut out, space, row, &objectives);
    }
    out.push_str("]\n}\n");
    Ok(out.into_bytes())
}

/// Returns the metadata of the source file, the unit of times, and our own header.
fn metadata(space: &RecordedSpace) -> Map<String, Json> {
    let mut header = own::object(&space.header);
    let mut metadata = match header.remove("metadata") {
        Some(Json::Object(metadata)) => metadata,
        _ => Map::new(),
    };
    header.remove("objective");
    let own = OwnHeader {
        device: space.device.clone(),
        kernel: space.kernel.clone(),
        problem_size: space.problem_size.clone(),
        parameters: space.parameters.clone(),
        fields: header,
    };
    metadata.insert("timeunit".to_owned(), "milliseconds".into());
    metadata.insert(OWN_MEMBER.to_owned(), serde_json::to_value(own).unwrap_or_default());
    metadata
}

fn objectives(space: &RecordedSpace) -> String {
    let stated = space.header.iter().find(|(name, _)| name == "objective");
    match stated {
        Some((_, json)) if json.starts_with('[') => json.clone(),
        _ => Json::from(vec![match space.objective.as_str() {
            "" => "time",
            objective => objective,
        }])
        .to_string(),
    }
}

fn result(out: &mut String, space: &RecordedSpace, row: usize, objectives: &str) {
    let trial = &space.trials()[row];
    let mut members = Object::open(out);
    if !trial.timestamp.is_empty() {
        members.text("timestamp", &trial.timestamp);
    }
    let mut configuration = Object::open(members.member("configuration"));
    for (name, chosen) in &space.configuration(row).0 {
        value(configuration.member(name), chosen);
    }
    configuration.close();
    times(members.member("times"), trial);
    members.text("invalidity", invalidity(trial.status));
    members.json("correctness", if trial.status == Status::WrongResult { "0" } else { "1" });
    let left = measurements(members.member("measurements"), space, trial);
    members.json("objectives", objectives);
    if let Some(own) = own::row(trial, &TOLD_APART, left) {
        members.json(OWN_MEMBER, &own);
    }
    members.close();
}

fn times(out: &mut String, trial: &RecordedTrial) {
    let mut times = Object::open(out);
    for (name, cost) in [
        ("compilation_time", trial.compile_ms),
        ("compilation", trial.compile_ms),
        ("benchmark", trial.benchmark_ms),
        ("framework", trial.framework_ms),
        ("search_algorithm", trial.strategy_ms),
        ("validation", trial.verification_ms),
    ] {
        times.number(name, cost);
    }
    for (name, figure) in &trial.metrics {
        if let Some(name) = name.strip_prefix(TIMES_PREFIX) {
            times.number(name, *figure);
        }
    }
    times.numbers("runtimes", &trial.times_ms);
    times.close();
}

/// Writes all measurements. Returns the metrics that cannot be written as measurements.
fn measurements(
    out: &mut String,
    space: &RecordedSpace,
    trial: &RecordedTrial,
) -> Map<String, Json> {
    let unit = |name: &str| space.units.get(name).map_or("", String::as_str);
    let time = trial.time_ms.map(|time| ("time", time, "ms"));
    let metrics = trial.metrics.iter().filter(|(name, _)| !name.starts_with(TIMES_PREFIX));
    let metrics = metrics.map(|(name, figure)| (name.as_str(), *figure, unit(name)));
    let figures = time.into_iter().chain(metrics).filter(|(_, figure, _)| figure.is_finite());
    let figures = figures.map(|(name, figure, unit)| {
        let mut json = String::new();
        number(&mut json, figure);
        (name, json, unit)
    });
    let (said, left): (Vec<_>, Vec<_>) =
        trial.more.iter().cloned().partition(|(_, json)| json.starts_with(['"', '[']));
    let said = said.iter().map(|(name, json)| (name.as_str(), json.clone(), unit(name)));
    list(out, figures.chain(said), |out, (name, json, unit)| {
        let mut measurement = Object::open(out);
        measurement.text("name", name);
        measurement.json("value", &json);
        measurement.text("unit", unit);
        measurement.close();
    });
    own::object(&left)
}
