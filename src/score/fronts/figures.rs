//! All values of a comparison of fronts as rows, with the comparison's record and files.

use chrono::{DateTime, Utc};
use records::{Headline, SCORE_FORMAT, SCORE_VERSION, ScoreRecord, ScoreRow, ScoredSpace};
use report::exporters::{ExportError, NamedFile, Table, TableRow, png};
use scoring::{FrontSpace, OverSpaces};

use super::{ComparedFronts, FIGURES};
use crate::{score::text::figures_csv, terminal::Failure};

/// A value of one strategy compared with another, after a number of evaluations.
type Against<'a> = &'a dyn Fn(usize, usize, usize) -> OverSpaces;

impl ComparedFronts<'_> {
    pub(in crate::score) fn record(
        &self,
        started: DateTime<Utc>,
        rows: Vec<ScoreRow>,
    ) -> ScoreRecord {
        let space = |space: &FrontSpace| ScoredSpace {
            name: space.name.clone(),
            configurations: space.space.len(),
            kernel: space.origin.kernel.clone(),
            device: space.origin.device.clone(),
            learnt_from: Vec::new(),
        };
        let evaluations = self.evaluations.last().map(|n| *n as u64);
        ScoreRecord {
            format: SCORE_FORMAT.to_owned(),
            version: SCORE_VERSION,
            autobench: env!("CARGO_PKG_VERSION").to_owned(),
            started,
            wall_seconds: 0.0,
            repeats: self.arguments.repeats,
            seed: self.arguments.seed,
            objectives: self.arguments.objectives.clone(),
            spaces: self.spaces.iter().map(space).collect(),
            strategies: self.ranking.iter().map(|at| self.label(*at).to_owned()).collect(),
            headline: Headline { figure: "gain".to_owned(), evaluations },
            chosen: self.choice.as_ref().map(|choice| self.label(choice.chosen).to_owned()),
            rows: rows.into_iter().map(ScoreRow::finite).collect(),
        }
    }

    /// All rows: first against random search, then of every pair, then of every space.
    pub(in crate::score) fn rows(&self) -> Vec<ScoreRow> {
        let figures = self.figures();
        let gain: Against<'_> = &|a, b, n| figures.gain(a, b, n);
        let evaluations: Against<'_> = &|a, b, n| figures.faster_by_evaluations(a, b, n);
        let time: Against<'_> = &|a, b, n| figures.faster_by_time(a, b, n);
        let less_time: Against<'_> = &|a, b, n| figures.less_time(a, b, n);
        let last = self.last_cut().1;
        let mut rows = Vec::new();
        for &at in self.ranking.iter().filter(|at| **at != self.yardstick) {
            for n in &self.evaluations {
                self.push(("gain", gain), (at, self.yardstick), *n, &mut rows);
                self.push(("less_time", less_time), (at, self.yardstick), *n, &mut rows);
            }
            let random = (at, self.yardstick);
            self.push(("faster_by_evaluations", evaluations), random, last, &mut rows);
            self.push(("faster_by_time", time), random, last, &mut rows);
            for &other in &self.ranking {
                if other != at && other != self.yardstick {
                    for n in &self.evaluations {
                        self.push(("gain_over", gain), (at, other), *n, &mut rows);
                    }
                }
            }
        }
        for &at in &self.ranking {
            for (space, place) in self.spaces.iter().enumerate() {
                for (cut, n) in self.evaluations.iter().enumerate() {
                    let typical = self.typical((at, space, cut), |reached| reached.igd_plus);
                    rows.push(ScoreRow {
                        strategy: self.label(at).to_owned(),
                        space: Some(place.name.clone()),
                        evaluations: Some(*n as u64),
                        figure: "igd_plus".to_owned(),
                        value: Some(typical.median),
                        quartiles: Some(typical.quartiles),
                        interval: Some(typical.interval),
                        ..ScoreRow::default()
                    });
                }
            }
        }
        rows
    }

    /// Adds the rows of one value: over all spaces, then for each space.
    fn push(
        &self,
        (name, figure): (&str, Against<'_>),
        (strategy, other): (usize, usize),
        n: usize,
        rows: &mut Vec<ScoreRow>,
    ) {
        let over = figure(strategy, other, n);
        let against = (other != self.yardstick).then(|| self.label(other).to_owned());
        let row = ScoreRow {
            strategy: self.label(strategy).to_owned(),
            evaluations: Some(n as u64),
            figure: name.to_owned(),
            against,
            ..ScoreRow::default()
        };
        let known = over.of_spaces.iter().filter(|value| !value.is_nan()).count();
        rows.push(ScoreRow {
            value: Some(over.mean),
            interval: Some(over.interval),
            spread: over.spread,
            found: name.starts_with("faster").then(|| known as f64 / over.of_spaces.len() as f64),
            ..row.clone()
        });
        for (space, value) in self.spaces.iter().zip(&over.of_spaces) {
            let space = Some(space.name.clone());
            rows.push(ScoreRow { space, value: Some(*value), ..row.clone() });
        }
    }

    pub(in crate::score) fn files(&self, rows: &[ScoreRow]) -> Result<Vec<NamedFile>, Failure> {
        let svg = self.picture().map_err(Failure::bug)?;
        Ok(vec![
            ("fronts.csv".to_owned(), self.csv().map_err(Failure::bug)?),
            ("figures.csv".to_owned(), figures_csv(rows).map_err(Failure::bug)?),
            ("fronts.png".to_owned(), png(&svg).map_err(Failure::bug)?),
            ("fronts.svg".to_owned(), svg.into_bytes()),
        ])
    }

    /// One row per strategy, space and number of evaluations.
    fn csv(&self) -> Result<Vec<u8>, ExportError> {
        let mut table = Table::default();
        for &at in &self.ranking {
            for (space, place) in self.spaces.iter().enumerate() {
                for (cut, n) in self.evaluations.iter().enumerate() {
                    let mut row = TableRow::default();
                    row.text("strategy", self.label(at))
                        .text("space", &place.name)
                        .count("runs", u64::from(self.arguments.repeats))
                        .count("evaluations", *n as u64);
                    for (name, figure) in FIGURES {
                        let typical = self.typical((at, space, cut), figure);
                        row.number(name, typical.median)
                            .number(&format!("{name}_low"), typical.interval.0)
                            .number(&format!("{name}_high"), typical.interval.1);
                    }
                    table.push(row);
                }
            }
        }
        table.csv()
    }
}
