//! `suite.csv` and `suite.md`: a row per study; the columns are documented in `docs/formats.md`.

use std::fmt::Write as _;

use super::{
    figure,
    row::{SuiteRow, SuiteView},
    words,
};
use crate::exporters::{ExportError, NamedFile, Table, TableRow};

/// The files of a suite.
///
/// # Errors
/// If one of them cannot be made.
pub fn files(view: &SuiteView) -> Result<Vec<NamedFile>, ExportError> {
    let mut table = Table::default();
    view.rows.iter().for_each(|study| table.push(row(study)));
    let figures = figure::files(view)?;
    let tables = vec![
        ("suite.csv".to_owned(), table.csv()?),
        ("suite.md".to_owned(), markdown(view).into_bytes()),
    ];
    Ok(tables.into_iter().chain(figures).collect())
}

fn row(study: &SuiteRow) -> TableRow {
    let begun = study.begun.as_ref();
    let answer = begun.and_then(|begun| begun.answer.as_ref());
    let metric = answer.and_then(|answer| answer.metric_figure.as_ref());
    let low = |interval: Option<(f64, f64)>| interval.map(|interval| interval.0);
    let high = |interval: Option<(f64, f64)>| interval.map(|interval| interval.1);
    let knee = answer.and_then(|answer| answer.knee_interval);
    let seconds = answer.map(|answer| answer.seconds_interval);
    let gain = answer.and_then(|answer| answer.gain_interval);
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let mut row = TableRow::default();
    row.count("study", study.study as u64)
        .text("label", &study.label)
        .text("state", study.state.word())
        .text("reason", study.state.reason())
        .text("command", &study.command)
        .text("benchmark", text(begun.map(|begun| begun.benchmark.as_str())))
        .text("device", text(begun.map(|begun| begun.device.as_str())))
        .text("strategy", text(begun.map(|begun| begun.strategy.as_str())))
        .count("seed", begun.map(|begun| begun.seed))
        .count("size", answer.map(|answer| answer.size))
        .count("knee", answer.and_then(|answer| answer.knee))
        .number("knee_low", low(knee))
        .number("knee_high", high(knee))
        .text("confidence", text(answer.and_then(|answer| answer.confidence)))
        .text("best", answer.map_or_else(String::new, |a| a.configuration.to_string()))
        .number("seconds", answer.map(|answer| answer.seconds))
        .number("seconds_low", low(seconds))
        .number("seconds_high", high(seconds))
        .text("unsettled", if answer.is_some_and(|answer| answer.unsettled) { "yes" } else { "" })
        .text("metric", text(answer.map(|answer| answer.metric.0.as_str())))
        .text("metric_unit", text(answer.map(|answer| answer.metric.1.as_str())))
        .number("metric_value", metric.map(|metric| metric.value))
        .number("metric_low", metric.map(|metric| metric.interval.0))
        .number("metric_high", metric.map(|metric| metric.interval.1))
        .number("error", answer.and_then(|answer| answer.error))
        .number("gain", answer.and_then(|answer| answer.gain))
        .number("gain_low", low(gain))
        .number("gain_high", high(gain))
        .count("front", answer.and_then(|answer| answer.front).map(|front| front as u64))
        .count("evaluations", begun.map(|begun| begun.evaluations))
        .number("charged_seconds", begun.and_then(|begun| begun.charged_seconds))
        .number("wall_seconds", begun.map(|begun| begun.wall_seconds))
        .text("folder", text(study.folder.as_deref()));
    row
}

fn markdown(view: &SuiteView) -> String {
    let plain = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
    let mut page = format!("# {}\n\n", plain(&view.record.suite));
    if !view.record.about.is_empty() {
        let _ = write!(page, "{}\n\n", plain(&view.record.about));
    }
    let _ = write!(page, "{}.\n\n", words::count(view));
    let _ = writeln!(page, "| {} |", words::HEAD.join(" | "));
    let _ = writeln!(page, "|{}", ":---|".repeat(words::HEAD.len()));
    for study in &view.rows {
        let cells = words::cells(study).map(|cell| plain(&cell));
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
    let _ = write!(
        page,
        "\nMedians with half their 95 % interval; gain over the default configuration (≈: its \
         interval holds 1). Suite `{}`, autobench {}, {}.\n",
        plain(&view.record.origin),
        view.record.autobench,
        view.record.started.format("%Y-%m-%d"),
    );
    page
}
