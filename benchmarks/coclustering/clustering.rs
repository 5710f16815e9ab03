//! The co-clustering in f64 with shared sums: the reference of the kernels.

use super::data::{COLUMN_CLUSTERS, ROW_CLUSTERS, ROWS};

/// Averages of the blocks of clusters.
pub(crate) type Averages = [[f64; COLUMN_CLUSTERS]; ROW_CLUSTERS];

/// A matrix and the clusters of its rows and columns.
#[derive(Debug, Clone)]
pub(crate) struct Clustering<'a> {
    /// The matrix, row after row.
    pub(crate) matrix: &'a [f64],
    pub(crate) rows: [usize; ROWS],
    pub(crate) columns: Vec<u8>,
}

impl Clustering<'_> {
    fn row(&self, i: usize) -> &[f64] {
        let n = self.columns.len();
        &self.matrix[i * n..(i + 1) * n]
    }

    /// Sums of a row, over the columns of every cluster.
    fn sums_of_row(&self, i: usize) -> [f64; COLUMN_CLUSTERS] {
        let mut sums = [0.0; COLUMN_CLUSTERS];
        for (z, c) in self.row(i).iter().zip(&self.columns) {
            sums[usize::from(*c)] += z;
        }
        sums
    }

    /// Number of columns in every cluster.
    fn counts(&self) -> [f64; COLUMN_CLUSTERS] {
        let mut counts = [0.0; COLUMN_CLUSTERS];
        self.columns.iter().for_each(|c| counts[usize::from(*c)] += 1.0);
        counts
    }

    /// The average of every block; 0 for a block without elements.
    pub(crate) fn averages(&self) -> Averages {
        let (counts, mut sums, mut own) = (self.counts(), Averages::default(), [0.0; ROW_CLUSTERS]);
        for i in 0..ROWS {
            own[self.rows[i]] += 1.0;
            let of_row = self.sums_of_row(i);
            for (sum, more) in sums[self.rows[i]].iter_mut().zip(of_row) {
                *sum += more;
            }
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            for (sum, count) in sums.iter_mut().zip(counts) {
                let elements = own[r] * count;
                *sum = if elements > 0.0 { *sum / elements } else { 0.0 };
            }
        }
        sums
    }

    /// Mean distances of a row to the row clusters.
    pub(crate) fn row_distances(&self, i: usize, averages: &Averages) -> [f64; ROW_CLUSTERS] {
        let (sums, counts) = (self.sums_of_row(i), self.counts());
        averages.map(|averages| {
            let of = averages.iter().zip(sums).zip(counts);
            let of = of.filter(|((_, sum), _)| *sum > 0.0);
            let total: f64 = of.map(|((a, sum), count)| count * a - sum * a.ln()).sum();
            total / self.columns.len() as f64
        })
    }

    /// Mean distances of a column to the column clusters.
    pub(crate) fn column_distances(&self, j: usize, averages: &Averages) -> [f64; COLUMN_CLUSTERS] {
        let distances = ColumnDistances::new(self.rows, averages);
        distances.of((0..ROWS).map(|i| self.matrix[i * self.columns.len() + j]))
    }

    /// One iteration: averages, then the nearest clusters of all rows, then those of all columns.
    fn iterate(&mut self) {
        let averages = self.averages();
        for i in 0..ROWS {
            self.rows[i] = nearest(&self.row_distances(i, &averages)).0;
        }
        let distances = ColumnDistances::new(self.rows, &averages);
        let (n, matrix) = (self.columns.len(), self.matrix);
        for (j, label) in self.columns.iter_mut().enumerate() {
            let column = (0..ROWS).map(|i| matrix[i * n + j]);
            *label = nearest(&distances.of(column)).0 as u8;
        }
    }

    /// The clustering after this many further iterations.
    pub(crate) fn after(mut self, iterations: u32) -> Self {
        (0..iterations).for_each(|_| self.iterate());
        self
    }
}

/// Values that the distances of all columns share: logarithms, and sums of averages.
struct ColumnDistances {
    rows: [usize; ROWS],
    logs: Averages,
    base: [f64; COLUMN_CLUSTERS],
}

impl ColumnDistances {
    fn new(rows: [usize; ROWS], averages: &Averages) -> Self {
        let mut base = [0.0; COLUMN_CLUSTERS];
        for r in rows {
            for (base, a) in base.iter_mut().zip(averages[r]) {
                *base += a;
            }
        }
        Self { rows, logs: averages.map(|averages| averages.map(f64::ln)), base }
    }

    fn of(&self, column: impl Iterator<Item = f64>) -> [f64; COLUMN_CLUSTERS] {
        let mut sums = [0.0; ROW_CLUSTERS];
        column.zip(self.rows).for_each(|(z, r)| sums[r] += z);
        let mut distances = self.base;
        for (sum, logs) in sums.iter().zip(&self.logs).filter(|(sum, _)| **sum > 0.0) {
            for (distance, log) in distances.iter_mut().zip(logs) {
                *distance -= sum * log;
            }
        }
        distances.map(|distance| distance / ROWS as f64)
    }
}

/// The smallest distance with its position; of equals, the first.
pub(crate) fn nearest(distances: &[f64]) -> (usize, f64) {
    let mut least = (0, distances[0]);
    for (at, distance) in distances.iter().enumerate() {
        if *distance < least.1 {
            least = (at, *distance);
        }
    }
    least
}
