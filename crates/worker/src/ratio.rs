//! Decides when two configurations that are measured alternately need no more samples. A clearly
//! worse one stops early. A close one goes on until the difference is known, or known not to
//! matter. Uses no clock and no device.

use math::{Pair, PairedRatio};
use records::Exit;

use super::series::Series;

/// Undisturbed pairs after which one of many configurations may be hopeless, if it is `FAR` times
/// as slow.
const FIRST_LOOK: usize = 3;
const FAR: f64 = 1.25;
/// Least pairs for a meaningful interval.
const LEAST_PAIRS: usize = 6;
/// A difference is known if half its interval is at most this share of the difference.
const KNOWN: f64 = 0.5;

/// Ratio of two series that were sampled alternately.
pub(super) fn ratio(a: &Series, b: &Series) -> Option<PairedRatio> {
    let both = a.samples().iter().zip(b.samples()).enumerate();
    PairedRatio::of(both.map(|(at, (first, second))| Pair {
        first: *first,
        second: *second,
        disturbed: a.is_disturbed(at) || b.is_disturbed(at),
    }))
}

/// Whether a ratio is precise enough if the ratio itself is wanted. Being far behind is not enough.
pub(super) fn is_precise(ratio: &PairedRatio, precision: f64) -> bool {
    let (low, high) = ratio.interval;
    ratio.pairs >= LEAST_PAIRS && (high - low) / 2.0 <= precision * ratio.value
}

/// Whether sampling may end, and why. If the ratio itself is wanted (`for_itself`), a few pairs are
/// not enough, however far apart the two are.
pub(super) fn verdict(ratio: &PairedRatio, precision: f64, for_itself: bool) -> Option<Exit> {
    let (low, high) = ratio.interval;
    if !for_itself && ratio.clean >= FIRST_LOOK && low > FAR {
        return Some(Exit::Hopeless);
    }
    if ratio.pairs < LEAST_PAIRS {
        return None;
    }
    let half = (high - low) / 2.0;
    let difference = (ratio.value - 1.0).abs();
    let known = (low > 1.0 || high < 1.0) && half <= KNOWN * difference;
    match known {
        true if low > 1.0 + precision => Some(Exit::Hopeless),
        true => Some(Exit::Precise),
        // The difference does not matter.
        false => (half <= precision).then_some(Exit::Precise),
    }
}

#[cfg(test)]
mod tests {
    use device::{Disturbance, Timed};
    use math::{normal, seeded};

    use super::*;

    fn series(samples: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::new(1);
        samples.into_iter().for_each(|seconds| series.push(Timed { seconds, ..Timed::default() }));
        series
    }

    fn judged(a: &Series, b: &Series, for_itself: bool) -> Option<Exit> {
        verdict(&ratio(a, b).expect("pairs"), 0.01, for_itself)
    }

    #[test]
    fn what_is_far_behind_is_dropped_after_three_pairs_and_one_outlier_is_not() {
        let usual = series([1e-3; 3]);
        assert_eq!(judged(&series([2e-3; 3]), &usual, false), Some(Exit::Hopeless));
        assert_eq!(judged(&series([9e-3, 1e-3, 1e-3]), &usual, false), None);
        // Six pairs, if two are compared to get their ratio.
        assert_eq!(judged(&series([2e-3; 3]), &usual, true), None);
        assert_eq!(judged(&series([2e-3; 6]), &series([1e-3; 6]), true), Some(Exit::Hopeless));
    }

    #[test]
    fn nothing_is_dropped_for_what_disturbed_it() {
        let mut disturbed = Series::new(1);
        for seconds in [9e-3, 2e-3, 2e-3] {
            let lost = if seconds > 5e-3 { 8e-3 } else { 0.0 };
            let disturbance = Disturbance { waited: lost, ..Disturbance::default() };
            disturbed.push(Timed { seconds, disturbance });
        }
        assert!(disturbed.is_disturbed(0));
        assert_eq!(judged(&disturbed, &series([1e-3; 3]), false), None);
    }

    #[test]
    fn close_ones_go_on_until_the_difference_does_not_matter() {
        let mut rng = seeded(4, 0);
        let mut draw = |count: usize| -> Series {
            series((0..count).map(|_| 1e-3 * (1.0 + 0.05 * normal(&mut rng))))
        };
        let few = (draw(8), draw(8));
        assert_eq!(judged(&few.0, &few.1, false), None);
        let many = (draw(800), draw(800));
        assert_eq!(judged(&many.0, &many.1, false), Some(Exit::Precise));
    }
}
