//! The best configuration of each device and benchmark, as CSV and as a C header.

use records::slug;

use crate::{
    comparison::{Side, Studied},
    exporters::{ExportError, Table, TableRow, csv::started, header},
};

/// Returns the newest study of each device and subject. A finished study has precedence.
fn newest(sides: &[Side]) -> Vec<&Studied> {
    let key = |study: &Studied| (study.record.device.name.clone(), study.subject());
    let mut all: Vec<&Studied> = sides.iter().flat_map(|side| &side.studies).collect();
    all.sort_by_key(|study| (study.is_finished(), study.record.started));
    let mut found: Vec<&Studied> = Vec::new();
    for study in all.into_iter().rev() {
        if found.iter().all(|known| key(known) != key(study)) {
            found.push(study);
        }
    }
    found.sort_by_key(|study| key(study));
    found
}

/// Returns a row for each device and subject: the size, the best configuration and its values.
///
/// # Errors
/// If the table cannot be written.
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
            .text("started", started(&study.record));
        table.push(row);
    }
    table.csv()
}

/// Returns the headers of all studies, one after the other. `AUTOBENCH_CHOOSE_BENCHMARK` and the
/// macro of a benchmark choose a benchmark; `AUTOBENCH_CHOOSE_DEVICE` and the macro of a device
/// choose a device.
#[must_use]
pub fn best_header(sides: &[Side]) -> Vec<u8> {
    let of = |study: &Studied| {
        let winner = study.view.winner()?;
        let text = header::text(&study.record, &study.view, winner);
        let macro_name = slug(&study.subject()).replace('-', "_").to_ascii_uppercase();
        Some(format!(
            "#if !defined(AUTOBENCH_CHOOSE_BENCHMARK) || defined(AUTOBENCH_BENCHMARK_{macro_name})\n\
             {text}#endif /* AUTOBENCH_BENCHMARK_{macro_name} */\n"
        ))
    };
    let texts: Vec<String> = newest(sides).into_iter().filter_map(of).collect();
    texts.join("\n").into_bytes()
}
