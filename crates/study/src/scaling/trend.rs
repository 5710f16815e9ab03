//! How run time and rate change with the size. The trend shows where launches dominate the run
//! time, where the curve bends, and where the rate is level.
//!
//! Near a point, run time and rate are powers of the size. Their exponents add up to the exponent
//! of work. The exponent of run time as a share of the exponent of work is 0 where launches take
//! all of the run time, and 1 where the rate is level. In Hockney and Jesshope's model
//! t = t0 + work / r∞, this share equals rate / r∞ for any exponent of work.

use math::weighted_line;

/// A size that was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredSize {
    /// The size.
    pub size: u64,
    /// Seconds of a run.
    pub seconds: f64,
    /// Work per second, which saturates.
    pub rate: f64,
}

/// Smallest number of sizes that gives a trend.
pub(super) const LEAST_SIZES: usize = 3;

/// Smallest exponent of work that is trusted. With a smaller one, `rate` is not work per second.
const LEAST_WORK: f64 = 0.5;

/// The trend of neighbouring sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trend {
    /// Exponent of the run time.
    pub(super) time: f64,
    /// Exponent of the rate.
    pub(super) rate: f64,
    /// Ratio of the last size to the geometric mean of the sizes.
    pub(super) reach: f64,
}

impl Trend {
    /// Fits the trend of ascending sizes. `None` if there are too few, or if work hardly grows.
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

    pub(super) fn work(self) -> f64 {
        self.time + self.rate
    }

    /// Returns the exponent of run time as a share of the exponent of work.
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
