//! Comparisons of strategies in a suite: their values next to the published ones.

use records::{EVERY_STRATEGY, ScoreRecord, ScoreRow};
use report::exporters::{ExportError, Table, TableRow, quantities::significant, score_cells};

use super::{published::FigureName, row::SuiteRow};

/// A value of a strategy, next to the published one.
#[derive(Debug, Clone, PartialEq)]
pub struct BesidePublished<'a> {
    /// The value.
    pub row: &'a ScoreRow,
    /// The published value; empty if there is none.
    pub published: &'a str,
}

/// The values of a comparison that its suite shows: for every strategy the main value, and all
/// values that have a published counterpart.
#[must_use]
pub fn shown(study: &SuiteRow) -> Vec<BesidePublished<'_>> {
    let Some(record) = &study.score else { return Vec::new() };
    let mut shown = Vec::new();
    let every = EVERY_STRATEGY.to_owned();
    for strategy in record.strategies.iter().chain([&every]) {
        let published = || study.published.figures.iter().filter(|p| p.strategy == *strategy);
        let answers =
            |figure: &FigureName| record.answer_of(strategy).is_some_and(|row| figure.is_of(row));
        if let Some(row) = record.answer_of(strategy) {
            let own = published().find(|p| p.figure.as_ref().is_none_or(answers));
            shown.push(BesidePublished { row, published: own.map_or("", |p| p.text.as_str()) });
        }
        for one in published() {
            let Some(figure) = one.figure.as_ref().filter(|figure| !answers(figure)) else {
                continue;
            };
            let of = |row: &&ScoreRow| row.strategy == *strategy && figure.is_of(row);
            let row = record.rows.iter().find(of);
            shown.extend(row.map(|row| BesidePublished { row, published: &one.text }));
        }
    }
    shown
}

/// The name of a value: `speed_up @250`, `wins over random`.
#[must_use]
pub(super) fn named(row: &ScoreRow) -> String {
    let at = row.evaluations.map_or_else(String::new, |n| format!(" @{n}"));
    let against = row.against.as_ref().map_or_else(String::new, |other| format!(" over {other}"));
    format!("{}{at}{against}", row.figure)
}

/// Whether the value is a share, shown in percent.
fn is_share(row: &ScoreRow) -> bool {
    let figure = row.figure.as_str();
    ["gain", "gain_over", "less_time", "less_deviation", "share_within_bounds"].contains(&figure)
        || figure.starts_with("faster")
        || figure.ends_with("_share")
}

/// A value with its spread and interval: `0.936 ± 0.04 (0.92 to 0.95)`.
#[must_use]
pub(super) fn value(row: &ScoreRow) -> String {
    let Some(value) = row.value else { return "never".to_owned() };
    let number = |value: f64| match is_share(row) {
        true => format!("{:.1}", 100.0 * value),
        false => significant(value, 3),
    };
    let unit = if is_share(row) { " %" } else { "" };
    let spread = row.spread.map_or_else(String::new, |spread| format!(" ± {}", number(spread)));
    let interval = row
        .interval
        .map_or_else(String::new, |(low, high)| format!(" ({} to {})", number(low), number(high)));
    format!("{}{spread}{unit}{interval}", number(value))
}

/// The best strategy of a comparison, and the chosen one.
#[must_use]
pub(super) fn answer(record: &ScoreRecord) -> String {
    let best = record.strategies.first().map_or("no strategy", String::as_str);
    let chosen =
        record.chosen.as_ref().map_or_else(String::new, |chosen| format!("; chosen: {chosen}"));
    format!("{best}{chosen}")
}

/// Builds `scores.csv`: the values of all comparisons of a suite.
///
/// # Errors
/// If the table cannot be built.
pub(super) fn csv(rows: &[SuiteRow]) -> Result<Vec<u8>, ExportError> {
    let mut table = Table::default();
    for study in rows {
        let Some(record) = &study.score else { continue };
        let beside = shown(study);
        for row in &record.rows {
            let published = beside.iter().find(|one| std::ptr::eq(one.row, row));
            let mut cells = TableRow::default();
            cells.count("study", study.study as u64).text("label", &study.label);
            score_cells(&mut cells, row);
            cells.text("published", published.map_or("", |one| one.published));
            table.push(cells);
        }
    }
    table.csv()
}
