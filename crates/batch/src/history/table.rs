//! Studies as CSV, with one row per study and size. Column names include units.

use report::exporters::{ExportError, Table, TableRow};

use super::entry::{Entry, StudyFacts};

/// Builds the table. A study without sizes has one row.
///
/// # Errors
/// If the table cannot be built.
pub fn table(entries: &[&Entry]) -> Result<Vec<u8>, ExportError> {
    let mut table = Table::default();
    for entry in entries {
        let study = entry.study.as_ref();
        let sizes = study.map(|study| study.sizes.as_slice()).unwrap_or_default();
        if sizes.is_empty() {
            table.push(row(entry, study, None));
        }
        for at in 0..sizes.len() {
            table.push(row(entry, study, Some(at)));
        }
    }
    table.csv()
}

fn row(entry: &Entry, study: Option<&StudyFacts>, at: Option<usize>) -> TableRow {
    let text = |of: fn(&StudyFacts) -> String| study.map(of).unwrap_or_default();
    let size = study.zip(at).map(|(study, at)| &study.sizes[at]);
    let answer = study.and_then(|study| study.answer.as_ref());
    let has_sizes = answer.is_none_or(|answer| answer.size.is_some());
    let condition = |name: &str| {
        study.and_then(|study| study.conditions.get(name)).cloned().unwrap_or_default()
    };
    let mut row = TableRow::default();
    row.text("folder", &entry.folder)
        .text("result", &entry.result)
        .text("state", entry.state.word())
        .text("reason", &entry.reason)
        .text("tags", entry.tags.join(" "))
        .text("subject", text(|study| study.subject.clone()))
        .text("benchmark", text(|study| study.benchmark.clone()))
        .text("device", text(|study| study.device.clone()))
        .text("host", text(|study| study.host.clone()))
        .text("driver", text(|study| study.driver.clone()))
        .text("compiler", condition("compiler"))
        .text("autobench", condition("autobench"))
        .text("kernel_sha256", condition("kernel"))
        .text("started_utc", text(|study| study.started.to_rfc3339()))
        .count("size", size.filter(|_| has_sizes).map(|size| size.size))
        .number("seconds", size.map(|size| size.level.value.exp()))
        .number("log_seconds", size.map(|size| size.level.value))
        .number("log_seconds_deviation", size.map(|size| size.level.deviation))
        .count("answer_size", answer.and_then(|answer| answer.size))
        .text("answer_is_knee", answer.map(|a| if a.knee { "yes" } else { "no" }).unwrap_or(""))
        .number("answer_seconds", answer.map(|answer| answer.seconds))
        .number("answer_metric", answer.and_then(|answer| answer.metric))
        .text("answer_metric_unit", answer.map(|a| a.unit.clone()).unwrap_or_default())
        .text("answer_configuration", answer.map(|a| a.configuration.clone()).unwrap_or_default());
    row
}
