//! What repeats say together: how far their knees, winners and figures agree.

use serde::Serialize;

use crate::{
    numeric,
    records::{
        KneeFinding, Named, StudyRecord,
        repeats::{Repeat, RepeatState},
    },
};

/// Steps are logarithms divided by each other: so far they may miss a whole number.
const ROUNDING: f64 = 1e-9;

/// What finished studies of one plan say together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// How many studies are finished; only they are compared.
    pub finished: usize,
    /// Their knees, by detector, the deciding one first.
    pub knees: Vec<KneeAgreement>,
    /// The configurations that they answer with, those that win most often first.
    pub winners: Vec<Wins>,
    /// The figure of their winners.
    pub figure: Option<Spread>,
}

/// How far the knees of a detector agree.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct KneeAgreement {
    /// The detector.
    pub detector: String,
    /// In how many studies it saw a knee.
    pub found: usize,
    /// In how many of them the knee is settled.
    pub settled: usize,
    /// The median knee: the middle one, or the geometric mean of the middle two.
    pub median: Option<f64>,
    /// The smallest and the largest.
    pub range: Option<(f64, f64)>,
    /// How many lie within one step of the median, each by the sizes of its own study.
    pub within_one_step: usize,
    /// From the smallest to the largest, in steps.
    pub steps: Option<f64>,
}

/// A configuration and the studies that answer with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wins {
    /// The configuration.
    pub configuration: Named,
    /// The studies' numbers.
    pub studies: Vec<u32>,
}

/// How far a figure of the winners spreads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spread {
    /// What it is: the secondary metric, or `seconds` where not every winner has it.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The median.
    pub median: f64,
    /// The smallest and the largest.
    pub range: (f64, f64),
    /// From the smallest to the largest, relative to the median.
    pub relative: f64,
}

impl Agreement {
    /// What the finished ones of these studies say together.
    #[must_use]
    pub fn of(plan: &StudyRecord, repeats: &[Repeat]) -> Self {
        let finished: Vec<&Repeat> =
            repeats.iter().filter(|repeat| repeat.state == RepeatState::Finished).collect();
        let detectors = plan.settings.detectors.iter();
        Self {
            finished: finished.len(),
            knees: detectors
                .enumerate()
                .map(|(at, detector)| knees(detector, at == 0, &finished))
                .collect(),
            winners: winners(&finished),
            figure: figure(plan, &finished),
        }
    }

    /// The configuration that wins most often; the first study's where several do.
    #[must_use]
    pub fn usual_winner(&self) -> Option<&Wins> {
        self.winners.first()
    }
}

/// What one detector says; where it decides, a knee that its study did not uphold settles nothing.
fn knees(detector: &str, decides: bool, finished: &[&Repeat]) -> KneeAgreement {
    let findings = finished.iter().filter_map(|repeat| Some((*repeat, repeat.finding(detector)?)));
    let found: Vec<(&Repeat, f64)> = findings
        .clone()
        .filter_map(|(repeat, finding)| Some((repeat, finding.knee.filter(|k| *k > 0.0)?)))
        .collect();
    let is_settled = |(repeat, finding): &(&Repeat, &KneeFinding)| {
        let upheld = !decides || repeat.confirmed;
        upheld && finding.knee.is_some() && finding.confidence == "settled"
    };
    let settled = findings.filter(is_settled).count();
    let mut agreement = KneeAgreement {
        detector: detector.to_owned(),
        found: found.len(),
        settled,
        ..KneeAgreement::default()
    };
    let sorted = numeric::sorted(&found.iter().map(|(_, knee)| *knee).collect::<Vec<_>>());
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return agreement };
    let median = middle(&sorted);
    let between = |repeat: &Repeat, a: f64, b: f64| {
        Some((repeat.step(a)? - repeat.step(b)?).abs()).or((a - b).abs().le(&0.0).then_some(0.0))
    };
    let near = |(repeat, knee): &&(&Repeat, f64)| {
        between(repeat, *knee, median).is_some_and(|steps| steps <= 1.0 + ROUNDING)
    };
    let whole = found.iter().filter_map(|(repeat, _)| between(repeat, low, high));
    agreement.median = Some(median);
    agreement.range = Some((low, high));
    agreement.within_one_step = found.iter().filter(near).count();
    agreement.steps = whole.reduce(f64::max);
    agreement
}

/// The median of sizes in order, which grow by factors.
fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[half],
        _ if sorted[half - 1].total_cmp(&sorted[half]).is_eq() => sorted[half],
        _ => (sorted[half - 1] * sorted[half]).sqrt(),
    }
}

fn winners(finished: &[&Repeat]) -> Vec<Wins> {
    let mut winners: Vec<Wins> = Vec::new();
    for repeat in finished {
        let Some(winner) = &repeat.winner else { continue };
        match winners.iter_mut().find(|wins| wins.configuration == winner.configuration) {
            Some(wins) => wins.studies.push(repeat.study),
            None => winners.push(Wins {
                configuration: winner.configuration.clone(),
                studies: vec![repeat.study],
            }),
        }
    }
    winners.sort_by_key(|wins| std::cmp::Reverse(wins.studies.len()));
    winners
}

fn figure(plan: &StudyRecord, finished: &[&Repeat]) -> Option<Spread> {
    let winners = || finished.iter().filter_map(|repeat| repeat.winner.as_ref());
    let metric: Option<Vec<f64>> = winners().map(|winner| winner.metric).collect();
    let secondary = &plan.benchmark.secondary;
    let (values, metric, unit) = match metric {
        Some(values) => (values, secondary.name.clone(), secondary.unit.clone()),
        None => {
            let seconds = winners().map(|winner| winner.seconds).collect();
            (seconds, "seconds".to_owned(), "s".to_owned())
        }
    };
    let sorted = numeric::sorted(&values);
    let range = (*sorted.first()?, *sorted.last()?);
    let median = numeric::median(&sorted);
    let relative = if range.0 < range.1 { (range.1 - range.0) / median.abs() } else { 0.0 };
    Some(Spread { metric, unit, median, range, relative })
}

#[cfg(test)]
mod tests;
