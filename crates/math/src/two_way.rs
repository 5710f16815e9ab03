//! Additive fit of a table of rounds and columns by medians: the effect that a round has on all its
//! values, and the middle of each column without these effects (Tukey, Exploratory Data Analysis,
//! 1977).

use super::median;

const SWEEPS: usize = 3;
/// Rows with fewer values get the effect 0: so few do not show what they have in common.
const LEAST_IN_COMMON: usize = 3;

/// The effect of every row: what its values have in common beyond the middles of their columns.
/// Missing values are NaN. O(rows · columns · log).
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
