//! A family in words: its best, its cost, and the final table.

use records::{CandidateRecord, Difference, FamilyView, TestRow, TestTable};

use crate::exporters::words::{
    aligned::aligned,
    quantities::{counted, grouped, rough_time, significant},
};

/// Longer lists of numbers are cut in the middle.
const MOST_NUMBERS: usize = 12;

/// Formats a score with its standard error.
#[must_use]
pub fn error(score: Option<f64>, standard_error: Option<f64>) -> String {
    match (score, standard_error) {
        (None, _) => "–".to_owned(),
        (Some(score), None) => format!("{score:.3}"),
        (Some(score), Some(error)) => format!("{score:.3} ±{error:.3}"),
    }
}

/// Formats a list of numbers. A long list shows its first and last numbers.
#[must_use]
pub fn numbers(all: &[u64]) -> String {
    let texts: Vec<String> = all.iter().map(u64::to_string).collect();
    if texts.len() <= MOST_NUMBERS {
        return texts.join(", ");
    }
    let half = MOST_NUMBERS / 2;
    format!("{}, …, {}", texts[..half].join(", "), texts[texts.len() - half..].join(", "))
}

/// Returns the lines of the summary, each with its label.
#[must_use]
pub fn summary(view: &FamilyView) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(best) = view.best() {
        let spaces = counted(view.record.spaces.len(), "space");
        let score = error(best.score, best.standard_error);
        let mut line = format!("{} (candidate {}): {score} on {spaces}", best.name, best.number);
        if let Some(row) = view.in_finals(best.number) {
            line += &format!(", {} in the finals", error(row.score, row.standard_error));
        }
        if !best.about.is_empty() {
            line += &format!("; {}", best.about);
        }
        lines.push(("best", line));
    }
    lines.push(("family", family(view)));
    lines.push(("cost", cost(view)));
    if let Some(remark) = &view.record.generator.remark {
        lines.push(("note", remark.clone()));
    }
    lines
}

/// Formats how many candidates there are, how many failed, and how many repeat another's code.
#[must_use]
pub fn family(view: &FamilyView) -> String {
    let all = &view.candidates;
    let generations = all.last().map_or(0, |last| last.generation);
    let failed = view.failed().count();
    let again = all.iter().filter(|one| one.same_as.is_some()).count();
    let generations = counted(usize::try_from(generations).unwrap_or(0), "generation");
    let mut text = format!("{} in {generations}", counted(all.len(), "candidate"));
    if failed > 0 {
        text += &format!(", {failed} failed");
    }
    if again > 0 {
        text += &format!(", {again} with the code of another");
    }
    text
}

fn cost(view: &FamilyView) -> String {
    let calls = counted(usize::try_from(view.calls()).unwrap_or(0), "call");
    let tokens = view.tokens().map(|tokens| format!(", {} tokens", grouped(tokens)));
    let sum = |of: fn(&CandidateRecord) -> f64| -> f64 { view.candidates.iter().map(of).sum() };
    let (asked, ran) = (sum(|one| one.answer_seconds), sum(|one| one.seconds));
    format!(
        "{calls}{}, {} for answers and {} for runs",
        tokens.unwrap_or_default(),
        rough_time(asked),
        rough_time(ran)
    )
}

/// Formats how a candidate was made: its mutation and its parent.
#[must_use]
pub fn lineage(candidate: &CandidateRecord) -> String {
    match candidate.parent {
        Some(parent) => format!("{} of {parent}", candidate.mutation),
        None => candidate.mutation.clone(),
    }
}

/// Formats why a candidate has no score of its own: a fault, or the code of another candidate.
#[must_use]
pub fn fate(candidate: &CandidateRecord) -> String {
    let same = candidate.same_as.map(|number| format!("the same code as candidate {number}"));
    let parts = same.into_iter().chain(candidate.fault.clone());
    parts.collect::<Vec<_>>().join(": ")
}

/// Formats the spaces, runs and seed of the final table.
#[must_use]
pub fn about_test(test: &TestTable) -> String {
    format!(
        "on {} that no candidate was scored on, {} runs each from seed {}",
        counted(test.spaces.len(), "space"),
        test.repeats,
        test.seed
    )
}

/// Meaning of the columns of the final table.
pub const TEST_LEGEND: &str = "score: 0 is random search, 1 the optimum, ± is one standard error; \
    ahead: score of the best candidate less that of the row, with the 95 % interval of runs on these \
    spaces, and of resampled spaces like these; wins: probability that a run of the best candidate \
    ends better";

/// Heads of the final table, without those of the spaces.
pub const TEST_HEAD: [&str; 6] =
    ["strategy", "score", "ahead", "of spaces like these", "better on", "wins"];

/// Returns the cells of a row of the final table, without those of the spaces.
#[must_use]
pub fn test_cells(row: &TestRow) -> [String; 6] {
    let score = error(Some(row.score), row.standard_error);
    let Some(difference) = &row.difference else {
        let none = || "-".to_owned();
        return [row.strategy.clone(), score, none(), none(), none(), none()];
    };
    let [ahead, over, better, wins] = ahead(difference, row.spaces.len());
    [row.strategy.clone(), score, ahead, over, better, wins]
}

fn ahead(difference: &Difference, spaces: usize) -> [String; 4] {
    let interval = |interval: Option<(f64, f64)>| {
        interval.map_or_else(String::new, |(low, high)| format!("({low:.3} to {high:.3})"))
    };
    let own = format!("{:.3} {}", difference.score, interval(difference.interval));
    [
        own.trim_end().to_owned(),
        interval(difference.over_spaces),
        format!("{} of {spaces}", difference.better_on),
        significant(difference.wins, 2),
    ]
}

/// Formats the final table as text.
#[must_use]
pub fn test_lines(test: &TestTable) -> Vec<String> {
    let mut head: Vec<String> = TEST_HEAD.map(str::to_owned).to_vec();
    head.extend((1..=test.spaces.len()).map(|n| format!("space {n}")));
    let mut rows = vec![head];
    for row in &test.rows {
        let mut cells = test_cells(row).to_vec();
        cells.extend(row.spaces.iter().map(|(score, own)| error(Some(*score), *own)));
        rows.push(cells);
    }
    let mut lines = vec![format!("final table {}", about_test(test))];
    lines.extend(aligned(&rows, &[0]));
    lines.push(TEST_LEGEND.to_owned());
    let named =
        test.spaces.iter().enumerate().map(|(at, name)| format!("space {}: {name}", at + 1));
    lines.extend(named);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_of_numbers_show_both_ends() {
        assert_eq!(numbers(&[1, 7]), "1, 7");
        let many: Vec<u64> = (1..=40).collect();
        assert_eq!(numbers(&many), "1, 2, 3, 4, 5, 6, …, 35, 36, 37, 38, 39, 40");
    }

    #[test]
    fn the_final_table_says_by_how_much_and_how_surely() {
        let best = TestRow {
            strategy: "mine".to_owned(),
            score: 0.6,
            standard_error: Some(0.01),
            spaces: vec![(0.6, Some(0.01))],
            difference: None,
        };
        let difference = Difference {
            score: 0.2,
            interval: Some((0.15, 0.25)),
            over_spaces: None,
            better_on: 1,
            wins: 0.75,
        };
        let other = TestRow {
            strategy: "random".to_owned(),
            score: 0.4,
            difference: Some(difference),
            ..best.clone()
        };
        let test = TestTable {
            best: 3,
            repeats: 100,
            seed: 1,
            spaces: vec!["a".to_owned()],
            rows: vec![best, other],
            seconds: 1.0,
        };
        let text = test_lines(&test).join("\n");
        for part in ["on 1 space that no", "0.200 (0.150 to 0.250)", "1 of 1", "0.75", "space 1: a"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
