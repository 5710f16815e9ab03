//! Agreement of repeats: how far their knees, winners and values agree.

use serde::Serialize;

use crate::{KneeFinding, Named, StudyRecord, StudyState, repeats::Repeat};

/// Tolerance for rounding in a number of steps, which is a ratio of logarithms.
const ROUNDING: f64 = 1e-9;

/// Agreement of the finished studies of one plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Number of finished studies; only these are compared.
    pub finished: usize,
    /// Knees by detector, the deciding one first.
    pub knees: Vec<KneeAgreement>,
    /// Winning configurations, the most frequent first.
    pub winners: Vec<Wins>,
    /// Spread of the winners' metric.
    pub figure: Option<Spread>,
}

/// Agreement of one detector's knees.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct KneeAgreement {
    /// The detector.
    pub detector: String,
    /// Number of studies in which the detector found a knee.
    pub found: usize,
    /// Number of studies whose knee is settled.
    pub settled: usize,
    /// Median knee; the geometric mean of the middle two if their number is even.
    pub median: Option<f64>,
    /// Smallest and largest knee.
    pub range: Option<(f64, f64)>,
    /// Number of knees within one step of the median, in steps of each study's own sizes.
    pub within_one_step: usize,
    /// Distance between the smallest and the largest knee, in steps.
    pub steps: Option<f64>,
}

/// A winning configuration with its studies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wins {
    /// The configuration.
    pub configuration: Named,
    /// Numbers of the studies.
    pub studies: Vec<u32>,
}

/// Spread of a metric over the winners.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spread {
    /// Name of the metric: the secondary one, or `seconds` if a winner lacks that.
    pub metric: String,
    /// Unit of the metric.
    pub unit: String,
    /// The median.
    pub median: f64,
    /// Smallest and largest value.
    pub range: (f64, f64),
    /// Range relative to the median.
    pub relative: f64,
}

impl Agreement {
    /// Agreement of the finished studies among `repeats`.
    #[must_use]
    pub fn of(plan: &StudyRecord, repeats: &[Repeat]) -> Self {
        let finished: Vec<&Repeat> =
            repeats.iter().filter(|repeat| repeat.state == StudyState::Finished).collect();
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

    /// The most frequent winner; ties go to the earliest study.
    #[must_use]
    pub fn usual_winner(&self) -> Option<&Wins> {
        self.winners.first()
    }
}

/// Agreement of one detector. For the deciding detector, only confirmed knees count as settled.
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
    let sorted = math::sorted(&found.iter().map(|(_, knee)| *knee).collect::<Vec<_>>());
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

/// Median of sorted sizes; geometric, because sizes grow by factors.
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
    let sorted = math::sorted(&values);
    let range = (*sorted.first()?, *sorted.last()?);
    let median = math::median(&sorted);
    let relative = if range.0 < range.1 { (range.1 - range.0) / median.abs() } else { 0.0 };
    Some(Spread { metric, unit, median, range, relative })
}

#[cfg(test)]
mod tests;
