//! Additive fit by medians of a table of rounds and columns: what a round has in common, and the
//! middle of the rest of a column (Tukey, Exploratory Data Analysis, 1977).

use super::{mean, median, quantile, sorted};

const SWEEPS: usize = 3;
/// A row with fewer values has no effect: they cannot show what they have in common.
const LEAST_IN_COMMON: usize = 3;
/// Half the width of a normal distribution's shortest half, in standard deviations.
const HALF_OF_SHORTEST_HALF: f64 = 0.6745;
/// Standard deviations from the middle beyond which a value does not count.
const BELONGS: f64 = 2.5;

/// Common part of every row's values beyond the columns' middles. Missing values are NaN. O(rows ·
/// columns · log).
#[must_use]
pub fn row_effects(table: &[Vec<f64>]) -> Vec<f64> {
    let columns = table.first().map_or(0, Vec::len);
    let mut effects = vec![0.0; table.len()];
    let middle = |at: usize, effects: &[f64]| {
        let values: Vec<f64> = table
            .iter()
            .zip(effects)
            .map(|(row, effect)| row[at] - effect)
            .filter(|value| value.is_finite())
            .collect();
        median(&values)
    };
    let mut middles: Vec<f64> = (0..columns).map(|at| middle(at, &effects)).collect();
    for _ in 0..SWEEPS {
        for (row, effect) in table.iter().zip(&mut effects) {
            let left: Vec<f64> = row
                .iter()
                .zip(&middles)
                .map(|(value, middle)| value - middle)
                .filter(|value| value.is_finite())
                .collect();
            *effect = if left.len() < LEAST_IN_COMMON { 0.0 } else { median(&left) };
        }
        middles = (0..columns).map(|at| middle(at, &effects)).collect();
    }
    effects
}

/// Mean of the values near the shortest half of the sample: for normal values nearly as good as
/// their mean, and up to half of the values may lie anywhere on one side (the shorth of Andrews and
/// others, 1972, with one step of trimming). NaN for no values. O(n log n).
#[must_use]
pub fn core(values: &[f64]) -> f64 {
    core_of_sorted(&sorted(values))
}

/// [`core()`] of values that ascend. O(n).
#[must_use]
pub fn core_of_sorted(sorted: &[f64]) -> f64 {
    let count = sorted.len();
    if count < 4 {
        return quantile(sorted, 0.5);
    }
    let half = count / 2;
    let widths = (0..count - half).map(|at| sorted[at + half] - sorted[at]);
    let shortest = widths.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((at, width)) = shortest else { return quantile(sorted, 0.5) };
    let middle = quantile(&sorted[at..=at + half], 0.5);
    let reach = BELONGS * width / 2.0 / HALF_OF_SHORTEST_HALF;
    let far = |value: &f64| (value - middle).abs() > reach;
    let below = sorted.iter().take_while(|value| far(value) && **value < middle).count();
    let above = sorted.iter().rev().take_while(|value| far(value) && **value > middle).count();
    mean(&sorted[below..count - above])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{normal, seeded, standard_deviation};

    #[test]
    fn what_rounds_have_in_common_is_found_also_where_values_are_missing() {
        let columns = [3.0, 5.0, 9.0, 1.0, 4.0];
        let common = [0.0, 0.5, -0.5, 2.0, 0.0, 0.0];
        let mut table: Vec<Vec<f64>> =
            common.iter().map(|c| columns.iter().map(|x| x + c).collect()).collect();
        table[1][0] = f64::NAN;
        table[3][2] = f64::NAN;
        table[4][4] += 100.0;
        let effects = row_effects(&table);
        for (effect, common) in effects.iter().zip(common) {
            assert!((effect - effects[0] - common).abs() < 1e-9, "{effects:?}");
        }
        assert_eq!(row_effects(&[vec![1.0], vec![2.0]]), [0.0, 0.0], "one column has no company");
    }

    #[test]
    fn the_core_is_nearly_the_mean_of_normal_values() {
        let mut rng = seeded(5, 0);
        let draws: Vec<(f64, f64)> = (0..400)
            .map(|_| {
                let values: Vec<f64> = (0..100).map(|_| normal(&mut rng)).collect();
                (core(&values), mean(&values))
            })
            .collect();
        let spread = |of: fn(&(f64, f64)) -> f64| {
            standard_deviation(&draws.iter().map(of).collect::<Vec<_>>())
        };
        let (of_core, of_mean) = (spread(|d| d.0), spread(|d| d.1));
        assert!(of_core < 1.35 * of_mean, "{of_core} {of_mean}");
    }

    #[test]
    fn what_lies_on_one_side_does_not_move_the_core() {
        let mut rng = seeded(6, 0);
        let mut values: Vec<f64> = (0..60).map(|_| normal(&mut rng)).collect();
        let before = core(&values);
        values.extend((0..40).map(|_| 20.0 + 5.0 * normal(&mut rng)));
        assert!((core(&values) - before).abs() < 0.3, "{} {before}", core(&values));
        assert!(core(&[]).is_nan());
        assert!((core(&[1.0, 2.0, 9.0]) - 2.0).abs() < 1e-12);
        assert!((core(&[4.0; 7]) - 4.0).abs() < 1e-12);
    }
}
