//! The matrix with its planted clusters, and the labels that the clustering starts with.

use autobench_sdk::{document::Fill, inputs};

/// Number of rows of the matrix.
pub(crate) const ROWS: usize = 40;
pub(crate) const ROW_CLUSTERS: usize = 5;
pub(crate) const COLUMN_CLUSTERS: usize = 8;

/// Means of the blocks. Neighbouring columns have similar means, so that noise blurs the border
/// between their clusters.
const MEANS: [[f64; COLUMN_CLUSTERS]; ROW_CLUSTERS] = [
    [10.0, 11.1, 14.0, 15.3, 9.0, 9.8, 18.0, 16.9],
    [16.0, 14.9, 9.0, 9.7, 14.0, 15.2, 12.0, 12.9],
    [9.0, 9.9, 18.0, 16.7, 12.0, 10.9, 15.0, 16.2],
    [14.0, 15.4, 11.0, 10.1, 17.0, 15.8, 9.0, 9.7],
    [12.0, 10.9, 15.0, 16.4, 10.0, 10.8, 14.0, 12.8],
];
/// Scale of the noise around a mean of 1: the factor of a sum of four uniforms in `[-½, ½)`.
const NOISE: f64 = 0.16;
/// Share of columns that start with a random label.
const ASTRAY: f64 = 0.35;

/// Streams of random numbers, by purpose.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Columns = 1,
    Noise,
    Astray,
    Drawn,
}

fn uniform(seed: u64, stream: Stream, index: u64) -> f64 {
    inputs::element(&Fill::Uniform { low: 0.0, high: 1.0 }, seed, stream as u32, index, 0)
}

fn whole(seed: u64, stream: Stream, below: usize, index: u64) -> usize {
    let fill = Fill::Integer { low: 0, high: below as i64 - 1 };
    inputs::element(&fill, seed, stream as u32, index, 0) as usize
}

/// The planted cluster of a row: eight rows each, spread over the matrix.
pub(crate) fn planted_row(row: usize) -> usize {
    (row * 3 + row / ROW_CLUSTERS) % ROW_CLUSTERS
}

pub(crate) fn planted_column(seed: u64, column: u64) -> usize {
    whole(seed, Stream::Columns, COLUMN_CLUSTERS, column)
}

/// The cluster that a row starts with. Every fourth row starts with the cluster after its own.
pub(crate) fn first_row(row: usize) -> usize {
    (planted_row(row) + usize::from(row % 4 == 3)) % ROW_CLUSTERS
}

pub(crate) fn first_column(seed: u64, column: u64) -> usize {
    if uniform(seed, Stream::Astray, column) < ASTRAY {
        whole(seed, Stream::Drawn, COLUMN_CLUSTERS, column)
    } else {
        planted_column(seed, column)
    }
}

/// An element of the matrix; always above 0.
pub(crate) fn element(seed: u64, row: usize, column: u64) -> f64 {
    let mean = MEANS[planted_row(row)][planted_column(seed, column)];
    let at = column * ROWS as u64 + row as u64;
    let bell = inputs::element(&Fill::Bell { scale: NOISE }, seed, Stream::Noise as u32, at, 0);
    mean * (1.0 + bell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_full_and_elements_above_0() {
        let mut sizes = [0; ROW_CLUSTERS];
        (0..ROWS).for_each(|row| sizes[planted_row(row)] += 1);
        assert_eq!(sizes, [8; ROW_CLUSTERS]);
        let all = (0..1000).flat_map(|column| (0..ROWS).map(move |row| element(3, row, column)));
        assert!(all.into_iter().all(|z| z > 1.0 && z < 40.0));
        let astray = (0..1000).filter(|&j| first_column(3, j) != planted_column(3, j)).count();
        assert!((200..400).contains(&astray), "{astray}");
    }
}
