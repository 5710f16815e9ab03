//! `candidates.csv` and `test.csv`. `docs/guide/files.md` documents the columns.

use records::{FamilyView, TestTable};

use crate::exporters::tables::columns::{Table, TableRow};

/// Returns a row for each candidate.
pub(super) fn candidates(view: &FamilyView) -> Table {
    let mut table = Table::default();
    for one in &view.candidates {
        let mut row = TableRow::default();
        row.count("number", one.number)
            .text("name", &one.name)
            .count("generation", one.generation)
            .text("mutation", &one.mutation)
            .count("parent", one.parent)
            .number("score", one.score)
            .number("standard_error", one.standard_error)
            .number("final_score", view.in_finals(one.number).and_then(|row| row.score))
            .number(
                "final_standard_error",
                view.in_finals(one.number).and_then(|row| row.standard_error),
            )
            .text("fault", one.fault.as_deref().unwrap_or_default())
            .count("same_as", one.same_as)
            .number("seconds", one.seconds)
            .number("answer_seconds", one.answer_seconds)
            .count("calls", one.calls)
            .count("tokens_read", one.tokens.map(|tokens| tokens.read))
            .count("tokens_written", one.tokens.map(|tokens| tokens.written))
            .count("lines", one.code.lines().count() as u64)
            .text("about", &one.about);
        for (at, space) in view.record.spaces.iter().enumerate() {
            row.number(&format!("score_{}", space.name), one.spaces.get(at).copied());
        }
        table.push(row);
    }
    table
}

/// Returns a row for each strategy and space, and one for each strategy over all spaces.
pub(super) fn test(test: &TestTable) -> Table {
    let mut table = Table::default();
    for row in &test.rows {
        let difference = row.difference.as_ref();
        let mut push = |space: &str, score: (f64, Option<f64>), difference: Option<_>| {
            let difference: Option<&records::Difference> = difference;
            let interval = difference.and_then(|one| one.interval);
            let over = difference.and_then(|one| one.over_spaces);
            let mut cells = TableRow::default();
            cells
                .text("strategy", &row.strategy)
                .text("space", space)
                .number("score", score.0)
                .number("standard_error", score.1)
                .count("runs", u64::from(test.repeats))
                .number("ahead", difference.map(|one| one.score))
                .number("ahead_low", interval.map(|one| one.0))
                .number("ahead_high", interval.map(|one| one.1))
                .number("ahead_low_over_spaces", over.map(|one| one.0))
                .number("ahead_high_over_spaces", over.map(|one| one.1))
                .number("wins", difference.map(|one| one.wins));
            table.push(cells);
        };
        push("all", (row.score, row.standard_error), difference);
        for (name, score) in test.spaces.iter().zip(&row.spaces) {
            push(name, *score, None);
        }
    }
    table
}
