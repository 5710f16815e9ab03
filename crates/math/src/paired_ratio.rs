//! Ratio of two series that are sampled alternately, so that changes of the machine affect both
//! (the duet of Bulej and others, 2020).

use super::{interval_of_few, median, median_interval};

/// With at least this many undisturbed pairs, disturbed pairs do not count.
const ENOUGH: usize = 6;
const CONFIDENCE: f64 = 0.95;

/// One sample of each of two series, taken next to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Sample of the first series.
    pub first: f64,
    /// Sample of the second series.
    pub second: f64,
    /// Whether anything disturbed one of the two samples.
    pub disturbed: bool,
}

/// Ratio of the first of two series to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedRatio {
    /// Median over the pairs.
    pub value: f64,
    /// 95 % interval of the median by ranks. For few pairs it is their range, which is too narrow.
    pub interval: (f64, f64),
    /// The interval to state: Student's t interval for fewer than six pairs, else `interval`.
    pub stated: (f64, f64),
    /// Number of pairs that count.
    pub pairs: usize,
    /// Number of undisturbed pairs.
    pub clean: usize,
}

impl PairedRatio {
    /// The ratio of these pairs; `None` if no pair has a finite ratio. Disturbed pairs count only
    /// if there are too few undisturbed ones.
    #[must_use]
    pub fn of(pairs: impl IntoIterator<Item = Pair>) -> Option<Self> {
        let ratios = pairs.into_iter().map(|pair| (pair.first / pair.second, pair.disturbed));
        let all: Vec<(f64, bool)> = ratios.filter(|(ratio, _)| ratio.is_finite()).collect();
        let clean = all.iter().filter(|(_, disturbed)| !disturbed).count();
        let enough = clean >= ENOUGH.min(all.len());
        let counted = all.iter().filter(|(_, disturbed)| !(enough && *disturbed));
        let counted: Vec<f64> = counted.map(|(ratio, _)| *ratio).collect();
        let interval = median_interval(&counted, CONFIDENCE)?;
        let few = (counted.len() < ENOUGH).then(|| interval_of_few(&counted, CONFIDENCE)).flatten();
        let (value, stated) = (median(&counted), few.unwrap_or(interval));
        Some(Self { value, interval, stated, pairs: counted.len(), clean })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(pairs: &[(f64, f64, bool)]) -> PairedRatio {
        let pair = |(first, second, disturbed): &(f64, f64, bool)| Pair {
            first: *first,
            second: *second,
            disturbed: *disturbed,
        };
        PairedRatio::of(pairs.iter().map(pair)).expect("pairs")
    }

    #[test]
    fn a_drift_that_meets_both_leaves_their_ratio_alone() {
        let pairs: Vec<_> = (1..=9).map(|at| (1.1 * f64::from(at), f64::from(at), false)).collect();
        let ratio = ratio(&pairs);
        assert!((ratio.value - 1.1).abs() < 1e-12 && (ratio.interval.1 - 1.1).abs() < 1e-12);
        assert_eq!(PairedRatio::of([]), None);
    }

    #[test]
    fn disturbed_pairs_count_until_there_are_enough_others() {
        let few = ratio(&[(9.0, 1.0, true), (1.0, 1.0, false), (1.0, 1.0, false)]);
        assert_eq!((few.pairs, few.clean, few.interval.1), (3, 2, 9.0));
        assert!(few.stated.0 < 0.5 && few.stated.1 > 9.0, "{few:?}");
        let mut pairs = vec![(1.0, 1.0, false); 6];
        pairs.push((9.0, 1.0, true));
        let many = ratio(&pairs);
        assert_eq!((many.pairs, many.clean, many.interval), (6, 6, (1.0, 1.0)));
        assert_eq!(many.stated, many.interval);
    }
}
