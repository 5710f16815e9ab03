//! Text and tables that both kinds of comparisons use.

use records::ScoreRow;
use report::exporters::{ExportError, Table, TableRow, aligned, score_cells};
use scoring::{Candidate, Choice, counted};

/// A table of probabilities. Rows and columns are the strategies in their order.
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
    aligned(&rows, &[0])
}

/// The front that `--choose` chose from, and its choice. `what` names the two values of a strategy.
pub(super) fn chosen<'a>(
    choice: Option<&Choice>,
    what: &str,
    label: impl Fn(usize) -> &'a str,
) -> Vec<String> {
    let Some(choice) = choice else { return Vec::new() };
    let line = |at: &usize| {
        let Candidate { median, range } = choice.averages[*at];
        let mark = if *at == choice.chosen { "  chosen" } else { "" };
        format!("  {median:.4}  {range:.4}  {}{mark}", label(*at))
    };
    let head = [String::new(), format!("{what}, and its quartiles' distance: the front of both")];
    head.into_iter().chain(choice.front.iter().map(line)).collect()
}

/// Faults in the runs of a strategy that is a script, one line each.
pub(super) fn faults<'a>(
    label: &str,
    runs: usize,
    faults: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let told = |(fault, times): (&str, usize)| {
        format!("{label} failed in {times} of {runs} runs: {fault}")
    };
    counted(faults).into_iter().map(told).collect()
}

/// Writes the rows of values as a table.
pub(super) fn figures_csv(rows: &[ScoreRow]) -> Result<Vec<u8>, ExportError> {
    let mut table = Table::default();
    for row in rows {
        let mut cells = TableRow::default();
        score_cells(&mut cells, row);
        table.push(cells);
    }
    table.csv()
}
