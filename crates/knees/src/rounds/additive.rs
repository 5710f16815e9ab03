//! `z[r, s] = a[s] + b[r] + e[r, s]`: what a size has, what a round has, and errors of Student's t.
//! Fitted by expectation and maximisation, which for the t distribution is a weighted mean
//! (Lange, Little and Taylor, 1989).

use math::{median, row_effects};

use super::table::{Cell, Table};

/// Degrees of freedom of the errors: between 1 and 3 on the machines that were measured. Few
/// degrees leave outliers without weight.
pub(super) const FREEDOM: f64 = 1.5;
/// Passes over the table.
const SWEEPS: usize = 30;
/// The least error of a column, in logarithms.
pub(super) const LEAST_ERROR: f64 = 1e-4;
/// Cells with the usual error that are added to those of each column.
const PRIOR_CELLS: f64 = 4.0;
/// From the median of absolute normal errors to their standard deviation.
const NORMAL: f64 = 1.4826;

/// The fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Additive {
    /// Effects of columns; their mean is zero.
    pub(super) columns: Vec<f64>,
    /// Effects of rows.
    pub(super) rows: Vec<f64>,
    /// Scale of the errors of each column.
    pub(super) errors: Vec<f64>,
}

impl Additive {
    pub(super) fn of(table: &Table) -> Self {
        let mut fit = Self::start(table);
        for _ in 0..SWEEPS {
            fit.sweep(table);
        }
        fit
    }

    /// Medians, which no outlier moves.
    fn start(table: &Table) -> Self {
        let rows = row_effects(&table.dense());
        let mut own = vec![Vec::new(); table.columns];
        for (row, effect) in table.rows.iter().zip(&rows) {
            row.iter().for_each(|cell| own[cell.column].push(cell.z - effect));
        }
        let columns: Vec<f64> = own.iter().map(|values| median(values)).collect();
        let scale = |(values, middle): (&Vec<f64>, &f64)| {
            let apart: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
            NORMAL * median(&apart) + LEAST_ERROR
        };
        let errors = own.iter().zip(&columns).map(scale).collect();
        let mut fit = Self { columns, rows, errors };
        fit.centre();
        fit
    }

    fn sweep(&mut self, table: &Table) {
        let mut sums = vec![Sums::default(); table.columns];
        for (row, effect) in table.rows.iter().zip(&mut self.rows) {
            let own = |cell: &Cell| {
                let value = cell.z - self.columns[cell.column];
                let weight = Weight::of(cell, self.errors[cell.column], value - *effect).mean;
                (weight, weight * value)
            };
            let (weights, values) =
                row.iter().map(own).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            if weights > 0.0 {
                *effect = values / weights;
            }
            for cell in row {
                let error = cell.z - self.columns[cell.column] - *effect;
                sums[cell.column].add(cell, self.errors[cell.column], error, cell.z - *effect, 1.0);
            }
        }
        for (column, sums) in self.columns.iter_mut().zip(&sums) {
            sums.update(column);
        }
        update_errors(&mut self.errors, &sums);
        self.centre();
    }

    /// Moves the mean of the columns into the rows.
    fn centre(&mut self) {
        let mean = math::mean(&self.columns);
        self.columns.iter_mut().for_each(|column| *column -= mean);
        self.rows.iter_mut().for_each(|row| *row += mean);
    }
}

/// How a cell with some error counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    /// Its weight in a mean.
    pub(super) mean: f64,
    /// How much it moves the mean if its value moves: less than its weight, which falls as the error
    /// grows. Negative for outliers.
    pub(super) pull: f64,
}

impl Weight {
    pub(super) fn of(cell: &Cell, scale: f64, error: f64) -> Self {
        let variance = scale * scale + cell.lost;
        let apart = FREEDOM + error * error / variance;
        let mean = (FREEDOM + 1.0) / apart / variance;
        Self { mean, pull: mean * (2.0 * FREEDOM - apart) / apart }
    }
}

/// Sums over the cells of a column.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    weights: f64,
    values: f64,
    squares: f64,
    count: f64,
}

impl Sums {
    /// Adds a cell that counts `share` times, with its error and its value without the row's effect.
    pub(super) fn add(&mut self, cell: &Cell, scale: f64, error: f64, value: f64, share: f64) {
        let weight = Weight::of(cell, scale, error).mean;
        self.weights += share * weight;
        self.values += share * weight * value;
        self.squares += share * weight * error * error * scale * scale;
        self.count += share;
    }

    /// The column's effect after a pass.
    pub(super) fn update(&self, column: &mut f64) {
        if self.weights > 0.0 {
            *column = self.values / self.weights;
        }
    }

    /// Adds the sums of another part of the column.
    pub(super) fn join(&mut self, other: &Self) {
        self.weights += other.weights;
        self.values += other.values;
        self.squares += other.squares;
        self.count += other.count;
    }
}

/// The scales of the errors after a pass. Each is drawn towards their median: with few cells a round
/// could follow one column, whose error would become nothing.
pub(super) fn update_errors(errors: &mut [f64], sums: &[Sums]) {
    let squares = |sums: &Sums| sums.squares / sums.count;
    let known: Vec<f64> = sums.iter().filter(|sums| sums.count > 2.0).map(squares).collect();
    if known.is_empty() {
        return;
    }
    let usual = median(&known);
    for (error, sums) in errors.iter_mut().zip(sums) {
        let square = (sums.squares + PRIOR_CELLS * usual) / (sums.count + PRIOR_CELLS);
        *error = square.sqrt().max(LEAST_ERROR);
    }
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;

    #[test]
    fn what_a_round_has_in_common_and_single_outliers_are_taken_out() {
        let mut rng = seeded(4, 0);
        let truth = [-1.0, 0.5, 0.2, 0.3];
        let row = |round: usize, rng: &mut _| {
            let common = if round.is_multiple_of(3) { 0.7 } else { 0.0 };
            let cell = |(column, own): (usize, &f64)| {
                let outlier = if (round + column).is_multiple_of(11) { 2.0 } else { 0.0 };
                Cell { column, z: own + common + outlier + 0.01 * normal(rng), lost: 0.0 }
            };
            truth.iter().enumerate().map(cell).collect()
        };
        let rows = (0..90).map(|round| row(round, &mut rng)).collect();
        let table = Table { rows, columns: 4, placements: Vec::new() };
        let fit = Additive::of(&table);
        for (found, truth) in fit.columns.iter().zip(truth) {
            assert!((found - truth).abs() < 0.01, "{fit:?}");
        }
        assert!((fit.rows[3] - fit.rows[4] - 0.7).abs() < 0.03, "{:?}", &fit.rows[..6]);
        assert!(fit.errors.iter().all(|error| *error < 0.03), "{:?}", fit.errors);
    }
}
