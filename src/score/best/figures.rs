//! All values of a comparison as rows, and the comparison's record.

use chrono::{DateTime, Utc};
use records::{
    EVERY_STRATEGY, Headline, SCORE_FORMAT, SCORE_VERSION, ScoreRecord, ScoreRow, ScoredSpace,
};
use scoring::{Landscape, Matching, TimeShares, Wins, total};
use study::prior::learnt_from;

use super::{Measure, Scored};
use crate::score::arguments::RankedBy;

/// Half-width of a 95 % confidence interval in standard errors.
pub(super) const ERRORS: f64 = 1.96;

/// Evaluations and seconds that one strategy needs, on one space, to reach another's final median.
pub(in crate::score) struct Match {
    pub(super) strategy: usize,
    pub(super) against: usize,
    pub(super) space: usize,
    pub(super) matching: Matching,
    /// The other strategy's evaluations over those needed, minus 1: 1 is twice as fast.
    pub(super) faster_by_evaluations: Option<f64>,
    /// The same of the seconds of these evaluations.
    pub(super) faster_by_time: Option<f64>,
}

type Faster = fn(&Match) -> Option<f64>;

/// How much faster, by name.
pub(super) const FASTER: [(&str, Faster); 2] = [
    ("faster_by_evaluations", |one| one.faster_by_evaluations),
    ("faster_by_time", |one| one.faster_by_time),
];

impl Scored<'_> {
    /// Matches every pair of strategies on every space, at the largest number of evaluations that
    /// is shown.
    pub(in crate::score) fn matches(&self) -> Vec<Match> {
        let (mut all, last) = (Vec::new(), self.last_cut());
        for &strategy in &self.ranking {
            for &against in self.ranking.iter().filter(|other| **other != strategy) {
                for (space, landscape) in self.landscapes.iter().enumerate() {
                    let bests = self.standings[against][space].bests[last].as_ref();
                    let Some(bests) = bests else { continue };
                    let target = math::median(bests);
                    if !target.is_finite() {
                        continue;
                    }
                    let runs = &self.runs[strategy][space];
                    let matching = Matching::of(landscape, runs, target);
                    let evaluations = self.evaluations[last];
                    let seconds: Vec<f64> = self.runs[against][space]
                        .iter()
                        .map(|run| run.seconds_after(evaluations))
                        .collect();
                    let faster = |whole: f64, needed: f64| {
                        (needed.is_finite() && needed > 0.0).then(|| whole / needed - 1.0)
                    };
                    all.push(Match {
                        strategy,
                        against,
                        space,
                        matching,
                        faster_by_evaluations: faster(
                            evaluations as f64,
                            matching.evaluations.median,
                        ),
                        faster_by_time: faster(math::median(&seconds), matching.seconds.median),
                    });
                }
            }
        }
        all
    }

    /// The value by which strategies are sorted.
    pub(super) fn headline(&self) -> Headline {
        let at_last = self.evaluations.last().map(|n| *n as u64);
        let (figure, evaluations) = match self.arguments.ranked_by() {
            RankedBy::Share => (Measure::Share.name(), at_last),
            RankedBy::SpeedUp => (Measure::SpeedUp.name(), at_last),
            RankedBy::DeviationFactor => ("deviation_factor", None),
            RankedBy::Score | RankedBy::Gain => ("score", None),
        };
        Headline { figure: figure.to_owned(), evaluations }
    }

    pub(in crate::score) fn record(
        &self,
        started: DateTime<Utc>,
        rows: Vec<ScoreRow>,
    ) -> ScoreRecord {
        let space = |landscape: &scoring::Landscape| ScoredSpace {
            name: landscape.name.clone(),
            configurations: landscape.space.len(),
            kernel: landscape.origin.kernel.clone(),
            device: landscape.origin.device.clone(),
            learnt_from: learnt_from(&landscape.memory, &landscape.space),
        };
        let objective = self.landscapes.first().map(|l| l.objective.metric.clone());
        ScoreRecord {
            format: SCORE_FORMAT.to_owned(),
            version: SCORE_VERSION,
            autobench: env!("CARGO_PKG_VERSION").to_owned(),
            started,
            wall_seconds: 0.0,
            repeats: self.arguments.repeats,
            seed: self.arguments.seed,
            objectives: objective.into_iter().collect(),
            spaces: self.landscapes.iter().map(space).collect(),
            strategies: self.ranking.iter().map(|at| self.label(*at).to_owned()).collect(),
            headline: self.headline(),
            chosen: self.choice.as_ref().map(|choice| self.label(choice.chosen).to_owned()),
            rows: rows.into_iter().map(ScoreRow::finite).collect(),
        }
    }

    /// All rows. Rows over all spaces come first.
    pub(in crate::score) fn rows(&self, matches: &[Match]) -> Vec<ScoreRow> {
        let mut rows = Vec::new();
        for &at in &self.ranking {
            self.push_over_spaces(at, matches, &mut rows);
            rows.extend(self.ahead_rows(at));
        }
        rows.extend(self.target_rows());
        if self.arguments.bounds.any() {
            rows.extend(self.bounds_rows());
        }
        for &at in &self.ranking {
            for space in 0..self.landscapes.len() {
                self.push_of_space(at, space, &mut rows);
            }
        }
        rows
    }

    /// What the time of a strategy's runs is spent on: the mean of the spaces.
    pub(super) fn time_shares(&self, at: usize) -> TimeShares {
        let spaces = self.landscapes.iter().zip(&self.runs[at]);
        let all: Vec<TimeShares> =
            spaces.map(|(landscape, runs)| TimeShares::of(landscape, runs)).collect();
        let over = |of: fn(&TimeShares) -> f64| math::mean(&all.iter().map(of).collect::<Vec<_>>());
        TimeShares {
            seconds: over(|one| one.seconds),
            compile: over(|one| one.compile),
            check: over(|one| one.check),
            benchmark: over(|one| one.benchmark),
            framework: over(|one| one.framework),
            strategy: over(|one| one.strategy),
        }
    }

    /// Shares of the spaces that are within the bounds: their mean, then each.
    fn bounds_rows(&self) -> impl Iterator<Item = ScoreRow> {
        let shares = self.landscapes.iter().map(Landscape::share_within_bounds);
        let row = |space: Option<String>, share| ScoreRow {
            strategy: EVERY_STRATEGY.to_owned(),
            space,
            figure: "share_within_bounds".to_owned(),
            value: Some(share),
            ..ScoreRow::default()
        };
        let mean = row(None, math::mean(&shares.clone().collect::<Vec<_>>()));
        let each = self.landscapes.iter().zip(shares);
        let each = each.map(move |(space, share)| row(Some(space.name.clone()), share));
        std::iter::once(mean).chain(each)
    }

    fn measures(&self) -> impl Iterator<Item = Measure> {
        let speed_up = self.standards.is_some().then_some(Measure::SpeedUp);
        [Measure::Share].into_iter().chain(speed_up)
    }

    fn push_over_spaces(&self, at: usize, matches: &[Match], rows: &mut Vec<ScoreRow>) {
        let row = |figure: &str| ScoreRow {
            strategy: self.label(at).to_owned(),
            figure: figure.to_owned(),
            ..ScoreRow::default()
        };
        if self.arguments.budget.is_none() {
            let (score, error) = total(&self.standings[at]);
            let interval = error.map(|e| (score - ERRORS * e, score + ERRORS * e));
            rows.push(ScoreRow { value: Some(score), interval, ..row("score") });
        }
        for measure in self.measures() {
            for (cut, n) in self.evaluations.iter().enumerate() {
                let Some(over) = self.attained_over_spaces(measure, (at, cut)) else { continue };
                rows.push(ScoreRow {
                    evaluations: Some(*n as u64),
                    value: Some(over.mean),
                    interval: Some(over.interval),
                    spread: over.spread,
                    found: Some(over.found),
                    ..row(measure.name())
                });
            }
        }
        let times = self.time_shares(at);
        rows.push(ScoreRow { value: Some(times.seconds), ..row("run_seconds") });
        let shares = times.named().into_iter();
        rows.extend(shares.map(|(name, share)| ScoreRow { value: Some(share), ..row(name) }));
        let factor = &self.factors[at];
        rows.push(ScoreRow {
            value: Some(factor.mean),
            interval: Some(factor.interval),
            spread: factor.spread,
            ..row("deviation_factor")
        });
        for &other in self.ranking.iter().filter(|other| **other != at) {
            let against = Some(self.label(other).to_owned());
            let wins = Wins::over_spaces(&self.standings[at], &self.standings[other]);
            rows.push(ScoreRow {
                value: Some(wins.probability),
                interval: Some(wins.interval()),
                against: against.clone(),
                ..row("wins")
            });
            let (less, interval) = self.factors[at].below(&self.factors[other]);
            rows.push(ScoreRow {
                value: Some(less),
                interval: Some(interval),
                against: against.clone(),
                ..row("less_deviation")
            });
            let of = |one: &&Match| (one.strategy, one.against) == (at, other);
            for (name, faster) in FASTER {
                let all: Vec<Option<f64>> = matches.iter().filter(of).map(faster).collect();
                let known: Vec<f64> = all.iter().copied().flatten().collect();
                if !all.is_empty() {
                    rows.push(ScoreRow {
                        evaluations: self.evaluations.last().map(|n| *n as u64),
                        value: Some(math::mean(&known)),
                        spread: Some(math::standard_deviation(&known)),
                        found: Some(known.len() as f64 / all.len() as f64),
                        against: against.clone(),
                        ..row(name)
                    });
                }
            }
        }
    }

    fn push_of_space(&self, at: usize, space: usize, rows: &mut Vec<ScoreRow>) {
        let row = |figure: &str| ScoreRow {
            strategy: self.label(at).to_owned(),
            space: Some(self.landscapes[space].name.clone()),
            figure: figure.to_owned(),
            ..ScoreRow::default()
        };
        let standing = &self.standings[at][space];
        if self.arguments.budget.is_none() {
            let score = standing.score;
            let interval =
                standing.standard_error.map(|e| (score - ERRORS * e, score + ERRORS * e));
            rows.push(ScoreRow { value: Some(score), interval, ..row("score") });
        }
        for measure in self.measures() {
            for (cut, n) in self.evaluations.iter().enumerate() {
                let Some(attained) = self.attained(measure, (at, space, cut)) else { continue };
                rows.push(ScoreRow {
                    evaluations: Some(*n as u64),
                    value: Some(attained.median),
                    quartiles: Some(attained.quartiles),
                    interval: Some(attained.interval),
                    found: Some(attained.found),
                    ..row(measure.name())
                });
            }
        }
        let factor = self.factors[at].of_spaces[space];
        rows.push(ScoreRow { value: Some(factor), ..row("deviation_factor") });
    }
}
