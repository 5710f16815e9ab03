//! What runs of a strategy reached after a number of evaluations.

use math::{
    bootstrap_median_interval, mean, median, median_interval, quantile, resample_into, seeded,
    sorted, standard_deviation,
};

/// Resamples of the runs for an interval.
const RESAMPLES: usize = 200;

/// Median and quartiles over runs. A run that found nothing within the bounds counts as 0, as in
/// *Accuracy-aware mixed-precision GPU auto-tuning* (2026), Fig. 5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attained {
    /// Median over the runs.
    pub median: f64,
    /// First and third quartile over the runs.
    pub quartiles: (f64, f64),
    /// 95 % interval of the median, from resampled runs.
    pub interval: (f64, f64),
    /// Share of the runs that found anything.
    pub found: f64,
}

impl Attained {
    /// Over what each run attained, where more is better and `None` is a run that found nothing.
    /// `seed` decides the resamples. Without runs, all values are NaN.
    #[must_use]
    pub fn of(runs: &[Option<f64>], seed: u64) -> Self {
        let values: Vec<f64> = runs.iter().map(|value| value.unwrap_or(0.0)).collect();
        let found = runs.iter().filter(|value| value.is_some()).count();
        Self { found: found as f64 / runs.len() as f64, ..Self::over(&values, seed) }
    }

    /// As [`Attained::over`], but with an interval from order statistics, which needs no resamples
    /// and allows infinite values.
    #[must_use]
    pub fn ordered(values: &[f64]) -> Self {
        let ordered = sorted(values);
        let median = median(&ordered);
        Self {
            median,
            quartiles: (quantile(&ordered, 0.25), quantile(&ordered, 0.75)),
            interval: median_interval(values, 0.95).unwrap_or((median, median)),
            found: 1.0,
        }
    }

    /// Over values that every run has, whether more or less is better.
    #[must_use]
    pub fn over(values: &[f64], seed: u64) -> Self {
        let ordered = Self::ordered(values);
        let interval = bootstrap_median_interval(values, 0.95, RESAMPLES, seed);
        Self { interval: interval.unwrap_or(ordered.interval), ..ordered }
    }
}

/// What runs attained on several spaces: the mean of their medians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttainedOverSpaces {
    /// Mean over the spaces of the medians over the runs.
    pub mean: f64,
    /// Standard deviation of the medians over the spaces; `None` for a single space.
    pub spread: Option<f64>,
    /// 95 % interval of the mean, from resampled runs.
    pub interval: (f64, f64),
    /// Share of all runs that found anything.
    pub found: f64,
}

impl AttainedOverSpaces {
    /// Over what each run attained on each space, where more is better and `None` is a run that
    /// found nothing. `seed` decides the resamples.
    #[must_use]
    pub fn of(spaces: &[Vec<Option<f64>>], seed: u64) -> Self {
        let values: Vec<Vec<f64>> = spaces
            .iter()
            .map(|runs| runs.iter().map(|value| value.unwrap_or(0.0)).collect())
            .collect();
        let medians: Vec<f64> = values.iter().map(|runs| median(runs)).collect();
        let mut rng = seeded(seed, 0xA77A);
        let mut draw = Vec::new();
        let resampled: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let medians = values.iter().map(|runs| {
                    resample_into(&mut rng, runs, &mut draw);
                    median(&draw)
                });
                mean(&medians.collect::<Vec<_>>())
            })
            .collect();
        let resampled = sorted(&resampled);
        let all = spaces.iter().flatten();
        let found = all.clone().filter(|value| value.is_some()).count();
        Self {
            mean: mean(&medians),
            spread: (medians.len() > 1).then(|| standard_deviation(&medians)),
            interval: (quantile(&resampled, 0.025), quantile(&resampled, 0.975)),
            found: found as f64 / all.count() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_found_nothing_count_as_zero() {
        // 0, 0, 0.4, 0.8, 1: type 7 quartiles are the second and fourth value.
        let attained = Attained::of(&[Some(0.8), None, Some(1.0), None, Some(0.4)], 1);
        assert!((attained.median - 0.4).abs() < 1e-15);
        assert!(attained.quartiles.0.abs() < 1e-15 && (attained.quartiles.1 - 0.8).abs() < 1e-15);
        assert!((attained.found - 0.6).abs() < 1e-15);
        assert!(attained.interval.0 <= attained.median && attained.median <= attained.interval.1);
        let none = Attained::of(&[None, None, None], 1);
        assert_eq!((none.median, none.quartiles, none.found), (0.0, (0.0, 0.0), 0.0));
    }

    #[test]
    fn quartiles_interpolate() {
        // Of 1, 2, 3, 4 the quartiles lie at 1.75 and 3.25.
        let attained = Attained::over(&[4.0, 1.0, 3.0, 2.0], 1);
        assert!((attained.median - 2.5).abs() < 1e-15);
        assert!((attained.quartiles.0 - 1.75).abs() < 1e-15);
        assert!((attained.quartiles.1 - 3.25).abs() < 1e-15);
    }

    #[test]
    fn over_spaces_medians_are_averaged() {
        // Medians 0.4 and 0.8, with one of six runs that found nothing.
        let spaces = [vec![Some(0.3), Some(0.4), Some(0.9)], vec![None, Some(0.8), Some(1.0)]];
        let over = AttainedOverSpaces::of(&spaces, 1);
        assert!((over.mean - 0.6).abs() < 1e-15 && (over.found - 5.0 / 6.0).abs() < 1e-15);
        let spread = over.spread.expect("two spaces");
        assert!((spread - 0.08_f64.sqrt()).abs() < 1e-12, "{spread}");
        assert!(over.interval.0 <= over.mean && over.mean <= over.interval.1);
    }

    #[test]
    fn intervals_repeat_with_their_seed() {
        let runs: Vec<Option<f64>> = (0..40).map(|n| Some(f64::from(n % 7))).collect();
        assert_eq!(Attained::of(&runs, 3), Attained::of(&runs, 3));
    }
}
