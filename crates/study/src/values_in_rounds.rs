//! Values of sizes from rounds: the curve for the detectors, and the reported estimates.

use std::collections::BTreeMap;

use knees::{CurveValue, Direction, Faster, RepeatedCurve};
use math::{interval_of_few, mean, median, median_interval, sorted, standard_deviation};
use records::{Figure, MetricFigure, Named, RoundsPurpose, SizeClosed, Summary};

use super::{
    Plan, StudyJournal, Subject,
    figure::Derived,
    round_samples::{RoundSamples, Sample},
};

const CONFIDENCE: f64 = 0.95;
const LEAST_SAMPLES: usize = 3;
const LEAST_PAIRS: usize = 6;
/// Largest factor between a time and the ends of its interval.
const MOST_APART: f64 = 1e6;

/// Returns the winners' curve as the rounds of a purpose measured it.
pub(super) fn repeated(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
    purpose: RoundsPurpose,
) -> Option<RepeatedCurve> {
    let closed = journal.tuned();
    let winners: BTreeMap<u64, &SizeClosed> =
        closed.into_iter().filter(|(_, closed)| closed.best.is_some()).collect();
    curve(plan, subject, &winners, &RoundSamples::of(journal, purpose))
}

/// Returns the curve of the winners' metric over the sizes, round by round.
fn curve(
    plan: &Plan,
    subject: &mut dyn Subject,
    winners: &BTreeMap<u64, &SizeClosed>,
    rounds: &RoundSamples<'_>,
) -> Option<RepeatedCurve> {
    let mut readings = Vec::new();
    for (size, closed) in winners {
        let Some(best) = &closed.best else { continue };
        let derived = Derived::of(plan, subject, *size, best);
        for sample in rounds.of_one(*size, &best.configuration) {
            let Some(y) = derived.metric(sample.seconds).filter(|y| y.is_finite()) else {
                continue;
            };
            let Sample { round, lost, placement, .. } = sample;
            readings.push(CurveValue { x: *size as f64, y, round, lost, placement });
        }
    }
    // A metric that rises with the size is a rate, of which higher values are faster.
    let faster = match plan.detector_settings.direction {
        Direction::Increasing => Faster::Higher,
        Direction::Decreasing => Faster::Lower,
    };
    RepeatedCurve::new(&readings, faster).ok()
}

/// Whether the run time of the only size is as precise as the user asked.
pub(super) fn is_precise(journal: &StudyJournal, plan: &Plan) -> bool {
    let rounds = RoundSamples::of(journal, RoundsPurpose::Answer);
    let precise = |figure: &Figure, size: u64| {
        let samples = rounds.of_one(size, &figure.configuration);
        let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
        let interval = median_interval(&seconds, CONFIDENCE);
        interval.is_some_and(|(low, high)| {
            (high - low) / 2.0 <= plan.settings.measuring.precision * median(&seconds)
        })
    };
    let closed = journal.tuned();
    closed.values().all(|closed| closed.best.as_ref().is_none_or(|best| precise(best, closed.size)))
}

/// Returns the sizes with the values of winner and default from rounds, where there are enough
/// samples. All of them are columns of one table: the machine speed that they share is estimated
/// best from all together.
pub(super) fn figures(
    plan: &Plan,
    subject: &mut dyn Subject,
    journal: &StudyJournal,
) -> Vec<SizeClosed> {
    let rounds = RoundSamples::of(journal, RoundsPurpose::Answer);
    let closed: Vec<SizeClosed> = journal.tuned().into_values().cloned().collect();
    let times = TimesInRounds::of(&rounds, &closed);
    let mut figures = Vec::new();
    for mut closed in closed.iter().cloned() {
        let size = closed.size;
        let Some(best) = &closed.best else { continue };
        let own = rounds.of_one(size, &best.configuration);
        let Some(best) = times.figure(plan, subject, size, best, &own) else { continue };
        // The samples of a default that failed do not count.
        let failed = |default: &&Figure| journal.dropped(size, &default.configuration).is_some();
        let default = closed.default.as_ref().filter(|default| !failed(default));
        (closed.gain, closed.gain_interval) = (None, None);
        closed.default = default.map(|default| {
            if default.configuration == best.configuration {
                (closed.gain, closed.gain_interval) = (Some(1.0), Some((1.0, 1.0)));
                return best.clone();
            }
            let other = rounds.of_one(size, &default.configuration);
            let gain = speed_up(&other, &own);
            closed.gain = Some(gain.value).filter(|gain| gain.is_finite());
            closed.gain_interval = gain.interval;
            // The default's time follows from the best's and the gain, so that all three agree.
            let (time, Ratio { value, interval, .. }) = (best.seconds.median, gain);
            match interval.filter(|_| value.is_finite()) {
                Some((low, high)) => {
                    let own = best.seconds.interval;
                    let apart =
                        |best: f64, gain: f64| (best / time).ln().hypot((gain / value).ln());
                    let (below, above) = (apart(own.0, low), apart(own.1, high));
                    let time = time * value;
                    let within = (time * (-below).exp(), time * above.exp());
                    figure(plan, subject, size, default, &other, (time, within))
                }
                None => default.clone(),
            }
        });
        closed.best = Some(best);
        closed.rounds = own.len() as u64;
        figures.push(closed);
    }
    figures
}

/// Times of winners, with their intervals, by size and configuration.
struct TimesInRounds<'a> {
    columns: Vec<(u64, &'a Named)>,
    times: Vec<f64>,
    intervals: Vec<(f64, f64)>,
}

impl<'a> TimesInRounds<'a> {
    fn of(rounds: &RoundSamples<'_>, closed: &'a [SizeClosed]) -> Self {
        let mut columns: Vec<(u64, &Named)> = Vec::new();
        let mut readings = Vec::new();
        for of_size in closed {
            if let Some(figure) = &of_size.best {
                let column = (of_size.size, &figure.configuration);
                let samples = rounds.of_one(column.0, column.1);
                if samples.len() < LEAST_SAMPLES || columns.contains(&column) {
                    continue;
                }
                let x = columns.len() as f64;
                let reading = |Sample { round, seconds, lost, placement }| CurveValue {
                    x,
                    y: seconds,
                    round,
                    lost,
                    placement,
                };
                readings.extend(samples.into_iter().map(reading));
                columns.push(column);
            }
        }
        let table = RepeatedCurve::new(&readings, Faster::Lower).ok();
        let times = table.as_ref().map_or_else(Vec::new, |table| table.curve().y().to_vec());
        let intervals = table.as_ref().map_or_else(Vec::new, RepeatedCurve::intervals);
        Self { columns, times, intervals }
    }

    /// Returns the estimate of a configuration from its samples; `None` if there are too few.
    fn figure(
        &self,
        plan: &Plan,
        subject: &mut dyn Subject,
        size: u64,
        before: &Figure,
        samples: &[Sample],
    ) -> Option<Figure> {
        let column = (size, &before.configuration);
        let at = self.columns.iter().position(|known| *known == column)?;
        Some(figure(plan, subject, size, before, samples, (self.times[at], self.intervals[at])))
    }
}

/// Time of a configuration as a multiple of another's.
pub(super) struct Ratio {
    /// NaN if unknown.
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
    /// Number of rounds in which both were measured.
    pub(super) pairs: usize,
}

/// Returns the time of the slower configuration as a multiple of the faster one's, round by round.
pub(super) fn ratio(slower: &[Sample], faster: &[Sample]) -> Ratio {
    let of: BTreeMap<u64, &Sample> = faster.iter().map(|sample| (sample.round, sample)).collect();
    let pairs = || {
        slower.iter().filter_map(|sample| {
            let other = of.get(&sample.round)?;
            Some(sample.seconds / other.seconds)
        })
    };
    let counted: Vec<f64> = pairs().collect();
    let pairs = counted.len();
    if pairs < LEAST_SAMPLES {
        return Ratio { value: f64::NAN, interval: None, pairs };
    }
    // With few pairs, `median_interval` would return their range, which is too narrow.
    let interval = match pairs < LEAST_PAIRS {
        true => interval_of_few(&counted, CONFIDENCE),
        false => median_interval(&counted, CONFIDENCE),
    };
    Ratio { value: median(&counted), interval, pairs }
}

/// Returns the time of the slower configuration as a multiple of the faster one's: round by round,
/// or by the medians if the two alternated and hardly ever shared a round.
pub(super) fn speed_up(slower: &[Sample], faster: &[Sample]) -> Ratio {
    let paired = ratio(slower, faster);
    let few = LEAST_PAIRS.max(2 * paired.pairs);
    if paired.pairs >= LEAST_PAIRS || slower.len().min(faster.len()) < few {
        return paired;
    }
    let seconds =
        |samples: &[Sample]| -> Vec<f64> { samples.iter().map(|sample| sample.seconds).collect() };
    let (slower, faster) = (seconds(slower), seconds(faster));
    let intervals = median_interval(&slower, CONFIDENCE).zip(median_interval(&faster, CONFIDENCE));
    let interval = intervals.map(|(slower, faster)| (slower.0 / faster.1, slower.1 / faster.0));
    Ratio { value: median(&slower) / median(&faster), interval, pairs: 0 }
}

/// Returns the estimate of a configuration from samples in rounds; `before` is its estimate from
/// other samples.
pub(super) fn figure(
    plan: &Plan,
    subject: &mut dyn Subject,
    size: u64,
    before: &Figure,
    samples: &[Sample],
    (time, interval): (f64, (f64, f64)),
) -> Figure {
    let derived = Derived::of(plan, subject, size, before);
    let all: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    let sorted = sorted(&all);
    let deviation = standard_deviation(&all);
    let seconds = Summary {
        median: time,
        interval: (interval.0.max(time / MOST_APART), interval.1.min(time * MOST_APART)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_turns_is_compared_by_medians() {
        let series = |first: u64, seconds: f64| -> Vec<Sample> {
            let sample = |round: u64| Sample {
                round,
                seconds: seconds * (1.0 + 0.01 * (round % 3) as f64),
                lost: 0.0,
                placement: 0,
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
}
