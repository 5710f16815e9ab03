//! How run time and rate change with the size: where launching costs all of a run, where the curve
//! bends, and where it holds a level.
//!
//! Over the logarithm of size, run time rises with an exponent and the rate with another; together they
//! are the exponent of work. The share of the growth of work that costs run time is 0 where runs only
//! cost their launch and 1 on the level. In Hockney and Jesshope's t = t0 + work / r∞ it is the share of
//! r∞ that a size reaches, whatever the exponent of work.

use math::weighted_line;

/// A size that was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredSize {
    /// The size.
    pub size: u64,
    /// Seconds of a run.
    pub seconds: f64,
    /// What saturates: work in a second.
    pub rate: f64,
}

/// Fewest sizes that show a trend.
pub(super) const LEAST_SIZES: usize = 3;

/// Smallest exponent of work that is believed: less of it is no work over time.
const LEAST_WORK: f64 = 0.5;

/// The trend of some neighbouring sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trend {
    /// Exponent of the run time.
    pub(super) time: f64,
    /// Exponent of the rate.
    pub(super) rate: f64,
    /// Ratio of the last size to the middle of them all.
    pub(super) reach: f64,
}

impl Trend {
    /// The trend of some sizes, ascending; `None` of too few, and where no work grows with the size.
    pub(super) fn of(sizes: &[MeasuredSize]) -> Option<Self> {
        let (last, true) = (sizes.last()?, sizes.len() >= LEAST_SIZES) else { return None };
        let x: Vec<f64> = sizes.iter().map(|point| (point.size as f64).ln()).collect();
        let exponent = |value: fn(&MeasuredSize) -> f64| {
            let y: Vec<f64> = sizes.iter().map(|point| value(point).ln()).collect();
            weighted_line(&x, &y, &vec![1.0; x.len()]).map(|line| line.slope)
        };
        let (time, rate) = (exponent(|point| point.seconds)?, exponent(|point| point.rate)?);
        let middle = x.iter().sum::<f64>() / x.len() as f64;
        let reach = last.size as f64 / middle.exp();
        (time + rate >= LEAST_WORK).then_some(Self { time, rate, reach })
    }

    /// Exponent of work.
    pub(super) fn work(self) -> f64 {
        self.time + self.rate
    }

    /// Share of the growth of work that costs run time, in the middle of the sizes.
    pub(super) fn share(self) -> f64 {
        (self.time / self.work()).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Sizes of a device that takes `launch` seconds and `size^exponent` nanoseconds.
    pub(in crate::scaling) fn hockney(
        sizes: &[u64],
        launch: f64,
        exponent: i32,
    ) -> Vec<MeasuredSize> {
        let of = |size: &u64| {
            let work = (*size as f64).powi(exponent);
            let seconds = launch + work * 1e-9;
            MeasuredSize { size: *size, seconds, rate: work / seconds }
        };
        sizes.iter().map(of).collect()
    }

    #[test]
    fn the_share_of_time_is_the_share_of_the_level_whatever_the_work() {
        for (exponent, size) in [(1, 1_000_000), (2, 1000), (3, 100)] {
            let around = [size * 99 / 100, size, size * 101 / 100];
            let trend = Trend::of(&hockney(&around, 3e-3, exponent)).expect("a trend");
            assert!((trend.share() - 0.25).abs() < 0.01, "{trend:?}");
            assert!((trend.work() - f64::from(exponent)).abs() < 1e-6, "{trend:?}");
        }
    }

    #[test]
    fn too_few_sizes_and_what_is_no_work_over_time_have_no_trend() {
        let all = hockney(&[10, 20, 40], 1e-3, 1);
        assert!(Trend::of(&all).is_some() && Trend::of(&all[..2]).is_none());
        let constant: Vec<MeasuredSize> =
            all.iter().map(|point| MeasuredSize { rate: 1.0, ..*point }).collect();
        assert_eq!(Trend::of(&constant), None);
        assert_eq!(Trend::of(&[]), None);
    }
}
