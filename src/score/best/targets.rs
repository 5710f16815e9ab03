//! Strategies that were written for one kernel: how good they are on it, compared with those that
//! were written for others. Table 3 and figure 14 of *Automated Algorithm Design for Auto-Tuning
//! Optimizers* (2025).

use math::mean;
use records::{EVERY_STRATEGY, ScoreRow};
use scoring::total;

use super::{Scored, figures::ERRORS};

/// A mean score with its standard error, which is unknown for single runs.
type Score = (f64, Option<f64>);

/// A kernel with the strategies that were written for it and those that were written for others.
struct TargetKernel<'a> {
    kernel: &'a str,
    /// Indices of the kernel's spaces.
    spaces: Vec<usize>,
    own: Vec<usize>,
    others: Vec<usize>,
}

impl Scored<'_> {
    /// The kernels that strategies were written for and that have spaces here.
    fn kernels(&self) -> Vec<TargetKernel<'_>> {
        let targets = &self.arguments.targets;
        let mut kernels: Vec<&str> = targets.iter().map(|one| one.kernel.as_str()).collect();
        kernels.sort_unstable();
        kernels.dedup();
        let written = |for_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let named = targets.iter().filter(|one| for_it(&one.kernel));
            let place =
                |label: &str| (0..self.strategies.len()).find(|at| self.label(*at) == label);
            named.filter_map(|one| place(&one.strategy)).collect()
        };
        let of = |kernel: &str| -> Vec<usize> {
            let is = |space: &usize| {
                let landscape = &self.landscapes[*space];
                let names = [&landscape.origin.kernel, &landscape.name];
                names.iter().any(|name| name.to_lowercase().contains(&kernel.to_lowercase()))
            };
            (0..self.landscapes.len()).filter(is).collect()
        };
        let all = kernels.into_iter().map(|kernel| TargetKernel {
            kernel,
            spaces: of(kernel),
            own: written(&|other| other == kernel),
            others: written(&|other| other != kernel),
        });
        all.filter(|one| !one.spaces.is_empty()).collect()
    }

    fn score_on(&self, strategy: usize, spaces: &[usize]) -> Score {
        let all = &self.standings[strategy];
        total(&spaces.iter().map(|space| all[*space].clone()).collect::<Vec<_>>())
    }

    /// Rows of scores on the kernels that strategies were written for, and the mean over all
    /// strategies.
    pub(super) fn target_rows(&self) -> Vec<ScoreRow> {
        if self.arguments.budget.is_some() {
            return Vec::new();
        }
        let row = |strategy: &str, figure: &str, (value, error): Score| ScoreRow {
            strategy: strategy.to_owned(),
            figure: figure.to_owned(),
            value: Some(value),
            interval: error.map(|e| (value - ERRORS * e, value + ERRORS * e)),
            ..ScoreRow::default()
        };
        let whole: Vec<Score> = self.standings.iter().map(|of| total(of)).collect();
        let mut rows = vec![row(EVERY_STRATEGY, "score", over(&whole))];
        let (mut on_target, mut of_others) = (Vec::new(), Vec::new());
        let kernels = self.kernels();
        for TargetKernel { spaces, own, others, .. } in &kernels {
            let on = |all: &[usize]| -> Vec<Score> {
                all.iter().map(|at| self.score_on(*at, spaces)).collect()
            };
            let beside = over(&on(others));
            for (at, score) in own.iter().zip(on(own)) {
                rows.push(row(self.label(*at), "score_on_target", score));
                on_target.push(score);
                if !others.is_empty() {
                    rows.push(row(self.label(*at), "score_of_others", beside));
                }
            }
            if !others.is_empty() {
                of_others.push(beside);
            }
        }
        for (figure, scores) in [("score_on_target", &on_target), ("score_of_others", &of_others)] {
            if !scores.is_empty() {
                rows.push(row(EVERY_STRATEGY, figure, over(scores)));
            }
        }
        let targeted =
            |at: &usize| self.arguments.targets.iter().any(|one| one.strategy == self.label(*at));
        for other in self.ranking.iter().filter(|at| !targeted(at) && !kernels.is_empty()) {
            let ahead: Vec<Score> = kernels.iter().map(|on| self.ahead(on, *other)).collect();
            let ahead = row(EVERY_STRATEGY, "ahead_on_targets", over(&ahead));
            rows.push(ScoreRow { against: Some(self.label(*other).to_owned()), ..ahead });
        }
        rows
    }

    /// By how much the best strategy that was written for a kernel is ahead of another there.
    fn ahead(&self, on: &TargetKernel<'_>, other: usize) -> Score {
        let scores = on.own.iter().map(|at| self.score_on(*at, &on.spaces));
        let best = scores.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, None));
        difference(best, self.score_on(other, &on.spaces))
    }

    /// Rows of how far a strategy's score is ahead of every other's.
    pub(super) fn ahead_rows(&self, at: usize) -> impl Iterator<Item = ScoreRow> {
        let timed = self.arguments.budget.is_none();
        let others = self.ranking.iter().filter(move |other| timed && **other != at);
        others.map(move |other| {
            let (value, error) =
                difference(total(&self.standings[at]), total(&self.standings[*other]));
            ScoreRow {
                strategy: self.label(at).to_owned(),
                figure: "ahead".to_owned(),
                against: Some(self.label(*other).to_owned()),
                value: Some(value),
                interval: error.map(|e| (value - ERRORS * e, value + ERRORS * e)),
                ..ScoreRow::default()
            }
        })
    }

    /// The scores on the kernels that strategies were written for, in words.
    pub(super) fn targets_in_words(&self) -> Vec<String> {
        let kernels = self.kernels();
        if kernels.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![
            String::new(),
            "on the spaces of a kernel: the strategies that were written for it, and the mean of \
             those that were written for other kernels (one standard error)"
                .to_owned(),
        ];
        let shown = |(score, error): Score| match error {
            Some(error) => format!("{score:.3} ±{error:.3}"),
            None => format!("{score:.3}"),
        };
        for on in &kernels {
            let of = |at: &usize| {
                format!("{} {}", self.label(*at), shown(self.score_on(*at, &on.spaces)))
            };
            let own: Vec<String> = on.own.iter().map(of).collect();
            let others: Vec<Score> =
                on.others.iter().map(|at| self.score_on(*at, &on.spaces)).collect();
            let others = match others.is_empty() {
                true => "none".to_owned(),
                false => shown(over(&others)),
            };
            lines.push(format!("  {}: {}; others {others}", on.kernel, own.join(", ")));
        }
        lines
    }
}

/// The mean of scores, whose errors add in squares.
fn over(scores: &[Score]) -> Score {
    let squares: Option<f64> = scores.iter().map(|(_, error)| error.map(|e| e * e)).sum();
    let value = mean(&scores.iter().map(|(score, _)| *score).collect::<Vec<_>>());
    (value, squares.map(|sum| sum.sqrt() / scores.len() as f64))
}

fn difference(one: Score, other: Score) -> Score {
    let error = one.1.zip(other.1).map(|(a, b)| a.hypot(b));
    (one.0 - other.0, error)
}
