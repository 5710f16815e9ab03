//! The answer of a search for knobs: in words, as JSON and as tables.

use autobench::terminal::{Failure, output};
use math::mean;
use records::StudyFolder;
use report::exporters::{Table, TableRow, aligned, quantities::counted};
use scoring::{Landscape, LeftOut, LeftOutBy, Searched, Standing, TriedSetting, total};
use serde_json::{Value, json};

use super::{arguments::KnobsArgs, settings_file::row};

/// Standard errors on each side of a 95 % interval.
const ERRORS: f64 = 1.96;

/// The answer of a search, ready to be printed and written.
pub(super) struct Answer<'a> {
    pub(super) arguments: &'a KnobsArgs,
    pub(super) landscapes: &'a [Landscape],
    pub(super) searched: &'a Searched,
    /// Number of all possible settings.
    pub(super) size: u64,
}

/// The best setting and the unchanged strategy, scored with fresh seeds.
type Fresh = [TriedSetting; 2];

/// A difference of scores, and half of its 95 % interval if known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Difference {
    score: f64,
    half: Option<f64>,
}

impl Difference {
    /// Difference of two scores, with the sum of their squared standard errors.
    fn of(better: f64, other: f64, squares: Option<f64>) -> Self {
        let half = squares.map(|squares| ERRORS * squares.sqrt());
        // Identical runs tell nothing about the error.
        Self { score: better - other, half: half.filter(|half| *half > 0.0) }
    }

    fn interval(self) -> Option<[f64; 2]> {
        self.half.map(|half| [self.score - half, self.score + half])
    }

    fn told(self) -> String {
        let interval = self.interval();
        let interval = interval.map(|[low, high]| format!(" ({low:+.3} to {high:+.3})"));
        format!("{:+.3}{}", self.score, interval.unwrap_or_default())
    }
}

/// Mean scores on spaces that a search left out.
struct Scores {
    score: f64,
    /// Score with the first settings.
    first: f64,
    difference: Difference,
}

impl Answer<'_> {
    pub(super) fn print(&self, fresh: &Fresh, folder: &StudyFolder) -> Result<(), Failure> {
        let screen = self.arguments.screen;
        if screen.json {
            return output::json(&self.json(fresh, folder));
        }
        if screen.quiet {
            return Ok(());
        }
        let best = &self.searched.tried[self.searched.best];
        output::line(&format!(
            "best      {}: {} on {}, {} with the first settings",
            best.strategy,
            told(&best.standings),
            counted(self.landscapes.len(), "space"),
            told(self.first())
        ))?;
        let searches = self.searched.searches;
        output::line(&format!(
            "searched  {} of {} in {} with {}, {} each",
            self.searched.tried.len(),
            counted(self.size as usize, "setting"),
            if searches == 1 { "1 search".to_owned() } else { format!("{searches} searches") },
            self.arguments.with,
            counted(self.arguments.repeats as usize, "run")
        ))?;
        for line in self.faults(fresh) {
            output::line(&line)?;
        }
        let [found, own] = fresh;
        output::line(&format!(
            "fresh     {}, {} as it is: {}, {} each from seeds that no search used",
            told(&found.standings),
            told(&own.standings),
            of_fresh(fresh).told(),
            counted(self.arguments.fresh_repeats as usize, "run")
        ))?;
        self.print_left_out()?;
        output::line(&format!("results   {}", folder.path().display()))
    }

    fn print_left_out(&self) -> Result<(), Failure> {
        let mut title = "left out";
        for by in LeftOutBy::ALL {
            let Some(Scores { score, first, difference }) = self.left_out(by) else { continue };
            output::line(&format!(
                "{title:<9} {score:.3} on {}s that the search did not know, {first:.3} with the first \
                 settings: {}",
                by.word(),
                difference.told()
            ))?;
            title = "";
        }
        if title == "left out" {
            return Ok(());
        }
        let mut rows = vec![["left out", "score", "first", "settings"].map(str::to_owned).to_vec()];
        rows.extend(self.searched.left_out.iter().map(|one| {
            let [(score, _), (first, _)] = self.of(one);
            let name = match one.of.by {
                LeftOutBy::Space => one.of.name.clone(),
                by => format!("{} {}", by.word(), one.of.name),
            };
            let strategy = &self.searched.tried[one.found].strategy;
            vec![name, format!("{score:.3}"), format!("{first:.3}"), strategy.clone()]
        }));
        for line in aligned(&rows, &[0, 3]) {
            output::line(&format!("          {line}"))?;
        }
        Ok(())
    }

    /// Failures of settings, of the searching strategy, and of the final runs.
    fn faults(&self, fresh: &Fresh) -> Vec<String> {
        let mut lines = Vec::new();
        let mut failing = self.failing();
        if let Some(first) = failing.next() {
            let count = counted(1 + failing.count(), "setting");
            let why = fault(first);
            lines.push(format!(
                "failed    {count} in some runs, and cannot be the best; `{}`: {why}",
                first.strategy
            ));
        }
        if let Some(why) = &self.searched.fault {
            lines.push(format!("failed    {}, which searched: {why}", self.arguments.with));
        }
        for one in fresh.iter().filter(|one| one.failed > 0) {
            let count = counted(one.failed, "fresh run");
            lines.push(format!("failed    {count} of `{}`: {}", one.strategy, fault(one)));
        }
        lines
    }

    /// Settings that failed in at least one run.
    fn failing(&self) -> impl Iterator<Item = &TriedSetting> {
        self.searched.tried.iter().filter(|tried| tried.failed > 0)
    }

    /// Results of the first settings: the defaults, as far as they are among the values.
    fn first(&self) -> &[Standing] {
        &self.searched.tried[0].standings
    }

    /// Scores and standard errors on the spaces that one search left out: of the settings it found,
    /// and of the first settings.
    fn of(&self, one: &LeftOut) -> [(f64, Option<f64>); 2] {
        let over = |all: &[Standing]| {
            let of: Vec<Standing> = one.of.spaces.iter().map(|at| all[*at].clone()).collect();
            total(&of)
        };
        [over(&self.searched.tried[one.found].standings), over(self.first())]
    }

    /// Mean scores on left-out spaces of the found and of the first settings, and their difference.
    fn left_out(&self, by: LeftOutBy) -> Option<Scores> {
        let all = self.searched.left_out.iter().filter(|one| one.of.by == by);
        let of: Vec<[(f64, Option<f64>); 2]> = all.clone().map(|one| self.of(one)).collect();
        if of.is_empty() {
            return None;
        }
        let over =
            |which: usize| mean(&of.iter().map(|scores| scores[which].0).collect::<Vec<_>>());
        let (score, first) = (over(0), over(1));
        let square = |(one, [found, first]): (&LeftOut, &[(f64, Option<f64>); 2])| {
            // The found settings are the first ones: their runs are the same.
            if one.found == 0 {
                return Some(0.0);
            }
            Some(found.1?.powi(2) + first.1?.powi(2))
        };
        let squares: Option<f64> = all.zip(&of).map(square).sum();
        let squares = squares.map(|squares| squares / (of.len() as f64).powi(2));
        Some(Scores { score, first, difference: Difference::of(score, first, squares) })
    }

    fn json(&self, fresh: &Fresh, folder: &StudyFolder) -> String {
        let one = |one: &LeftOut| {
            let [(score, _), (first, _)] = self.of(one);
            json!({
                one.of.by.word(): one.of.name,
                "strategy": self.searched.tried[one.found].strategy,
                "score": score,
                "score_of_first": first,
            })
        };
        let each = |by: LeftOutBy| {
            let all = self.searched.left_out.iter().filter(|one| one.of.by == by);
            all.map(one).collect::<Vec<_>>()
        };
        let part = |by: LeftOutBy| {
            self.left_out(by).map(|scores| {
                json!({
                    "score": scores.score,
                    "score_of_first": scores.first,
                    "difference": scores.difference.score,
                    "interval": scores.difference.interval(),
                    "each": each(by),
                })
            })
        };
        let summary = self.left_out(LeftOutBy::Space);
        let difference = of_fresh(fresh);
        let document = json!({
            "folder": folder.path(),
            "best": setting(&self.searched.tried[self.searched.best]),
            "first": setting(&self.searched.tried[0]),
            "tried": self.searched.tried.len(),
            "settings": self.size,
            "failed": self.failing().map(setting).collect::<Vec<_>>(),
            "fault_of_search": self.searched.fault.as_deref(),
            "fresh": {
                "repeats": self.arguments.fresh_repeats,
                "best": setting(&fresh[0]),
                "as_it_is": setting(&fresh[1]),
                "difference": difference.score,
                "interval": difference.interval(),
            },
            "left_out": each(LeftOutBy::Space),
            "left_out_score": summary.as_ref().map(|all| all.score),
            "left_out_difference": summary.as_ref().map(|all| all.difference.score),
            "left_out_interval": summary.and_then(|all| all.difference.interval()),
            "left_out_kernels": part(LeftOutBy::Kernel),
            "left_out_devices": part(LeftOutBy::Device),
        });
        format!("{document:#}")
    }

    /// Writes the result of every search that left out a space, a kernel or a device.
    pub(super) fn write_left_out(&self, folder: &StudyFolder) -> Result<(), Failure> {
        let mut table = Table::default();
        for one in &self.searched.left_out {
            let [(score, error), (first, of_first)] = self.of(one);
            let mut row = TableRow::default();
            row.text("left_out", one.of.by.word())
                .text("name", &one.of.name)
                .text("strategy", &self.searched.tried[one.found].strategy)
                .number("score", score)
                .number("standard_error", error)
                .number("score_of_first", first)
                .number("standard_error_of_first", of_first);
            table.push(row);
        }
        write("left_out.csv", table, folder)
    }

    /// Writes the scores with fresh seeds.
    pub(super) fn write_fresh(&self, fresh: &Fresh, folder: &StudyFolder) -> Result<(), Failure> {
        let mut table = Table::default();
        fresh.iter().for_each(|one| table.push(row(one, self.landscapes)));
        write("fresh.csv", table, folder)
    }
}

fn write(name: &str, table: Table, folder: &StudyFolder) -> Result<(), Failure> {
    folder.write_whole(name, &table.csv().map_err(Failure::bug)?).map_err(Failure::stored)
}

/// How much better the best setting is than the unchanged strategy.
fn of_fresh([best, own]: &Fresh) -> Difference {
    let ((better, error), (other, of_other)) = (total(&best.standings), total(&own.standings));
    let same = best.standings == own.standings;
    let squares = error.zip(of_other).map(|(a, b)| a.powi(2) + b.powi(2));
    Difference::of(better, other, squares.filter(|_| !same))
}

fn setting(tried: &TriedSetting) -> Value {
    let (score, error) = total(&tried.standings);
    json!({
        "strategy": tried.strategy,
        "score": score,
        "standard_error": error,
        "failed_runs": tried.failed,
        "fault": tried.fault.as_deref(),
    })
}

fn fault(tried: &TriedSetting) -> &str {
    tried.fault.as_deref().unwrap_or_default()
}

fn told(standings: &[Standing]) -> String {
    match total(standings) {
        (score, Some(error)) => format!("{score:.3} ±{error:.3}"),
        (score, None) => format!("{score:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_told_only_where_runs_say_how_wide_it_is() {
        let told = |squares| Difference::of(0.75, 0.5, squares).told();
        assert_eq!(told(None), "+0.250", "a single run has no spread");
        assert_eq!(told(Some(0.0)), "+0.250", "the same runs");
        assert_eq!(told(Some(0.01)), "+0.250 (+0.054 to +0.446)");
    }
}
