//! Ratios of speeds with intervals, and verdicts over a whole table.

use math::{mean, standard_deviation};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::{level::Level, view::View};

/// Confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// What the interval of a ratio shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Faster by more than chance, over the whole table.
    Faster,
    /// Slower by more than chance, over the whole table.
    Slower,
    /// The same configuration is not faster or slower, but this side found a better one.
    Found,
    /// The same configuration is not faster or slower, but the first side found a better one.
    Missed,
    /// The interval lies within the margin.
    Same,
    /// The interval is too wide to decide.
    Unknown,
}

impl Verdict {
    /// Verdicts of which one can be asked to raise an alarm.
    pub const ALARMING: [Self; 4] = [Self::Slower, Self::Faster, Self::Missed, Self::Found];

    /// Returns the word for tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Found => "found",
            Self::Missed => "missed",
            Self::Same => "same",
            Self::Unknown => "unknown",
        }
    }
}

/// The speed of a side over that of the first, its 95 % interval, and the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// Speed of this side over that of the first.
    pub ratio: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// The verdict, which [`judge`] sets.
    pub verdict: Verdict,
    /// Probability that two equal sides show a ratio at least this far from one.
    #[serde(skip)]
    pub chance: f64,
}

impl Ratio {
    /// Returns the ratio of a side's studies to those of the first; `None` if one side has none.
    #[must_use]
    pub fn of(first: &[Level], other: &[Level]) -> Option<Self> {
        Some(Self::of_means(first, other)?.0)
    }

    /// Returns the same ratio, with the run times of the first side and of the other as logarithms
    /// of seconds.
    pub(super) fn of_means(first: &[Level], other: &[Level]) -> Option<(Self, (f64, f64))> {
        let (a, b) = (Pooled::of(first)?, Pooled::of(other)?);
        let variance = a.variance + b.variance;
        let freedom = variance * variance
            / (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
        let ratio = Self::between(a.value - b.value, variance, freedom, 1.0)?;
        Some((ratio, (a.value, b.value)))
    }

    /// Returns the ratio of the view with the narrowest interval, and the run times in that view.
    /// All intervals are widened to account for the choice.
    pub(super) fn seen(views: &[View], wander: f64) -> Option<(Self, (f64, f64))> {
        let choices = views.len() as f64;
        let ratio = |view: &View| {
            let (variance, freedom) = view.variance(wander);
            Some((Self::between(view.middle(), variance, freedom, choices)?, view.sides))
        };
        let width = |(ratio, _): &(Self, _)| ratio.high / ratio.low;
        views.iter().filter_map(ratio).min_by(|a, b| width(a).total_cmp(&width(b)))
    }

    /// Builds a ratio from the difference of the logarithms of two run times and its variance. The
    /// interval is widened for the number of views to choose from.
    fn between(middle: f64, variance: f64, freedom: f64, choices: f64) -> Option<Self> {
        let error = variance.sqrt();
        let student = StudentsT::new(0.0, 1.0, freedom.max(1.0)).ok()?;
        let half = student.inverse_cdf(1.0 - (1.0 - CONFIDENCE) / 2.0 / choices) * error;
        let chance = 2.0 * choices * (1.0 - student.cdf((middle / error).abs()));
        Some(Self {
            ratio: middle.exp(),
            low: (middle - half).exp(),
            high: (middle + half).exp(),
            verdict: Verdict::Unknown,
            chance: chance.min(1.0),
        })
    }

    /// Whether the interval lies within a margin around one.
    fn is_same(&self, margin: f64) -> bool {
        self.low >= 1.0 / (1.0 + margin) && self.high <= 1.0 + margin
    }
}

/// Mean of several studies.
struct Pooled {
    value: f64,
    /// Variance of the mean.
    variance: f64,
    freedom: f64,
}

impl Pooled {
    fn of(levels: &[Level]) -> Option<Self> {
        let count = levels.len();
        if count == 0 {
            return None;
        }
        let values: Vec<f64> = levels.iter().map(|level| level.value).collect();
        let value = mean(&values);
        let squares: Vec<f64> = levels.iter().map(|level| level.deviation.powi(2)).collect();
        let apart = standard_deviation(&values).powi(2);
        let inside = mean(&squares);
        let freedom = levels.iter().map(|level| level.freedom).sum();
        let (square, freedom) = match count {
            1 => (inside, freedom),
            // Two studies that lie far apart show their own spread. Two that agree may do so by
            // chance.
            2 if apart > inside => (apart, 1.0),
            2 => (inside, freedom),
            // Studies may agree by chance. So the variance is at least the smallest variance of
            // parts, over their number, 8.
            _ => {
                let least = squares.iter().copied().fold(f64::INFINITY, f64::min);
                (apart.max(least / 8.0), (count - 1) as f64)
            }
        };
        Some(Self { value, variance: square / count as f64, freedom })
    }
}

/// Sets the verdicts of a family of ratios, so that the probability of any false alarm among them
/// is `false_alarms`. Uses the method of Holm (1979): the least likely ratio is tested against the
/// limit for all of them, the next against the limit for one fewer.
pub fn judge<'a>(family: impl Iterator<Item = &'a mut Ratio>, margin: f64, false_alarms: f64) {
    let mut family: Vec<&mut Ratio> = family.collect();
    family.sort_by(|a, b| a.chance.total_cmp(&b.chance));
    let count = family.len();
    let mut alarmed = true;
    for (at, ratio) in family.into_iter().enumerate() {
        alarmed &= ratio.chance <= false_alarms / (count - at) as f64;
        ratio.verdict = match alarmed {
            true if ratio.ratio > 1.0 => Verdict::Faster,
            true => Verdict::Slower,
            false if ratio.is_same(margin) => Verdict::Same,
            false => Verdict::Unknown,
        };
    }
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;

    fn level(value: f64, deviation: f64) -> Level {
        Level { value, deviation, freedom: 7.0 }
    }

    #[test]
    fn half_the_time_is_twice_the_speed() {
        let twice = Ratio::of(&[level(0.0, 0.02)], &[level(-2f64.ln(), 0.02)]).expect("a ratio");
        assert!((twice.ratio - 2.0).abs() < 1e-12);
        assert!(twice.low < 2.0 && 2.0 < twice.high && twice.low > 1.8);
        assert!(Ratio::of(&[], &[level(0.0, 0.1)]).is_none());
    }

    #[test]
    fn equals_rarely_alarm_over_a_whole_table_and_others_do() {
        let mut rng = seeded(5, 0);
        let tables = 400;
        let (mut alarms, mut found) = (0, 0);
        for _ in 0..tables {
            let mut draw = |shift: f64| {
                let noise = 0.02;
                // The deviation is known with only seven degrees of freedom.
                let deviation =
                    noise * ((0..7).map(|_| normal(&mut rng).powi(2)).sum::<f64>() / 7.0).sqrt();
                level(shift + noise * normal(&mut rng), deviation)
            };
            let mut ratios: Vec<Ratio> =
                (0..20).map(|_| Ratio::of(&[draw(0.0)], &[draw(0.0)]).expect("a ratio")).collect();
            judge(ratios.iter_mut(), 0.02, 0.05);
            let alarmed = |r: &&Ratio| matches!(r.verdict, Verdict::Faster | Verdict::Slower);
            alarms += usize::from(ratios.iter().any(|ratio| alarmed(&ratio)));
            ratios.push(Ratio::of(&[draw(0.0)], &[draw(0.3)]).expect("a ratio"));
            judge(ratios.iter_mut(), 0.02, 0.05);
            found += usize::from(ratios[20].verdict == Verdict::Slower);
        }
        assert!(alarms * 20 <= tables + 10 * 20, "{alarms} of {tables} tables alarm");
        assert!(found * 10 >= tables * 9, "{found} of {tables} are found");
    }

    #[test]
    fn studies_that_lie_far_apart_are_not_certain_because_each_is_calm() {
        let apart = [level(0.0, 0.01), level(0.3, 0.01)];
        let ratio = Ratio::of(&apart, &[level(0.0, 0.01)]).expect("a ratio");
        assert!(ratio.low < 1.0 && ratio.high > 1.5, "{ratio:?}");
    }

    #[test]
    fn a_narrow_interval_around_one_is_the_same_and_a_wide_one_unknown() {
        let mut narrow = Ratio::of(&[level(0.0, 0.002)], &[level(0.0, 0.002)]).expect("a ratio");
        let mut wide = Ratio::of(&[level(0.0, 0.1)], &[level(0.0, 0.1)]).expect("a ratio");
        judge([&mut narrow, &mut wide].into_iter(), 0.02, 0.05);
        assert_eq!((narrow.verdict, wide.verdict), (Verdict::Same, Verdict::Unknown));
    }
}
