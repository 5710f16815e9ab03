//! Texts and tables that both kinds of comparisons have.

use crate::{
    exporters::{ExportError, Table, TableRow, score_cells},
    records::ScoreRow,
};

/// Aligned columns, the first to the left, the others to the right.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0))
        .collect();
    let cell = |(at, text): (usize, &String)| match at {
        0 => format!("{text:<width$}", width = widths[at]),
        _ => format!("{text:>width$}", width = widths[at]),
    };
    let line = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
}

/// A square of probabilities: row and column are the strategies in their order.
pub(super) fn square(labels: &[&str], cell: &dyn Fn(usize, usize) -> String) -> Vec<String> {
    let mut rows = vec![vec![String::new()]];
    rows[0].extend((1..=labels.len()).map(|n| n.to_string()));
    for (at, label) in labels.iter().enumerate() {
        let mut row = vec![format!("{:>2} {label}", at + 1)];
        row.extend((0..labels.len()).map(|other| match other == at {
            true => "-".to_owned(),
            false => cell(at, other),
        }));
        rows.push(row);
    }
    aligned(&rows)
}

/// Rows of figures as a table.
pub(super) fn figures_csv(rows: &[ScoreRow]) -> Result<Vec<u8>, ExportError> {
    let mut table = Table::default();
    for row in rows {
        let mut cells = TableRow::default();
        score_cells(&mut cells, row);
        table.push(cells);
    }
    table.csv()
}
