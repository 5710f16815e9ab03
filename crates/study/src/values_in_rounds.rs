//! Values of sizes in rounds: the curve that detectors see, and the figures that are reported.

use std::collections::BTreeMap;

use knees::{CurveValue, RepeatedCurve};
use math::{
    interval_of_few, mean, median, median_interval, quantile, seeded, sorted, standard_deviation,
};
use records::{Figure, MetricFigure, RoundsPurpose, SizeClosed, Summary};

use super::{
    Plan, StudyJournal, Subject,
    counted_rounds::{CountedRounds, Sample},
    figure::Derived,
};

const RESAMPLES: usize = 200;
const CONFIDENCE: f64 = 0.95;
const LEAST_SAMPLES: usize = 3;
const LEAST_PAIRS: usize = 6;
/// Parts of a study whose times are compared: slow drift shows between them.
const PARTS: usize = 5;
/// The widest interval, as a factor of the time.
const MOST_APART: f64 = 1e6;
/// Quantile of Student's distribution for five parts, at 95 %.
const STUDENT: f64 = 2.776;

/// The curve of the winners, as rounds measured it.
pub(super) fn repeated(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> Option<RepeatedCurve> {
    repeated_in(plan, subject, journal, &CountedRounds::of(journal, purpose))
}

/// The curve of the winners in some rounds.
pub(super) fn repeated_in(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    rounds: &CountedRounds<'_>,
) -> Option<RepeatedCurve> {
    let closed = journal.tuned();
    let winners: BTreeMap<u64, &SizeClosed> =
        closed.into_iter().filter(|(_, closed)| closed.best.is_some()).collect();
    curve(plan, subject, &winners, rounds)
}

/// The curve of the winners' metric over the sizes, round by round.
fn curve(
    plan: &Plan,
    subject: &mut dyn Subject,
    winners: &BTreeMap<u64, &SizeClosed>,
    rounds: &CountedRounds<'_>,
) -> Option<RepeatedCurve> {
    let mut readings = Vec::new();
    for (size, closed) in winners {
        let Some(best) = &closed.best else { continue };
        let derived = Derived::of(plan, subject, *size, best);
        for sample in rounds.samples(*size, &best.configuration) {
            let Some(y) = derived.metric(sample.seconds).filter(|y| y.is_finite()) else {
                continue;
            };
            let (x, round, disturbed) = (*size as f64, sample.round, sample.disturbed);
            readings.push(CurveValue { x, y, round, disturbed });
        }
    }
    RepeatedCurve::new(&readings).ok()
}

/// Whether the figure of the only size is as precise as was asked for.
pub(super) fn is_precise(journal: &StudyJournal, plan: &Plan) -> bool {
    let rounds = CountedRounds::of(journal, RoundsPurpose::Answer);
    let precise = |figure: &Figure, size: u64| {
        let samples = rounds.samples(size, &figure.configuration);
        let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
        let interval = median_interval(&seconds, CONFIDENCE);
        interval.is_some_and(|(low, high)| {
            (high - low) / 2.0 <= plan.settings.measuring.precision * median(&seconds)
        })
    };
    let closed = journal.tuned();
    closed.values().all(|closed| closed.best.as_ref().is_none_or(|best| precise(best, closed.size)))
}

/// Sizes with figures of winner and default by rounds, if there are enough samples.
pub(super) fn figures(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
) -> Vec<SizeClosed> {
    let rounds = CountedRounds::of(journal, RoundsPurpose::Answer);
    let closed: Vec<SizeClosed> = journal.tuned().into_values().cloned().collect();
    // What rounds have in common is estimated best from all winners together.
    let of_winners = |closed: &SizeClosed| {
        let best = closed.best.as_ref()?;
        Some((closed.size, rounds.samples(closed.size, &best.configuration)))
    };
    let winners: BTreeMap<u64, Vec<Sample>> = closed.iter().filter_map(of_winners).collect();
    let Some(times) = table(&winners) else { return Vec::new() };
    let times = times.curve();
    let mut figures = Vec::new();
    for mut closed in closed {
        let Some(best) = &closed.best else { continue };
        let own = &winners[&closed.size];
        if own.len() < LEAST_SAMPLES {
            continue;
        }
        let at = times.x().iter().position(|x| (*x - closed.size as f64).abs() < 0.5);
        let Some(time) = at.map(|at| times.y()[at]) else { continue };
        let best = figure(plan, subject, closed.size, best, own, time);
        // The samples of a default that failed do not count.
        let failed =
            |default: &&Figure| journal.dropped(closed.size, &default.configuration).is_some();
        let default = closed.default.as_ref().filter(|default| !failed(default)).map(|default| {
            if default.configuration == best.configuration {
                return best.clone();
            }
            let other = rounds.samples(closed.size, &default.configuration);
            if other.len() < LEAST_SAMPLES {
                return default.clone();
            }
            let times = speed_up(&other, own).value;
            if !times.is_finite() {
                return default.clone();
            }
            figure(plan, subject, closed.size, default, &other, time * times)
        });
        (closed.gain, closed.gain_interval) = match &default {
            Some(default) if default.configuration == best.configuration => {
                (Some(1.0), Some((1.0, 1.0)))
            }
            Some(default) => {
                let other = rounds.samples(closed.size, &default.configuration);
                let times = speed_up(&other, own);
                (Some(times.value).filter(|gain| gain.is_finite()), times.interval)
            }
            None => (None, None),
        };
        closed.best = Some(best);
        closed.default = default;
        closed.rounds = own.len() as u64;
        figures.push(closed);
    }
    figures
}

fn table(winners: &BTreeMap<u64, Vec<Sample>>) -> Option<RepeatedCurve> {
    let readings: Vec<CurveValue> = winners
        .iter()
        .flat_map(|(size, samples)| {
            samples.iter().map(|sample| CurveValue {
                x: *size as f64,
                y: sample.seconds,
                round: sample.round,
                disturbed: sample.disturbed,
            })
        })
        .collect();
    RepeatedCurve::new(&readings).ok()
}

/// Time of a configuration as a multiple of another's.
pub(super) struct Ratio {
    /// NaN where it is not known.
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
    /// Rounds in which both were measured, as far as they count.
    pub(super) pairs: usize,
}

/// Time of a configuration as a multiple of another's, round by round.
pub(super) fn ratio(slower: &[Sample], faster: &[Sample]) -> Ratio {
    let of: BTreeMap<u64, &Sample> = faster.iter().map(|sample| (sample.round, sample)).collect();
    let pairs = || {
        slower.iter().filter_map(|sample| {
            let other = of.get(&sample.round)?;
            Some((sample.seconds / other.seconds, sample.disturbed || other.disturbed))
        })
    };
    let all: Vec<f64> = pairs().map(|(ratio, _)| ratio).collect();
    let clean: Vec<f64> =
        pairs().filter(|(_, disturbed)| !disturbed).map(|(ratio, _)| ratio).collect();
    let counted = if clean.len() * 4 >= all.len() && clean.len() > 2 { clean } else { all };
    let pairs = counted.len();
    if pairs < LEAST_SAMPLES {
        return Ratio { value: f64::NAN, interval: None, pairs };
    }
    // The range of a few pairs is no interval of their median.
    let interval = match pairs < LEAST_PAIRS {
        true => interval_of_few(&counted, CONFIDENCE),
        false => median_interval(&counted, CONFIDENCE),
    };
    Ratio { value: median(&counted), interval, pairs }
}

/// Time of a configuration as a multiple of another's: round by round, or, where both took turns and were hardly ever in the
/// same round, by their medians.
fn speed_up(slower: &[Sample], faster: &[Sample]) -> Ratio {
    let paired = ratio(slower, faster);
    let few = LEAST_PAIRS.max(2 * paired.pairs);
    if paired.pairs >= LEAST_PAIRS || slower.len().min(faster.len()) < few {
        return paired;
    }
    let seconds = |samples: &[Sample]| -> Vec<f64> {
        let clean = samples.iter().filter(|sample| !sample.disturbed);
        let clean: Vec<f64> = clean.map(|sample| sample.seconds).collect();
        let all = || samples.iter().map(|sample| sample.seconds).collect();
        if clean.len() < LEAST_PAIRS { all() } else { clean }
    };
    let (slower, faster) = (seconds(slower), seconds(faster));
    let intervals = median_interval(&slower, CONFIDENCE).zip(median_interval(&faster, CONFIDENCE));
    let interval = intervals.map(|(slower, faster)| (slower.0 / faster.1, slower.1 / faster.0));
    Ratio { value: median(&slower) / median(&faster), interval, pairs: 0 }
}

/// The figure of a configuration by samples in rounds; `before` is one of it by other samples.
pub(super) fn figure(
    plan: &Plan,
    subject: &mut dyn Subject,
    size: u64,
    before: &Figure,
    samples: &[Sample],
    time: f64,
) -> Figure {
    let derived = Derived::of(plan, subject, size, before);
    let all: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    let sorted = sorted(&all);
    let deviation = standard_deviation(&all);
    let seconds = Summary {
        median: time,
        interval: interval(samples, time),
        mean: mean(&all),
        deviation: if deviation.is_finite() { deviation } else { 0.0 },
        minimum: sorted[0],
        maximum: sorted[sorted.len() - 1],
        count: all.len(),
    };
    let metric = derived.metric(time).map(|value| {
        let end = |seconds: f64| derived.metric(seconds).unwrap_or(value);
        let (a, b) = (end(seconds.interval.0), end(seconds.interval.1));
        MetricFigure { value, interval: (a.min(b), a.max(b)), samples: Vec::new() }
    });
    Figure {
        metrics: derived.metrics(subject, size, time),
        seconds,
        metric,
        unsettled: false,
        configuration: before.configuration.clone(),
        error: before.error,
    }
}

/// The interval of a time: by resampling rounds, or by the parts of the study, which lie apart if
/// the machine drifts; whichever is wider.
fn interval(samples: &[Sample], time: f64) -> (f64, f64) {
    let clean: Vec<f64> = samples.iter().filter(|s| !s.disturbed).map(|s| s.seconds).collect();
    let all: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    let counted = if clean.len() * 10 >= all.len() && clean.len() >= 6 { clean } else { all };
    let middle = math::core(&counted);
    let rng = &mut seeded(counted.len() as u64, 0x1E7E);
    let mut draws = math::SortedDraws::of(&counted);
    // Times differ by factors: in logarithms an interval holds no time of nothing.
    let redrawn: Vec<f64> =
        (0..RESAMPLES).map(|_| (math::core_of_sorted(draws.draw(rng)) / middle).ln()).collect();
    let redrawn = sorted(&redrawn);
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let (low, high) = (quantile(&redrawn, tail), quantile(&redrawn, 1.0 - tail));
    let mut half = (-low).max(high).max(0.0);
    if counted.len() >= 4 * PARTS {
        let length = counted.len() / PARTS;
        let parts: Vec<f64> = counted
            .chunks(length)
            .take(PARTS)
            .map(|part| (math::core(part) / middle).ln())
            .collect();
        // The spread of the time of another part: comparing two studies means comparing two times
        // of the machine.
        let spread = (1.0 + 1.0 / PARTS as f64).sqrt();
        half = half.max(STUDENT * spread * standard_deviation(&parts));
    }
    // An infinite one is what no journal can hold.
    let factor = half.exp().min(MOST_APART);
    (time / factor, time * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_turns_is_compared_by_medians() {
        let series = |first: u64, seconds: f64| -> Vec<Sample> {
            let sample = |round: u64| Sample {
                round,
                seconds: seconds * (1.0 + 0.01 * (round % 3) as f64),
                disturbed: false,
            };
            (0..12).map(|at| sample(first + 2 * at)).collect()
        };
        let (slow, fast) = (series(1, 2e-3), series(2, 1e-3));
        assert!(ratio(&slow, &fast).value.is_nan());
        let Ratio { value, interval, .. } = speed_up(&slow, &fast);
        let (low, high) = interval.expect("an interval");
        assert!((1.9..2.1).contains(&value) && low < value && value < high, "{value} {low} {high}");
        let paired = speed_up(&slow, &series(1, 1e-3));
        assert!((paired.value - 2.0).abs() < 1e-12 && paired.pairs == 12, "{}", paired.value);
    }

    #[test]
    fn an_interval_of_the_wildest_rounds_holds_no_time_of_nothing() {
        let seconds = [6e-6, 6e-6, 5.5e-6, 2.1e-3, 7e-6, 6e-6, 1.2e-3, 6e-6, 6e-6, 9e-6, 6e-6];
        let sample = |(round, seconds): (usize, &f64)| {
            let round = round as u64;
            Sample { round, seconds: *seconds, disturbed: false }
        };
        let samples: Vec<Sample> = seconds.iter().enumerate().map(sample).collect();
        let (low, high) = interval(&samples, 6.2e-6);
        assert!(low > 0.0 && low < 6.2e-6 && high > 6.2e-6, "{low} {high}");
        let calm: Vec<Sample> = samples.iter().map(|s| Sample { seconds: 6e-6, ..*s }).collect();
        assert_eq!(interval(&calm, 6e-6), (6e-6, 6e-6));
    }
}
