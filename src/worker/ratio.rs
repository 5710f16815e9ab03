//! Ratio of two configurations measured in turn, so that changes of the machine meet both: a
//! clearly worse one stops early, a close one goes on until the difference is known or known not to
//! matter. Samples taken next to each other are compared in pairs (the duet of Bulej and others,
//! 2020). No clock and no device.

use super::series::{CONFIDENCE, Series};
use crate::{numeric, records::Exit};

/// Pairs after which a configuration may be hopeless: when it is this many times as slow.
const FIRST_LOOK: usize = 3;
const FAR: f64 = 1.25;
/// Least pairs for which an interval means anything.
const LEAST_PAIRS: usize = 6;
/// A difference is known when half its interval is at most this share of it.
const KNOWN: f64 = 0.5;

/// Time of a configuration as a multiple of another's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    /// Median over the pairs.
    pub(super) value: f64,
    /// Interval of the median.
    pub(super) interval: (f64, f64),
    pub(super) pairs: usize,
}

impl Ratio {
    /// Of two series sampled in turn. Disturbed pairs count only where there are too few others.
    pub(super) fn of(a: &Series, b: &Series) -> Option<Self> {
        let pairs = a.samples().len().min(b.samples().len());
        let ratio = |at: usize| a.samples()[at] / b.samples()[at];
        let all: Vec<f64> = (0..pairs).map(ratio).filter(|ratio| ratio.is_finite()).collect();
        let clean: Vec<f64> = (0..pairs)
            .filter(|at| !a.is_disturbed(*at) && !b.is_disturbed(*at))
            .map(ratio)
            .filter(|ratio| ratio.is_finite())
            .collect();
        let counted = if clean.len() >= LEAST_PAIRS.min(all.len()) { &clean } else { &all };
        let interval = numeric::median_interval(counted, CONFIDENCE)?;
        Some(Self { value: numeric::median(counted), interval, pairs: counted.len() })
    }

    /// Half the width of the interval.
    fn half(&self) -> f64 {
        (self.interval.1 - self.interval.0) / 2.0
    }

    /// Whether sampling may end, and why.
    pub(super) fn verdict(&self, precision: f64) -> Option<Exit> {
        let (low, high) = self.interval;
        if self.pairs >= FIRST_LOOK && low > FAR {
            return Some(Exit::Hopeless);
        }
        if self.pairs < LEAST_PAIRS {
            return None;
        }
        let difference = (self.value - 1.0).abs();
        let known = (low > 1.0 || high < 1.0) && self.half() <= KNOWN * difference;
        match known {
            true if low > 1.0 + precision => Some(Exit::Hopeless),
            true => Some(Exit::Precise),
            // The difference does not matter.
            false => (self.half() <= precision).then_some(Exit::Precise),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        backends::Timed,
        numeric::{normal, seeded},
    };

    fn series(samples: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::new(1);
        samples.into_iter().for_each(|seconds| series.push(Timed { seconds, ..Timed::default() }));
        series
    }

    #[test]
    fn a_drift_that_meets_both_leaves_their_ratio_alone() {
        let drift = |at: u32| 1e-3 * (1.0 + f64::from(at) * 0.1);
        let ratio =
            Ratio::of(&series((0..9).map(|at| 1.1 * drift(at))), &series((0..9).map(drift)));
        let ratio = ratio.expect("pairs");
        assert!((ratio.value - 1.1).abs() < 1e-9 && ratio.half() < 1e-9, "{ratio:?}");
        assert_eq!(ratio.verdict(0.01), Some(Exit::Hopeless));
    }

    #[test]
    fn what_is_far_behind_is_dropped_after_three_pairs_and_one_outlier_is_not() {
        let usual = || series([1e-3; 3]);
        let verdict =
            |samples: [f64; 3]| Ratio::of(&series(samples), &usual()).expect("pairs").verdict(0.01);
        assert_eq!(verdict([2e-3; 3]), Some(Exit::Hopeless));
        assert_eq!(verdict([9e-3, 1e-3, 1e-3]), None);
    }

    #[test]
    fn close_ones_go_on_until_the_difference_does_not_matter() {
        let mut rng = seeded(4, 0);
        let mut draw = |count: usize| -> Vec<f64> {
            (0..count).map(|_| 1e-3 * (1.0 + 0.05 * normal(&mut rng))).collect()
        };
        let few = Ratio::of(&series(draw(8)), &series(draw(8))).expect("pairs");
        assert_eq!(few.verdict(0.01), None);
        let many = Ratio::of(&series(draw(800)), &series(draw(800))).expect("pairs");
        assert_eq!(many.verdict(0.01), Some(Exit::Precise), "{many:?}");
    }
}
