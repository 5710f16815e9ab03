//! Seeded bootstrap resampling (Efron 1979) and percentile intervals.

use rand::RngExt;

use super::{Rng, median, quantile, seeded, sorted};

/// Replaces `target` by a resample: as many draws with replacement from `values`. O(n).
pub fn resample_into(rng: &mut Rng, values: &[f64], target: &mut Vec<f64>) {
    target.clear();
    if values.is_empty() {
        return;
    }
    target.extend((0..values.len()).map(|_| values[rng.random_range(0..values.len())]));
}

/// How often each of `count` things is drawn in a resample of `count` draws. O(n).
#[must_use]
pub fn resampled_counts(rng: &mut Rng, count: usize) -> Vec<u32> {
    let mut counts = vec![0; count];
    for _ in 0..count {
        counts[rng.random_range(0..count)] += 1;
    }
    counts
}

/// Percentile interval of a statistic at `confidence` (for example 0.95), from `repeats` resamples;
/// `None` for an empty sample. O(repeats · cost of the statistic).
#[must_use]
pub fn bootstrap_interval(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    confidence: f64,
    repeats: usize,
    seed: u64,
) -> Option<(f64, f64)> {
    if values.is_empty() || repeats == 0 {
        return None;
    }
    let mut rng = seeded(seed, 0xB007);
    let mut draw = Vec::with_capacity(values.len());
    let answers: Vec<f64> = (0..repeats)
        .map(|_| {
            resample_into(&mut rng, values, &mut draw);
            statistic(&draw)
        })
        .collect();
    let answers = sorted(&answers);
    let tail = (1.0 - confidence) / 2.0;
    Some((quantile(&answers, tail), quantile(&answers, 1.0 - tail)))
}

/// [`bootstrap_interval`] of the median.
#[must_use]
pub fn bootstrap_median_interval(
    values: &[f64],
    confidence: f64,
    repeats: usize,
    seed: u64,
) -> Option<(f64, f64)> {
    bootstrap_interval(values, median, confidence, repeats, seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::normal;

    #[test]
    fn the_interval_of_the_median_covers_the_truth_about_as_often_as_it_says() {
        let mut rng = seeded(3, 0);
        let covered = (0..200)
            .filter(|&round| {
                let values: Vec<f64> = (0..31).map(|_| 10.0 + normal(&mut rng)).collect();
                let (low, high) =
                    bootstrap_median_interval(&values, 0.95, 200, round).expect("a sample");
                low <= 10.0 && 10.0 <= high
            })
            .count();
        assert!((175..=200).contains(&covered), "{covered} of 200");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values = [1.0, 5.0, 2.0, 8.0, 3.0];
        let once = bootstrap_median_interval(&values, 0.9, 100, 4);
        assert_eq!(once, bootstrap_median_interval(&values, 0.9, 100, 4));
        assert_eq!(bootstrap_median_interval(&[], 0.9, 100, 4), None);
    }
}
