//! The least run time of a study: shorter runs mainly show the cost of a launch.

use super::trend::{MeasuredSize, Trend};

/// Number of sizes at the beginning from which the cost of a launch is estimated.
const FIRST: usize = 3;

/// The first sizes show the launch if [`Trend::share`] is below this: a launch then takes most of
/// their run time.
const LAUNCHING: f64 = 0.5;

/// Returns the run time in seconds at which the rate reaches `share` of its level. By the model
/// t = t0 + work / r∞, this is t0 / (1 − share). The shortest run of the first sizes is taken as
/// t0. `None` if the first sizes do not show the launch. `measured` ascends.
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
