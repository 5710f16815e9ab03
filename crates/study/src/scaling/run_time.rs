//! How long a run takes before launching it no longer shapes the curve.

use super::trend::{MeasuredSize, Trend};

/// Sizes at the beginning that show what a launch costs.
const FIRST: usize = 3;

/// Share of the growth of work that costs run time at the first sizes, at most, if they show the launch:
/// it is the larger part of their runs then.
const LAUNCHING: f64 = 0.5;

/// Seconds from which on a run is long enough for a knee, where `share` of the level counts as saturated:
/// in t = t0 + work / r∞ a run of t0 / (1 − share) seconds reaches it. The shortest of the first runs is
/// t0; `None` where those sizes do not show it. `measured` ascends.
#[must_use]
pub fn long_enough(measured: &[MeasuredSize], share: f64) -> Option<f64> {
    let first = measured.get(..FIRST)?;
    let shows_launch = Trend::of(first)?.share() < LAUNCHING;
    let launch = first.iter().map(|point| point.seconds).fold(f64::INFINITY, f64::min);
    shows_launch.then_some(launch / (1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::trend::tests::hockney;

    #[test]
    fn a_run_is_long_enough_when_its_launch_is_a_tenth_of_it() {
        for (launch, exponent) in [(2e-6, 1), (2e-6, 2), (5e-4, 1), (5e-4, 3)] {
            let found = long_enough(&hockney(&[16, 24, 32, 48], launch, exponent), 0.9);
            let found = found.expect("launches are seen");
            assert!((10.0..12.0).contains(&(found / launch)), "{launch} {exponent}: {found}");
        }
        let most = long_enough(&hockney(&[16, 24, 32], 2e-6, 1), 0.95).expect("seen");
        assert!((most / 2e-6 - 20.0).abs() < 0.5, "{most}");
    }

    #[test]
    fn sizes_that_do_not_show_a_launch_say_nothing() {
        assert_eq!(long_enough(&hockney(&[4096, 6144, 9216], 2e-6, 1), 0.9), None);
        assert_eq!(long_enough(&hockney(&[16, 24], 2e-6, 1), 0.9), None);
        assert_eq!(long_enough(&[], 0.9), None);
    }
}
