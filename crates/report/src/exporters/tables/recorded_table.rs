//! A recorded space as a table with a row for each configuration. `docs/guide/files.md` documents
//! the columns.

use std::collections::BTreeSet;

use exchange::RecordedSpace;

use super::columns::{Table, TableRow};
use crate::exporters::ExportError;

pub(in crate::exporters) fn table(space: &RecordedSpace) -> Result<Vec<u8>, ExportError> {
    let metrics: BTreeSet<&str> =
        space.trials().iter().flat_map(|trial| trial.metrics.keys().map(String::as_str)).collect();
    let mut table = Table::default();
    for (configuration, trial) in space.rows().iter() {
        let mut row = TableRow::default();
        row.text("status", trial.status.word())
            .text("reason", &trial.reason)
            .number("time_ms", trial.time_ms)
            .count("runs", trial.times_ms.len() as u64)
            .number("fastest_ms", trial.times_ms.iter().copied().reduce(f64::min))
            .number("slowest_ms", trial.times_ms.iter().copied().reduce(f64::max))
            .number("compile_ms", trial.compile_ms)
            .number("verification_ms", trial.verification_ms)
            .number("benchmark_ms", trial.benchmark_ms)
            .number("strategy_ms", trial.strategy_ms)
            .number("framework_ms", trial.framework_ms)
            .text("timestamp", &trial.timestamp);
        for name in &metrics {
            row.number(&format!("metric_{name}"), trial.metrics.get(*name).copied());
        }
        for (name, value) in &configuration.0 {
            row.text(&format!("parameter_{name}"), value);
        }
        table.push(row);
    }
    table.csv()
}
