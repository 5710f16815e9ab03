//! Files of a comparison: tables and plots.

use records::ScoreRow;
use report::exporters::{ExportError, NamedFile, Table, TableRow, png};
use scoring::{Wins, overall, total};

use super::{
    Measure, Scored,
    figures::{FASTER, Match},
};
use crate::{score::text::figures_csv, terminal::Failure};

/// Curves are written and drawn at every `STEP`th point.
pub(super) const STEP: usize = 10;

impl Scored<'_> {
    pub(in crate::score) fn files(
        &self,
        rows: &[ScoreRow],
        matches: &[Match],
    ) -> Result<Vec<NamedFile>, Failure> {
        let mut files = vec![
            ("scores.csv".to_owned(), self.scores().map_err(Failure::bug)?),
            ("figures.csv".to_owned(), figures_csv(rows).map_err(Failure::bug)?),
            ("wins.csv".to_owned(), self.wins().map_err(Failure::bug)?),
            ("matching.csv".to_owned(), self.matching(matches).map_err(Failure::bug)?),
            ("progress.csv".to_owned(), self.progress().map_err(Failure::bug)?),
        ];
        if self.arguments.budget.is_none() {
            files.push(("curves.csv".to_owned(), self.curves().map_err(Failure::bug)?));
        }
        for (name, svg) in self.pictures().map_err(Failure::bug)? {
            files.push((format!("{name}.png"), png(&svg).map_err(Failure::bug)?));
            files.push((format!("{name}.svg"), svg.into_bytes()));
        }
        Ok(files)
    }

    /// One row per strategy and space, and one per strategy over all spaces.
    fn scores(&self) -> Result<Vec<u8>, ExportError> {
        let mut table = Table::default();
        let runs = u64::from(self.arguments.repeats);
        let push = |table: &mut Table, (label, space): (&str, &str), score, fractions: &[_]| {
            let (value, error): (f64, Option<f64>) = score;
            let mut row = TableRow::default();
            row.text("strategy", label)
                .text("space", space)
                .number("score", value)
                .number("standard_error", error)
                .count("runs", runs);
            for (n, fraction) in self.evaluations.iter().zip(fractions) {
                row.number(&format!("fraction_of_optimum_at_{n}"), *fraction);
            }
            table.push(row);
        };
        for &at in &self.ranking {
            let none = vec![None; self.evaluations.len()];
            push(&mut table, (self.label(at), "all"), total(&self.standings[at]), &none);
            for (landscape, standing) in self.landscapes.iter().zip(&self.standings[at]) {
                let score = (standing.score, standing.standard_error);
                push(&mut table, (self.label(at), &landscape.name), score, &standing.fractions);
            }
        }
        table.csv()
    }

    /// The mean performance over the time axis.
    fn curves(&self) -> Result<Vec<u8>, ExportError> {
        let mut table = Table::default();
        for &at in &self.ranking {
            let (performance, errors) = overall(&self.standings[at]);
            for (i, (value, error)) in performance.iter().zip(&errors).enumerate().step_by(STEP) {
                let mut row = TableRow::default();
                row.text("strategy", self.label(at))
                    .number("share_of_time", i as f64 / (performance.len() - 1) as f64)
                    .number("performance", *value)
                    .number("standard_error", *error);
                table.push(row);
            }
        }
        table.csv()
    }

    /// The probability that a run of one strategy beats a run of another.
    fn wins(&self) -> Result<Vec<u8>, ExportError> {
        let mut table = Table::default();
        for &at in &self.ranking {
            for &other in self.ranking.iter().filter(|other| **other != at) {
                let mut push = |space: &str, wins: Wins| {
                    let (low, high) = wins.interval();
                    let mut row = TableRow::default();
                    row.text("strategy", self.label(at))
                        .text("against", self.label(other))
                        .text("space", space)
                        .number("probability", wins.probability)
                        .number("low", low)
                        .number("high", high);
                    table.push(row);
                };
                let (one, two) = (&self.standings[at], &self.standings[other]);
                push("all", Wins::over_spaces(one, two));
                for (space, landscape) in self.landscapes.iter().enumerate() {
                    push(&landscape.name, Wins::on(&one[space], &two[space]));
                }
            }
        }
        table.csv()
    }

    /// Evaluations and seconds that each strategy needs to reach another's final median.
    fn matching(&self, matches: &[Match]) -> Result<Vec<u8>, ExportError> {
        let mut table = Table::default();
        for one in matches {
            let (evaluations, seconds) = (&one.matching.evaluations, &one.matching.seconds);
            let mut row = TableRow::default();
            row.text("strategy", self.label(one.strategy))
                .text("against", self.label(one.against))
                .text("space", &self.landscapes[one.space].name)
                .count("evaluations_of_the_other", self.evaluations.last().map(|n| *n as u64))
                .number("evaluations", evaluations.median)
                .number("evaluations_q1", evaluations.quartiles.0)
                .number("evaluations_q3", evaluations.quartiles.1)
                .number("evaluations_low", evaluations.interval.0)
                .number("evaluations_high", evaluations.interval.1)
                .number("seconds", seconds.median)
                .number("seconds_q1", seconds.quartiles.0)
                .number("seconds_q3", seconds.quartiles.1)
                .number("seconds_low", seconds.interval.0)
                .number("seconds_high", seconds.interval.1);
            for (name, faster) in FASTER {
                row.number(name, faster(one));
            }
            table.push(row);
        }
        table.csv()
    }

    /// The best value so far over evaluations.
    fn progress(&self) -> Result<Vec<u8>, ExportError> {
        let mut table = Table::default();
        for &at in &self.ranking {
            for (space, landscape) in self.landscapes.iter().enumerate() {
                for point in &self.standings[at][space].progress {
                    let mut row = TableRow::default();
                    row.text("strategy", self.label(at))
                        .text("space", &landscape.name)
                        .count("evaluations", point.evaluations as u64)
                        .number(Measure::Share.name(), point.median)
                        .number("q1", point.quartiles.0)
                        .number("q3", point.quartiles.1);
                    table.push(row);
                }
            }
        }
        table.csv()
    }
}
