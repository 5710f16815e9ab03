//! `csv`: tables of sizes, of trials and of fronts. `docs/guide/files.md` documents the columns.

use std::collections::BTreeSet;

use chrono::SecondsFormat;
use records::{
    Figure, Front, FrontPoint, Named, Phase, Purpose, SizePoint, StudyRecord, StudyView, Summary,
    TrialRow,
};

use super::{
    Delivery, ExportError, Exporter, NamedFile, Options, ceilings,
    tables::{
        columns::{Table, TableRow},
        recorded_table,
    },
};
use crate::ceilings::{Roof, Share, shares};

inventory::submit!(Exporter {
    name: "csv",
    about: "tables of the sizes, of all trials and of fronts, for spreadsheets and data frames",
    file_names: &["sizes.csv", "trials.csv", "front.csv"],
    delivery: Delivery::Stream,
    export,
    recorded: Some(recorded_table::table),
});

fn export(
    record: &StudyRecord,
    view: &StudyView,
    _options: &Options,
) -> Result<Vec<NamedFile>, ExportError> {
    let mut files = vec![
        ("sizes.csv".to_owned(), sizes(record, view).csv()?),
        ("trials.csv".to_owned(), trials(record, view).csv()?),
    ];
    let fronts = view.fronts(record);
    if !fronts.is_empty() {
        files.push(("front.csv".to_owned(), front_table(record, &fronts).csv()?));
    }
    Ok(files)
}

/// Starts a row with the study that it comes from, so that tables of several studies can be
/// stacked.
fn start(record: &StudyRecord) -> TableRow {
    let mut row = TableRow::default();
    row.text("benchmark", &record.benchmark.name)
        .text("device", &record.device.name)
        .text("host", &record.host.name)
        .text("started", started(record));
    row
}

/// Formats when a study started, the same in all tables.
pub(super) fn started(record: &StudyRecord) -> String {
    record.started.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Returns the names of the parameters, in the order in which the configurations introduce them.
fn parameters<'a>(configurations: impl Iterator<Item = &'a Named>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in configurations.flat_map(|c| &c.0) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn add_parameters(row: &mut TableRow, names: &[String], configuration: Option<&Named>) {
    for name in names {
        let value = configuration.and_then(|c| c.get(name));
        row.text(&format!("parameter_{name}"), value.map_or_else(String::new, ToString::to_string));
    }
}

fn add_seconds(row: &mut TableRow, seconds: Option<&Summary>) {
    row.number("seconds_median", seconds.map(|s| s.median))
        .number("seconds_low", seconds.map(|s| s.interval.0))
        .number("seconds_high", seconds.map(|s| s.interval.1))
        .number("seconds_mean", seconds.map(|s| s.mean))
        .number("seconds_deviation", seconds.map(|s| s.deviation))
        .number("seconds_minimum", seconds.map(|s| s.minimum))
        .number("seconds_maximum", seconds.map(|s| s.maximum))
        .count("samples", seconds.map(|s| s.count as u64));
}

fn sizes(record: &StudyRecord, view: &StudyView) -> Table {
    let names = parameters(view.measured().map(|(_, figure)| &figure.configuration));
    let mut table = Table::default();
    let shares = shares(view);
    for point in &view.sizes {
        let share = shares.iter().find(|share| share.size == point.size);
        table.push(size_row(record, view, (point, share), &names));
    }
    table
}

fn size_row(
    record: &StudyRecord,
    view: &StudyView,
    (point, share): (&SizePoint, Option<&Share>),
    names: &[String],
) -> TableRow {
    let opened = point.opened.as_ref();
    let closed = point.closed.as_ref();
    let (best, default) = (point.best(), point.default());
    let metric = best.and_then(|f| f.metric.as_ref());
    let counts = &point.counts;
    let is_knee = view.accepted.as_ref().is_some_and(|knee| knee.size == point.size);
    let value = |figure: Option<&Figure>| Some(figure?.metric.as_ref()?.value);
    let mut row = start(record);
    row.count("size", record.size(point.size))
        .text(
            "purpose",
            match point.purpose() {
                Purpose::Growth => "growth",
                Purpose::Refinement => "refinement",
            },
        )
        .count("bytes", opened.and_then(|o| o.bytes))
        .count("configurations", opened.map(|o| o.configurations))
        .count("trials", counts.search)
        .count("trials_measured", counts.measured)
        .count("trials_failed", counts.failed());
    add_seconds(&mut row, best.map(|f| &f.seconds));
    let flag = |figure: &Figure| if figure.unsettled { "yes" } else { "no" };
    let caches = view.started.caches.as_ref();
    // A check on fresh inputs flushes the caches, but its time is no result.
    let flushed = view.trials.iter().map(|row| &row.event.trial).any(|trial| {
        let measurement = trial.outcome.measurement.as_ref();
        trial.size == point.size
            && trial.phase != Phase::Check
            && measurement.is_some_and(|m| m.flushed)
    });
    row.text("unsettled", best.map_or("", flag))
        .text("caches", caches.map_or("", |caches| caches.kind.as_str()))
        .text("cold_by", cold_by(view, flushed))
        .count("rounds", closed.map(|c| c.rounds))
        .text("metric", &record.benchmark.secondary.name)
        .text("metric_unit", &record.benchmark.secondary.unit)
        .number("metric_value", metric.map(|m| m.value))
        .number("metric_low", metric.map(|m| m.interval.0))
        .number("metric_high", metric.map(|m| m.interval.1))
        .number("error", best.and_then(|f| f.error))
        .number("default_seconds_median", default.map(|f| f.seconds.median))
        .number("default_metric_value", value(default))
        .number("gain", point.gain())
        .number("gain_low", closed.and_then(|c| c.gain_interval).map(|i| i.0))
        .number("gain_high", closed.and_then(|c| c.gain_interval).map(|i| i.1))
        .number("share", share.map(|share| share.share))
        .number("share_low", share.map(|share| share.interval.0))
        .number("share_high", share.map(|share| share.interval.1))
        .text("ceiling", share.map_or(String::new(), |share| roof_name(&share.roof)))
        .text("knee", if is_knee { "yes" } else { "no" })
        .number("charged_seconds", closed.map(|c| c.seconds))
        .text("closed", closed.map_or("", |c| c.why.as_str()));
    add_parameters(&mut row, names, best.map(|f| &f.configuration));
    row
}

/// Formats a ceiling, such as `bandwidth memory` or `arithmetic f32`.
fn roof_name(roof: &Roof) -> String {
    format!("{} {}", ceilings::kind(roof.kind), roof.of)
}

/// Returns how samples were made cold: as in the whole study, or by a flush if there was no room
/// for copies of the inputs.
fn cold_by(view: &StudyView, flushed: bool) -> &str {
    let study = view.started.caches.as_ref().map_or("", |caches| caches.by.as_str());
    if flushed { "flush" } else { study }
}

fn front_table(record: &StudyRecord, fronts: &[Front]) -> Table {
    let all = || fronts.iter().flat_map(|front| &front.members);
    let names = parameters(all().map(|member| &member.configuration));
    let mut table = Table::default();
    for front in fronts {
        for member in &front.members {
            table.push(front_row(record, front, member, &names));
        }
    }
    table
}

fn front_row(
    record: &StudyRecord,
    front: &Front,
    member: &FrontPoint,
    names: &[String],
) -> TableRow {
    let mut row = start(record);
    row.count("size", record.size(front.size))
        .text("fresh", if front.fresh { "yes" } else { "no" });
    for (objective, value) in front.objectives.iter().zip(&member.values) {
        row.number(&format!("objective_{}", objective.metric), *value);
    }
    add_seconds(&mut row, Some(&member.seconds));
    row.number("error", member.error);
    add_parameters(&mut row, names, Some(&member.configuration));
    row
}

fn trials(record: &StudyRecord, view: &StudyView) -> Table {
    let all = || view.trials.iter().map(|row| &row.event.trial);
    let names = parameters(all().map(|t| &t.configuration));
    let measurements = all().filter_map(|t| t.outcome.measurement.as_ref());
    let metrics: BTreeSet<&str> =
        measurements.flat_map(|m| m.metrics.keys().map(String::as_str)).collect();
    let mut table = Table::default();
    for row in &view.trials {
        table.push(trial_row(record, view, row, &names, &metrics));
    }
    table
}

fn trial_row(
    record: &StudyRecord,
    view: &StudyView,
    trial: &TrialRow,
    names: &[String],
    metrics: &BTreeSet<&str>,
) -> TableRow {
    let event = &trial.event;
    let outcome = &event.trial.outcome;
    let measurement = outcome.measurement.as_ref();
    let cold = measurement.and_then(|m| m.cold);
    let flushed = measurement.is_some_and(|m| m.flushed);
    let mut row = start(record);
    row.count("trial", trial.number)
        .count("size", record.size(event.trial.size))
        .text("phase", word(&event.trial.phase))
        .text("status", outcome.status.word())
        .text("reason", &outcome.reason)
        .number("score", event.trial.score);
    add_seconds(&mut row, measurement.map(|m| &m.seconds));
    row.text("exit", measurement.map_or_else(String::new, |m| word(&m.exit)))
        .count("batch", measurement.map(|m| u64::from(m.batch)))
        .text("caches", cold.map_or("", |cold| if cold { "cold" } else { "hot" }))
        .text("cold_by", if cold == Some(true) { cold_by(view, flushed) } else { "" })
        .number("error", measurement.and_then(|m| m.error))
        .number("charged_seconds", event.charged)
        .number("compile_seconds", outcome.costs.compile)
        .number("verify_seconds", outcome.costs.verify)
        .number("measure_seconds", outcome.costs.measure)
        .number("overhead_seconds", outcome.costs.overhead)
        .number("fill_seconds", outcome.costs.fill)
        .number("kernel_seconds", outcome.costs.kernel)
        .count("samples_offset", event.samples_offset)
        .count("samples_count", event.samples_count);
    for name in metrics {
        let value = measurement.and_then(|m| m.metrics.get(*name).copied());
        row.number(&format!("metric_{name}"), value);
    }
    add_parameters(&mut row, names, Some(&event.trial.configuration));
    row
}

/// Returns the journal's word for a value.
fn word(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
