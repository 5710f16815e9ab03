//! Seeded bootstrap resampling (Efron 1979) and percentile intervals.

use std::iter::repeat_n;

use rand::RngExt;

use super::{Rng, quantile, seeded, sorted};

/// Fills `target` with a resample: as many draws with replacement as `values` has elements. O(n).
pub fn resample_into(rng: &mut Rng, values: &[f64], target: &mut Vec<f64>) {
    target.clear();
    if values.is_empty() {
        return;
    }
    target.extend((0..values.len()).map(|_| values[rng.random_range(0..values.len())]));
}

/// Counts how often each of `count` items is drawn in a resample of `count` draws. O(n).
#[must_use]
pub fn resampled_counts(rng: &mut Rng, count: usize) -> Vec<u32> {
    let mut counts = vec![0; count];
    for _ in 0..count {
        counts[rng.random_range(0..count)] += 1;
    }
    counts
}

/// Percentile interval of a statistic at `confidence` (for example 0.95) from `repeats` resamples;
/// `None` without values or resamples. O(repeats · cost of the statistic).
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
    Some(within(&answers, confidence))
}

/// Draws the same resamples as [`resample_into`], in ascending order without sorting each.
struct SortedDraws<'a> {
    values: &'a [f64],
    /// Positions of the values, in ascending order of value.
    order: Vec<usize>,
    drawn: Vec<f64>,
}

impl<'a> SortedDraws<'a> {
    /// Prepares the resamples of a sample. O(n log n).
    fn of(values: &'a [f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
        Self { values, order, drawn: Vec::with_capacity(values.len()) }
    }

    /// Returns the next resample. O(n).
    fn draw(&mut self, rng: &mut Rng) -> &[f64] {
        let times = resampled_counts(rng, self.values.len());
        self.drawn.clear();
        for at in &self.order {
            self.drawn.extend(repeat_n(self.values[*at], times[*at] as usize));
        }
        &self.drawn
    }
}

/// Central interval that holds the share `confidence` of the answers.
fn within(answers: &[f64], confidence: f64) -> (f64, f64) {
    let answers = sorted(answers);
    let tail = (1.0 - confidence) / 2.0;
    (quantile(&answers, tail), quantile(&answers, 1.0 - tail))
}

/// [`bootstrap_interval`] of the median.
#[must_use]
pub fn bootstrap_median_interval(
    values: &[f64],
    confidence: f64,
    repeats: usize,
    seed: u64,
) -> Option<(f64, f64)> {
    if values.is_empty() || repeats == 0 {
        return None;
    }
    let (mut rng, mut draws) = (seeded(seed, 0xB007), SortedDraws::of(values));
    let answers: Vec<f64> = (0..repeats).map(|_| quantile(draws.draw(&mut rng), 0.5)).collect();
    Some(within(&answers, confidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;

    #[test]
    fn draws_that_ascend_are_the_same_draws() {
        let mut rng = seeded(4, 0);
        for count in [0, 1, 2, 3, 7, 40, 301] {
            let values: Vec<f64> = (0..count).map(|_| (9.0 * normal(&mut rng)).round()).collect();
            let (mut draws, mut own) = (SortedDraws::of(&values), seeded(9, 1));
            let (mut other, mut drawn) = (own.clone(), Vec::new());
            for _ in 0..9 {
                resample_into(&mut other, &values, &mut drawn);
                let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(draws.draw(&mut own)), bits(&sorted(&drawn)), "{values:?}");
            }
        }
    }

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
