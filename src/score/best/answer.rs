//! A comparison as text, or as JSON.

use report::exporters::{aligned, words};
use scoring::{TimeShares, beats, total};
use serde_json::{Map, Value, json};
use study::prior::learnt_from;

use super::{Measure, Scored};
use crate::score::text::{chosen, square};

/// Up to this many strategies, every pair is shown.
const PAIRED: usize = 12;

impl Scored<'_> {
    /// A table of strategies with their values over all spaces and on each space, then a table of
    /// who beats whom.
    pub(in crate::score) fn lines(&self) -> Vec<String> {
        let mut rows = vec![self.header()];
        rows.extend(self.ranking.iter().map(|&at| self.row(at)));
        let mut lines = aligned(&rows, &[0]);
        lines.push(String::new());
        lines.extend(self.explanation());
        lines.extend(self.legend());
        if (2..=PAIRED).contains(&self.ranking.len()) {
            let labels: Vec<&str> = self.ranking.iter().map(|&at| self.label(at)).collect();
            let standings = |rank: usize| &self.standings[self.ranking[rank]];
            lines.push(String::new());
            lines.push(
                "probability that a run of the row ends better than one of the column, ties shared"
                    .to_owned(),
            );
            lines.extend(square(&labels, &|row, column| {
                format!("{:.2}", beats(standings(row), standings(column)))
            }));
        }
        lines.extend(self.times_in_words());
        lines.extend(self.targets_in_words());
        let what = "typical distance from the optimum";
        lines.extend(chosen(self.choice.as_ref(), what, |at| self.label(at)));
        lines
    }

    /// What the simulated time of the runs is spent on.
    fn times_in_words(&self) -> Vec<String> {
        let mut header = vec!["simulated time of a run".to_owned(), "seconds".to_owned()];
        let of = |text: &str| text.trim_end_matches("_share").to_owned();
        header.extend(TimeShares::default().named().map(|(name, _)| of(name)));
        let mut rows = vec![header];
        for &at in &self.ranking {
            let times = self.time_shares(at);
            let mut row = vec![self.label(at).to_owned(), format!("{:.1}", times.seconds)];
            row.extend(times.named().map(|(name, share)| {
                match name == "strategy_share" && !self.arguments.charge_strategy_time {
                    true => "-".to_owned(),
                    false => format!("{:.1} %", 100.0 * share),
                }
            }));
            rows.push(row);
        }
        std::iter::once(String::new()).chain(aligned(&rows, &[0])).collect()
    }

    fn is_timed(&self) -> bool {
        self.arguments.budget.is_none()
    }

    fn header(&self) -> Vec<String> {
        let mut header = vec!["strategy".to_owned()];
        if self.is_timed() {
            header.push("score".to_owned());
        }
        header.push("deviation".to_owned());
        let before = if self.measure() == Measure::SpeedUp { "speed-up " } else { "" };
        header.extend(self.evaluations.iter().map(|n| format!("{before}@{n}")));
        header.push("found".to_owned());
        header.push("wins".to_owned());
        header.extend((1..=self.landscapes.len()).map(|n| format!("space {n}")));
        header
    }

    fn row(&self, at: usize) -> Vec<String> {
        let standings = &self.standings[at];
        let mut row = vec![self.label(at).to_owned()];
        if self.is_timed() {
            let (score, error) = total(standings);
            row.push(with_error(score, error));
        }
        let factor = &self.factors[at];
        let spread = factor.spread.map_or_else(String::new, |spread| format!(" ±{spread:.2}"));
        row.push(format!("{:.2}{spread}", factor.mean));
        let none = || "-".to_owned();
        let measure = self.measure();
        for cut in 0..self.evaluations.len() {
            let over = self.attained_over_spaces(measure, (at, cut));
            row.push(over.map_or_else(none, |over| {
                let (low, high) = over.interval;
                format!("{:.3} ({low:.3} to {high:.3})", over.mean)
            }));
        }
        let over = self.attained_over_spaces(measure, (at, self.last_cut()));
        row.push(over.map_or_else(none, |over| format!("{:.0} %", 100.0 * over.found)));
        let best = self.ranking[0];
        let won = beats(standings, &self.standings[best]);
        row.push(if at == best { none() } else { format!("{won:.2}") });
        row.extend((0..self.landscapes.len()).map(|space| match self.is_timed() {
            true => with_error(standings[space].score, standings[space].standard_error),
            false => {
                let attained = self.attained(measure, (at, space, self.last_cut()));
                attained.map_or_else(none, |attained| {
                    let (low, high) = attained.quartiles;
                    format!("{:.3} [{low:.3}, {high:.3}]", attained.median)
                })
            }
        }));
        row
    }

    fn explanation(&self) -> Vec<String> {
        let (repeats, seed) = (self.arguments.repeats, self.arguments.seed);
        let runs = match self.arguments.budget {
            None => format!(
                "{repeats} runs each from seed {seed}; score: 0 is random search, 1 the optimum, ± is one standard error"
            ),
            Some(budget) => {
                let time = self.arguments.time;
                let time =
                    time.map_or_else(String::new, |time| format!(" or {time} simulated seconds"));
                format!(
                    "{repeats} runs each from seed {seed}, of {budget} evaluations{time}; space: median over the runs [quartiles]"
                )
            }
        };
        let what = match &self.arguments.speed_up_over {
            Some(standard) => format!("speed-up over the best with `{standard}`"),
            None => "share of the optimum".to_owned(),
        };
        vec![
            runs,
            format!(
                "@N: {what} after N evaluations, mean over the spaces of the median over the runs \
                 (95 % interval), where a run that found nothing counts as 0; found: share of the \
                 runs that found anything"
            ),
            "deviation: distance from the optimum in units of all these strategies' mean, ± its \
             standard deviation over the spaces; wins: probability that a run ends better than one \
             of the first"
                .to_owned(),
        ]
    }

    /// Says which column is which space.
    fn legend(&self) -> Vec<String> {
        let line = |(at, landscape): (usize, &scoring::Landscape)| {
            let size = landscape.space.len();
            let timed = self.is_timed().then(|| {
                let (from, to) = landscape.baseline().span;
                let (first, last) = landscape.baseline().evaluations;
                format!(
                    ", scored from {from:.1} to {to:.1} s ({first} to {last} evaluations of random search)"
                )
            });
            let timed = timed.unwrap_or_default();
            let within = landscape.share_within_bounds();
            let within = self.arguments.bounds.any().then(|| {
                format!(
                    ", {:.1} % of those that did not fail are within the bounds",
                    100.0 * within
                )
            });
            let within = within.unwrap_or_default();
            let learnt = learnt_from(&landscape.memory, &landscape.space);
            let learnt: Vec<String> = learnt.iter().map(words::conditions::learnt).collect();
            let learnt = match learnt.is_empty() {
                true => String::new(),
                false => format!("; learns from {}", learnt.join(", ")),
            };
            format!(
                "space {}: {}, {size} configurations{within}{timed}{learnt}",
                at + 1,
                landscape.name
            )
        };
        self.landscapes.iter().enumerate().map(line).collect()
    }

    pub(in crate::score) fn json(&self) -> String {
        let strategies: Vec<Value> = self.ranking.iter().map(|&at| self.strategy(at)).collect();
        let mut answer = json!({
            "repeats": self.arguments.repeats,
            "seed": self.arguments.seed,
            "strategies": strategies,
        });
        if let Some(choice) = &self.choice {
            answer["chosen"] = json!(self.label(choice.chosen));
        }
        format!("{answer:#}")
    }

    fn strategy(&self, at: usize) -> Value {
        let standings = &self.standings[at];
        let (score, error) = total(standings);
        let against = self.ranking.iter().filter(|other| **other != at).map(|&other| {
            (self.label(other).to_owned(), json!(beats(standings, &self.standings[other])))
        });
        let spaces = self.landscapes.iter().enumerate().map(|(space, landscape)| {
            let standing = &standings[space];
            let fractions = self.evaluations.iter().zip(&standing.fractions);
            let fractions: Map<String, Value> =
                fractions.map(|(n, fraction)| (n.to_string(), json!(fraction))).collect();
            let one = json!({
                "score": standing.score,
                "standard_error": standing.standard_error,
                "fraction_of_optimum": fractions,
                "attained": self.attained_by_cuts((at, space)),
            });
            (landscape.name.clone(), one)
        });
        let factor = &self.factors[at];
        json!({
            "name": self.label(at),
            "score": score,
            "standard_error": error,
            "mean_deviation_factor": factor.mean,
            "deviation_factor_spread": factor.spread,
            "spaces": spaces.collect::<Map<_, _>>(),
            "probability_of_beating": against.collect::<Map<_, _>>(),
        })
    }

    /// What a strategy attained after each number of evaluations.
    fn attained_by_cuts(&self, (strategy, space): (usize, usize)) -> Value {
        let measure = self.measure();
        let cuts = self.evaluations.iter().enumerate().filter_map(|(cut, n)| {
            let attained = self.attained(measure, (strategy, space, cut))?;
            let one = json!({
                measure.name(): attained.median,
                "quartiles": attained.quartiles,
                "interval": attained.interval,
                "found": attained.found,
            });
            Some((n.to_string(), one))
        });
        Value::Object(cuts.collect())
    }
}

fn with_error(value: f64, error: Option<f64>) -> String {
    error.map_or_else(|| format!("{value:.3}"), |error| format!("{value:.3} ±{error:.3}"))
}
