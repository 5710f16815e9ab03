//! What a search of knobs answers, in words, as JSON and as tables.

use serde_json::json;

use super::arguments::KnobsArgs;
use crate::{
    cli::terminal::{Failure, output},
    exporters::{Table, TableRow, aligned},
    numeric::mean,
    records::StudyFolder,
    scoring::{Landscape, LeftOut, Searched, Standing, total},
};

/// Standard errors on both sides of a 95 % interval.
const ERRORS: f64 = 1.96;

/// The answer of a search.
pub(super) struct Answer<'a> {
    pub(super) arguments: &'a KnobsArgs,
    pub(super) landscapes: &'a [Landscape],
    pub(super) searched: &'a Searched,
    /// Number of all settings.
    pub(super) size: u64,
}

impl Answer<'_> {
    pub(super) fn print(&self, folder: &StudyFolder) -> Result<(), Failure> {
        let screen = self.arguments.screen;
        if screen.json {
            return output::line(&self.json(folder));
        }
        if screen.quiet {
            return Ok(());
        }
        let best = &self.searched.tried[self.searched.best];
        let spaces = self.landscapes.len();
        output::line(&format!(
            "best      {}: {} on {spaces} spaces, {} with the first settings",
            best.strategy,
            told(&best.standings),
            told(self.defaults())
        ))?;
        output::line(&format!(
            "searched  {} of {} settings in {} searches with {}, {} runs each",
            self.searched.tried.len(),
            self.size,
            1 + self.searched.left_out.len(),
            self.arguments.with,
            self.arguments.repeats
        ))?;
        if let Some((score, first, difference, half)) = self.left_out() {
            output::line(&format!(
                "left out  {score:.3} on spaces that the search did not know, {first:.3} with the \
                 first settings: {difference:+.3} ({:+.3} to {:+.3})",
                difference - half,
                difference + half
            ))?;
            let mut rows =
                vec![["space", "score", "first", "settings"].map(str::to_owned).to_vec()];
            rows.extend(self.searched.left_out.iter().map(|one| {
                let (found, first) = self.of(one);
                let name = &self.landscapes[one.space].name;
                let text = |standing: &Standing| format!("{:.3}", standing.score);
                let strategy = &self.searched.tried[one.found].strategy;
                vec![name.clone(), text(found), text(first), strategy.clone()]
            }));
            for line in aligned(&rows, &[0, 3]) {
                output::line(&format!("          {line}"))?;
            }
        }
        output::line(&format!("results   {}", folder.path().display()))
    }

    /// The first settings: the defaults, as far as they are among the values.
    fn defaults(&self) -> &[Standing] {
        &self.searched.tried[0].standings
    }

    /// Results on a space of what was found without it, and of the first settings.
    fn of(&self, one: &LeftOut) -> (&Standing, &Standing) {
        (&self.searched.tried[one.found].standings[one.space], &self.defaults()[one.space])
    }

    /// Mean score over the spaces that were left out, that of the first settings, their difference,
    /// and half of its 95 % interval.
    fn left_out(&self) -> Option<(f64, f64, f64, f64)> {
        let all = &self.searched.left_out;
        if all.is_empty() {
            return None;
        }
        let over = |of: &dyn Fn(&LeftOut) -> f64| mean(&all.iter().map(of).collect::<Vec<_>>());
        let (score, first) = (over(&|one| self.of(one).0.score), over(&|one| self.of(one).1.score));
        let square = |one: &LeftOut| {
            let (found, first) = self.of(one);
            // The same settings are the same runs.
            let error = |standing: &Standing| standing.standard_error.unwrap_or(0.0).powi(2);
            if one.found == 0 { 0.0 } else { error(found) + error(first) }
        };
        let squares: f64 = all.iter().map(square).sum();
        let half = ERRORS * squares.sqrt() / all.len() as f64;
        Some((score, first, score - first, half))
    }

    fn json(&self, folder: &StudyFolder) -> String {
        let setting = |at: usize| {
            let tried = &self.searched.tried[at];
            let (score, error) = total(&tried.standings);
            json!({ "strategy": tried.strategy, "score": score, "standard_error": error })
        };
        let left_out = self.searched.left_out.iter().map(|one| {
            let (found, first) = self.of(one);
            json!({
                "space": self.landscapes[one.space].name,
                "strategy": self.searched.tried[one.found].strategy,
                "score": found.score,
                "score_of_first": first.score,
            })
        });
        let summary = self.left_out();
        let document = json!({
            "folder": folder.path(),
            "best": setting(self.searched.best),
            "first": setting(0),
            "tried": self.searched.tried.len(),
            "settings": self.size,
            "left_out": left_out.collect::<Vec<_>>(),
            "left_out_score": summary.map(|one| one.0),
            "left_out_difference": summary.map(|one| one.2),
        });
        format!("{document:#}")
    }

    /// Writes every setting that was tried, and what was found without each space.
    pub(super) fn write(&self, folder: &StudyFolder) -> Result<(), Failure> {
        let mut settings = Table::default();
        for tried in &self.searched.tried {
            let (score, error) = total(&tried.standings);
            let mut row = TableRow::default();
            row.text("strategy", &tried.strategy).number("score", score);
            row.number("standard_error", error);
            for (landscape, standing) in self.landscapes.iter().zip(&tried.standings) {
                row.number(&format!("score_{}", landscape.name), standing.score);
            }
            settings.push(row);
        }
        let mut left_out = Table::default();
        for one in &self.searched.left_out {
            let (found, first) = self.of(one);
            let mut row = TableRow::default();
            row.text("space", &self.landscapes[one.space].name)
                .text("strategy", &self.searched.tried[one.found].strategy)
                .number("score", found.score)
                .number("standard_error", found.standard_error)
                .number("score_of_first", first.score)
                .number("standard_error_of_first", first.standard_error);
            left_out.push(row);
        }
        for (name, table) in [("settings.csv", settings), ("left_out.csv", left_out)] {
            let bytes = table.csv().map_err(Failure::bug)?;
            folder.write_whole(name, &bytes).map_err(Failure::stored)?;
        }
        Ok(())
    }
}

fn told(standings: &[Standing]) -> String {
    match total(standings) {
        (score, Some(error)) => format!("{score:.3} ±{error:.3}"),
        (score, None) => format!("{score:.3}"),
    }
}
