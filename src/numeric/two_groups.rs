//! Values that fall into two groups far apart, such as times of a machine that has two states.

use super::{mad, median, sorted};

/// Two groups of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoGroups {
    /// Values above this belong to the upper group.
    pub bound: f64,
    /// Median of the lower group.
    pub lower: f64,
    /// Median of the upper group.
    pub upper: f64,
}

/// Each group lies this many of its robust standard deviations from the other. Halves of normal values
/// lie 2.7 apart.
const APART: f64 = 4.0;

/// Fewest values of a group.
const LEAST: usize = 5;

/// The two groups whose squared deviations are least together (Otsu 1979), if they lie at least `apart`
/// from each other and are clearly two. O(n log n).
#[must_use]
pub fn two_groups(values: &[f64], apart: f64) -> Option<TwoGroups> {
    let sorted = sorted(values);
    let count = sorted.len();
    if count < 2 * LEAST {
        return None;
    }
    let whole: f64 = sorted.iter().sum();
    let mut sum: f64 = sorted[..LEAST - 1].iter().sum();
    let mut best = (0, f64::NEG_INFINITY);
    for at in LEAST..=count - LEAST {
        sum += sorted[at - 1];
        let (below, above) = (at as f64, (count - at) as f64);
        let between = sum * sum / below + (whole - sum).powi(2) / above;
        if between > best.1 {
            best = (at, between);
        }
    }
    let (low, high) = sorted.split_at(best.0);
    let (lower, upper) = (median(low), median(high));
    let wide = mad(low).max(mad(high));
    let bound = f64::midpoint(*low.last()?, *high.first()?);
    (upper - lower >= apart.max(APART * wide)).then_some(TwoGroups { bound, lower, upper })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{normal, seeded};

    #[test]
    fn two_states_are_told_apart_and_one_wide_one_is_not_divided() {
        let mut rng = seeded(8, 0);
        let mut draw = |count: usize, middle: f64, deviation: f64| -> Vec<f64> {
            (0..count).map(|_| middle + deviation * normal(&mut rng)).collect()
        };
        for deviation in [0.01, 0.1, 1.0] {
            for count in [20, 100, 1000] {
                let one = draw(count, 0.0, deviation);
                assert_eq!(two_groups(&one, 0.2), None, "{count} values with {deviation}");
            }
        }
        let two = [draw(300, 0.0, 0.05), draw(40, 0.4, 0.05)].concat();
        let groups = two_groups(&two, 0.2).expect("two groups");
        assert!(groups.lower.abs() < 0.02 && (groups.upper - 0.4).abs() < 0.05, "{groups:?}");
        assert!((0.1..0.3).contains(&groups.bound), "{groups:?}");
        let near = [draw(100, 0.0, 0.01), draw(100, 0.1, 0.01)].concat();
        assert_eq!(two_groups(&near, 0.2), None);
        assert_eq!(two_groups(&[1.0; 50], 0.2), None);
        assert_eq!(two_groups(&[], 0.2), None);
    }
}
