//! Ratio of two series that were taken in turn, so that changes of the machine meet both (the duet of Bulej and others,
//! 2020).

use super::{interval_of_few, median, median_interval};

/// Undisturbed pairs from which on disturbed ones do not count.
const ENOUGH: usize = 6;
const CONFIDENCE: f64 = 0.95;

/// A sample of each of two series that were taken next to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Of the first series.
    pub first: f64,
    /// Of the second.
    pub second: f64,
    /// Whether anything disturbed one of them.
    pub disturbed: bool,
}

/// The first of two series as a multiple of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedRatio {
    /// Median over the pairs.
    pub value: f64,
    /// 95 % interval of the median by ranks; of a few pairs their range, which is narrower.
    pub interval: (f64, f64),
    /// 95 % interval, of a few pairs Student's.
    pub stated: (f64, f64),
    /// Pairs that count.
    pub pairs: usize,
    /// Pairs among all that nothing disturbed.
    pub clean: usize,
}

impl PairedRatio {
    /// Of pairs; `None` where there are none. Disturbed ones count only where there are too few others.
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
