//! A comparison as CSV: a row for each side, benchmark and size. The row over all sizes has an
//! empty size.

use crate::{
    comparison::{ComparedBenchmark, Comparison, Ratio},
    exporters::{ExportError, Table, TableRow},
};

/// Returns the table as CSV.
///
/// # Errors
/// If the table cannot be written.
pub fn table(comparison: &Comparison) -> Result<Vec<u8>, ExportError> {
    let mut table = Table::default();
    for other in &comparison.others {
        for benchmark in &other.benchmarks {
            let of = |size: Option<u64>, ratio: &Ratio| {
                let mut row = TableRow::default();
                start(&mut row, comparison, &other.name, benchmark);
                row.count("size", size)
                    .number("ratio", ratio.ratio)
                    .number("low", ratio.low)
                    .number("high", ratio.high)
                    .text("verdict", ratio.verdict.word());
                row
            };
            let mut whole = of(None, benchmark.shown());
            whole.number("first_seconds", None).number("seconds", None);
            whole.text("first_best", "").text("best", "");
            whole.number("first_share", None).number("share", None);
            table.push(whole);
            for size in &benchmark.sizes {
                let mut row = of(Some(size.size), size.shown());
                row.number("first_seconds", size.seconds.0)
                    .number("seconds", size.seconds.1)
                    .text("first_best", &size.configurations.0)
                    .text("best", &size.configurations.1)
                    .number("first_share", size.shares.0)
                    .number("share", size.shares.1);
                table.push(row);
            }
        }
    }
    table.csv()
}

fn start(row: &mut TableRow, all: &Comparison, side: &str, benchmark: &ComparedBenchmark) {
    row.text("first", &all.first)
        .text("other", side)
        .text("benchmark", &benchmark.benchmark)
        .count("first_studies", benchmark.studies.0 as u64)
        .count("studies", benchmark.studies.1 as u64);
}
