//! Values of comparisons of strategies as cells. `docs/guide/files.md` documents the columns.

use records::ScoreRow;

use super::columns::TableRow;

/// Adds the cells of a value.
pub fn score_cells(cells: &mut TableRow, row: &ScoreRow) {
    let low = |pair: Option<(f64, f64)>| pair.map(|pair| pair.0);
    let high = |pair: Option<(f64, f64)>| pair.map(|pair| pair.1);
    cells
        .text("strategy", &row.strategy)
        .text("space", row.space.as_deref().unwrap_or("all"))
        .count("evaluations", row.evaluations)
        .text("figure", &row.figure)
        .text("against", row.against.as_deref().unwrap_or_default())
        .number("value", row.value)
        .number("q1", low(row.quartiles))
        .number("q3", high(row.quartiles))
        .number("low", low(row.interval))
        .number("high", high(row.interval))
        .number("spread", row.spread)
        .number("found", row.found);
}
