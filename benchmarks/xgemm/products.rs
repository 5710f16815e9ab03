//! Elements of a matrix product, from rows and columns that are drawn when they are needed.

use std::collections::HashMap;

use autobench_sdk::author::Generator;

/// Limit of the numbers in rows that are kept at a time.
const KEPT: usize = 1 << 24;

/// The elements of `A B` at ascending flat indices. The matrices are `n` by `n`, column after
/// column.
pub(crate) fn products(
    (a, b): (Generator<'_>, Generator<'_>),
    n: u64,
    indices: &[u64],
    out: &mut [f64],
) {
    // Keeps as many rows of A at a time as fit, and draws each once. For them, draws the columns of
    // B one after the other.
    let rows = (KEPT as u64 / n).max(1);
    let mut part: Vec<Vec<usize>> = vec![Vec::new(); n.div_ceil(rows) as usize];
    for (at, index) in indices.iter().enumerate().take(out.len()) {
        part[(index % n / rows) as usize].push(at);
    }
    let mut column = (u64::MAX, vec![0.0; n as usize]);
    for part in part {
        let mut kept: HashMap<u64, Box<[f64]>> = HashMap::new();
        column.0 = u64::MAX;
        for at in part {
            let (i, j) = (indices[at] % n, indices[at] / n);
            if column.0 != j {
                column.0 = j;
                (0..n).zip(&mut column.1).for_each(|(k, x)| *x = b.at(j * n + k));
            }
            let row = kept.entry(i).or_insert_with(|| (0..n).map(|k| a.at(k * n + i)).collect());
            out[at] = product(row, &column.1);
        }
    }
}

/// The scalar product, in partial sums so that additions need not wait for each other.
fn product(row: &[f64], column: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (rows, columns) = (row.chunks_exact(LANES), column.chunks_exact(LANES));
    let rest: f64 = rows.remainder().iter().zip(columns.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in rows.zip(columns) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}
