//! Where the mean of a series changes.
//!
//! A series is split at the point, or around the stretch, whose mean differs most from the rest by
//! a two-sample t-test, if the difference is significant. The parts are then split in the same way.
//! The significance of the best split is corrected for the number of splits (the Bonferroni bound
//! of Worsley, *On the likelihood ratio test for a shift in location of normal populations*, JASA
//! 74, 1979). So a stationary series of normal values shows a change with at most the stated
//! probability. Stretches find means that changed and changed back (Olshen et al., *Circular binary
//! segmentation*, Biostatistics 5, 2004).

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Fewest values that can show a change.
const LEAST: usize = 4;

/// Fewest values of a stretch inside a series: a single value is an outlier.
const LEAST_STRETCH: usize = 2;

/// A change of the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Position of the first value after the change.
    pub at: usize,
    /// Upper bound of the probability that chance alone makes such a change in the part of the
    /// series where it was found.
    pub chance: f64,
}

/// Changes of the mean, in order. `significance` bounds the probability of finding any change in a
/// stationary series.
#[must_use]
pub fn change_points(values: &[f64], significance: f64) -> Vec<ChangePoint> {
    let mut found = Vec::new();
    let mut parts = vec![(0, values.len())];
    while let Some((from, to)) = parts.pop() {
        let Some((chance, cuts)) = best(&values[from..to]) else { continue };
        if chance > significance {
            continue;
        }
        let mut start = from;
        for at in cuts.into_iter().map(|cut| from + cut) {
            found.push(ChangePoint { at, chance });
            parts.push((start, at));
            start = at;
        }
        parts.push((start, to));
    }
    found.sort_by_key(|change| change.at);
    found
}

/// The most significant change of a series: the bound on its chance, and its one or two cuts.
fn best(values: &[f64]) -> Option<(f64, Vec<usize>)> {
    let count = values.len();
    if count < LEAST || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    // Subtracting the first value keeps the digits of the sums.
    let centred: Vec<f64> = values.iter().map(|value| value - values[0]).collect();
    let mut sums = vec![0.0];
    for value in &centred {
        sums.push(sums[sums.len() - 1] + value);
    }
    let total = sums[count];
    let squares: f64 = centred.iter().map(|value| value * value).sum();
    let spread = squares - total * total / count as f64;
    let distance = |from: usize, to: usize| -> f64 {
        let (inside, length) = (sums[to] - sums[from], (to - from) as f64);
        let rest = count as f64 - length;
        // Sum of squares between the two parts.
        (inside - total * length / count as f64).powi(2) * count as f64 / (length * rest)
    };
    let splits = (1..count).map(|at| (distance(0, at), vec![at]));
    let stretches = (1..count - 1).flat_map(|from| {
        let ends = from + LEAST_STRETCH..count;
        ends.map(move |to| (from, to))
    });
    let stretches = stretches.map(|(from, to)| (distance(from, to), vec![from, to]));
    let tests = [(count - 1) as f64, ((count - 1) * (count - 2)) as f64 / 2.0];
    let kinds = [farthest(splits), farthest(stretches)];
    let bounds = kinds.into_iter().zip(tests).filter_map(|(kind, tests)| {
        let (between, cuts) = kind?;
        // Splits and stretches get half of the false alarms each.
        Some(((2.0 * tests * chance(between, spread, count)?).min(1.0), cuts))
    });
    bounds.reduce(|a, b| if b.0 < a.0 { b } else { a })
}

fn farthest(all: impl Iterator<Item = (f64, Vec<usize>)>) -> Option<(f64, Vec<usize>)> {
    all.reduce(|a, b| if b.0 > a.0 { b } else { a })
}

/// Two-sided probability that chance alone sets the means of two parts so far apart.
fn chance(between: f64, spread: f64, count: usize) -> Option<f64> {
    if spread <= 0.0 {
        return None;
    }
    let freedom = (count - 2) as f64;
    let within = (spread - between).max(spread * f64::EPSILON);
    let t = (between * freedom / within).sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(2.0 * student.sf(t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, normal, seeded};

    fn noisy(levels: &[(usize, f64)], noise: f64, rng: &mut Rng) -> Vec<f64> {
        let of = |&(count, level)| std::iter::repeat_n(level, count);
        levels.iter().flat_map(of).map(|level: f64| level + noise * normal(rng)).collect()
    }

    fn places(values: &[f64]) -> Vec<usize> {
        change_points(values, 0.05).iter().map(|change| change.at).collect()
    }

    #[test]
    fn stationary_series_rarely_change() {
        let mut rng = seeded(1, 0);
        for count in [4, 8, 30, 100] {
            let changed = (0..1000)
                .filter(|_| !places(&noisy(&[(count, -7.0)], 0.01, &mut rng)).is_empty())
                .count();
            // 5 % and three standard errors: sqrt(0.05 * 0.95 / 1000) = 0.7 %.
            assert!(changed <= 71, "{changed} of 1000 series of {count}");
        }
    }

    #[test]
    fn a_step_of_five_times_the_noise_is_found_where_it_is() {
        let mut rng = seeded(2, 0);
        for (before, after) in [(20, 20), (20, 5), (10, 2), (20, 1)] {
            let found = (0..100)
                .filter(|_| {
                    let series = noisy(&[(before, 0.0), (after, 0.05)], 0.01, &mut rng);
                    let found = places(&series);
                    found.iter().any(|at| at.abs_diff(before) <= 1)
                })
                .count();
            let least = if after == 1 { 70 } else { 90 };
            assert!(found >= least, "{found} of 100 after {after}");
        }
    }

    #[test]
    fn what_changes_and_changes_back_has_two_changes() {
        let mut rng = seeded(3, 0);
        let found = (0..100)
            .filter(|_| {
                let series = noisy(&[(10, 0.0), (10, 0.05), (10, 0.0)], 0.01, &mut rng);
                let found = places(&series);
                found.len() == 2 && found[0].abs_diff(10) <= 1 && found[1].abs_diff(20) <= 1
            })
            .count();
        assert!(found >= 80, "{found} of 100");
    }

    #[test]
    fn an_outlier_in_the_middle_is_no_change() {
        let mut rng = seeded(4, 0);
        let mut series = noisy(&[(21, 0.0)], 0.01, &mut rng);
        series[10] = 0.3;
        assert_eq!(places(&series), [0; 0]);
    }

    #[test]
    fn series_without_noise_or_sense_end_in_an_answer() {
        assert_eq!(places(&[1.0; 10]), [0; 0]);
        assert_eq!(places(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), [3]);
        assert_eq!(places(&[1.0, f64::NAN, 1.0, 2.0]), [0; 0]);
        assert_eq!(places(&[]), [0; 0]);
    }
}
