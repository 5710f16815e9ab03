//! From device and benchmark to the best configuration: as CSV, and as a C header.

use crate::{
    comparison::{Side, Studied},
    exporters::{ExportError, Table, TableRow, header},
};

/// The newest study of every subject of every side.
fn newest(sides: &[Side]) -> Vec<&Studied> {
    let mut found: Vec<&Studied> = Vec::new();
    for side in sides {
        let mut of_side: Vec<&Studied> = Vec::new();
        for study in &side.studies {
            of_side.retain(|known| known.subject() != study.subject());
            of_side.push(study);
        }
        found.extend(of_side);
    }
    found
}

/// A row per device and subject: size, configuration, and what it reached.
///
/// # Errors
/// If there is no memory for it.
pub fn best_configurations(sides: &[Side]) -> Result<Vec<u8>, ExportError> {
    let mut table = Table::default();
    for study in newest(sides) {
        let Some((point, figure)) = study.view.winner() else { continue };
        let metric = &study.record.benchmark.secondary;
        let mut row = TableRow::default();
        row.text("device", &study.record.device.name)
            .text("backend", &study.record.device.backend)
            .text("benchmark", study.subject())
            .count("size", point.size)
            .text("knee", if study.view.accepted.is_some() { "yes" } else { "no" })
            .text("configuration", &figure.configuration)
            .number("seconds", figure.seconds.median)
            .number("seconds_low", figure.seconds.interval.0)
            .number("seconds_high", figure.seconds.interval.1)
            .text("metric", &metric.name)
            .text("metric_unit", &metric.unit)
            .number("metric_value", figure.metric.as_ref().map(|metric| metric.value))
            .number("error", figure.error)
            .text("started", study.record.started.to_rfc3339());
        table.push(row);
    }
    table.csv()
}

/// The headers of all studies, one after the other: `AUTOBENCH_CHOOSE_DEVICE` and a device's macro
/// choose among them.
#[must_use]
pub fn best_header(sides: &[Side]) -> Vec<u8> {
    let of = |study: &Studied| {
        let winner = study.view.winner()?;
        Some(header::text(&study.record, &study.view, winner))
    };
    let texts: Vec<String> = newest(sides).into_iter().filter_map(of).collect();
    texts.join("\n").into_bytes()
}
