//! Strides over the rungs of the ladder, by the trend of the sizes so far; and the rungs near a
//! knee that strides left out.

use super::trend::{LEAST_SIZES, MeasuredSize, Trend};

/// Maximum factor of a stride in size.
const MOST_SIZE: f64 = 4.0;

/// The trend is taken over the last sizes that span this many octaves (factors of 2), or more.
const SEEN_OCTAVES: f64 = 1.7;

/// The rate is level if it changes by at most this share per octave of work.
const HOLDS: f64 = 0.045;

/// Maximum factor of a stride in work, where the rate is level.
const MOST_WORK: f64 = 4.0;

/// Below the bend, a stride may reach at most this share of the work at which the rate is half of
/// its level. Larger sizes are near the bend and are visited rung by rung.
const FOOT: f64 = 0.5;

/// Smallest share of the level that is trusted, since the trend is noisy.
const LEAST_SHARE: f64 = 0.02;

/// Number of rungs on each side of a knee that are measured.
const BESIDE: usize = 2;

/// A stride takes at most one in this many of the rungs ahead, so that a knee near the largest size
/// has larger sizes that confirm it.
const PART_AHEAD: usize = 4;

/// Returns the length of the next stride in rungs: one near the bend of the curve and while too
/// little is known, more far below the bend and where the rate is level. `measured` and `ahead`
/// ascend.
#[must_use]
pub fn stride(measured: &[MeasuredSize], ahead: &[u64]) -> usize {
    let Some(last) = measured.last() else { return 1 };
    let ratio = |size: u64, other: u64| size as f64 / other as f64;
    let seen = |point: &MeasuredSize| ratio(last.size, point.size).log2() >= SEEN_OCTAVES;
    let Some(trend) = measured.iter().rposition(seen).and_then(|from| {
        let from = from.min(measured.len().saturating_sub(LEAST_SIZES));
        Trend::of(&measured[from..])
    }) else {
        return 1;
    };
    let may = |rung: &&u64| {
        let ratio = ratio(**rung, last.size);
        ratio <= MOST_SIZE && allows(trend, ratio)
    };
    let most = (ahead.len() / PART_AHEAD).max(1);
    ahead.iter().take_while(may).count().clamp(1, most)
}

/// Whether the curve has no bend up to a size that is `ratio` times the last one.
fn allows(trend: Trend, ratio: f64) -> bool {
    let work = trend.work();
    let grown = ratio.powf(work);
    let an_octave = std::f64::consts::LN_2 * trend.rate / work;
    if an_octave.abs() <= HOLDS {
        return grown <= MOST_WORK;
    }
    // By t = t0 + work / r∞, this is the last size's work over the work at half of the level.
    let share = trend.share().clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
    let now = share / (1.0 - share) * trend.reach.powf(work);
    an_octave > 0.0 && now * grown <= FOOT
}

/// Returns the rungs near a knee that strides left out on the way to larger ones. All lists ascend.
#[must_use]
pub fn left_out(ladder: &[u64], visited: &[u64], knee: u64) -> Vec<u64> {
    let Some(last) = visited.last() else { return Vec::new() };
    let at = ladder.partition_point(|rung| *rung < knee);
    let near = at.saturating_sub(BESIDE)..(at + BESIDE + 1).min(ladder.len());
    let is_left = |rung: &&u64| *rung < last && visited.binary_search(rung).is_err();
    ladder[near].iter().filter(is_left).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::trend::tests::hockney;

    fn ladder(rungs: i32) -> Vec<u64> {
        (0..rungs).map(|rung| (1000.0 * 1.5_f64.powi(rung)) as u64).collect()
    }

    /// Returns the stride after each of these sizes, with twelve rungs ahead.
    fn strides(all: &[MeasuredSize]) -> Vec<usize> {
        let ahead = |count: usize| {
            (0..12).scan(all[count - 1].size, |size, _| {
                *size = (*size as f64 * 1.5) as u64;
                Some(*size)
            })
        };
        let stride = |count| stride(&all[..count], &ahead(count).collect::<Vec<_>>());
        (1..=all.len()).map(stride).collect()
    }

    #[test]
    fn strides_are_long_below_the_bend_and_on_the_level_and_short_between() {
        let rungs = ladder(40);
        let all = hockney(&rungs, 1e-3, 1);
        let strides = strides(&all);
        assert_eq!(strides[..3], [1, 1, 1], "three sizes show too little");
        for (point, stride) in all.iter().zip(&strides).skip(4) {
            match point.rate / 1e9 {
                ..0.05 => assert_eq!(*stride, 3, "{point:?}"),
                0.3..0.9 => assert_eq!(*stride, 1, "{point:?}"),
                0.98.. => assert_eq!(*stride, 3, "{point:?}"),
                _ => {}
            }
        }
    }

    #[test]
    fn cubic_work_is_visited_rung_by_rung_near_its_bend_and_on_its_level() {
        let rungs: Vec<u64> = (0..16).map(|rung| (16.0 * 1.5_f64.powi(rung)) as u64).collect();
        let all = hockney(&rungs, 1e-3, 3);
        for (point, stride) in all.iter().zip(strides(&all)) {
            assert!(point.rate < 0.05e9 || stride == 1, "{point:?}");
        }
    }

    #[test]
    fn a_fall_is_followed_rung_by_rung() {
        let mut all = hockney(&ladder(20), 1e-6, 1);
        assert_eq!(strides(&all)[19], 3);
        for (at, point) in all[17..].iter_mut().enumerate() {
            let slower = 0.9_f64.powi(at as i32 + 1);
            (point.rate, point.seconds) = (point.rate * slower, point.seconds / slower);
        }
        assert_eq!(strides(&all)[19], 1);
    }

    #[test]
    fn where_the_rule_leaves_few_sizes_a_stride_is_at_most_four_times_the_size() {
        let powers: Vec<u64> = (0..20).map(|power| 1 << power).collect();
        let all = hockney(&powers[..6], 1.0, 1);
        assert_eq!(stride(&all, &powers[6..]), 2);
        assert_eq!(stride(&all, &powers[6..13]), 1, "the last ones are visited one by one");
        assert_eq!(stride(&all, &[]), 1);
    }

    #[test]
    fn rungs_near_a_knee_are_those_that_were_passed_over() {
        let rungs = [10, 15, 22, 33, 49, 73, 109, 163];
        assert_eq!(left_out(&rungs, &[10, 15, 22, 73], 22), [33, 49]);
        assert_eq!(left_out(&rungs, &[10, 33, 109], 73), [49, 73]);
        assert_eq!(left_out(&rungs, &[10, 33, 109], 10), [15, 22]);
        assert!(left_out(&rungs, &rungs, 33).is_empty());
        assert!(left_out(&rungs, &[], 33).is_empty());
    }
}
