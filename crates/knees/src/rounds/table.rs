//! Values measured in rounds, as a table of logarithms.

/// One value: its column, the logarithm of its time, and the variance that lost time adds to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) z: f64,
    pub(super) lost: f64,
}

/// A row for each round; cells are missing where a round left a column out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<Cell>>,
    pub(super) columns: usize,
    /// How often columns had exchanged their memory before each row; empty if they never did.
    pub(super) placements: Vec<u64>,
}

impl Table {
    /// Number of cells.
    pub(super) fn cells(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// The rows as dense vectors, NaN where a cell is missing.
    pub(super) fn dense(&self) -> Vec<Vec<f64>> {
        let dense = |row: &Vec<Cell>| {
            let mut values = vec![f64::NAN; self.columns];
            row.iter().for_each(|cell| values[cell.column] = cell.z);
            values
        };
        self.rows.iter().map(dense).collect()
    }
}
