//! The matrix with its planted clusters, and the labels that the clustering starts with.

use autobench_sdk::{document::Fill, inputs};

/// Number of rows of the matrix.
pub(crate) const ROWS: usize = 40;
pub(crate) const ROW_CLUSTERS: usize = 5;
pub(crate) const COLUMN_CLUSTERS: usize = 8;

/// Means of the blocks in days, like the onset of spring: it comes later from one cluster of columns
/// (a region) to the next, and differs between clusters of rows (years) by some days. These are the
/// means at the middle of a region; between two middles they change linearly.
const MEANS: [[f64; COLUMN_CLUSTERS]; ROW_CLUSTERS] = [
    [58.0, 68.0, 78.0, 91.0, 104.0, 116.0, 128.0, 140.0],
    [66.0, 78.0, 87.0, 97.0, 106.0, 115.0, 124.0, 134.0],
    [63.0, 75.0, 84.0, 94.0, 107.0, 120.0, 132.0, 141.0],
    [70.0, 80.0, 89.0, 99.0, 111.0, 123.0, 136.0, 149.0],
    [62.0, 76.0, 90.0, 104.0, 116.0, 126.0, 134.0, 143.0],
];
/// Noise in days: the factor of a sum of four uniforms in `[-½, ½)`, whose standard deviation is
/// `σ = NOISE / √3`. It is set so that noise alone brings one column in ten nearer to a neighbouring
/// cluster than to its own. With `a` and `b` the means of two neighbours over all rows, a column in
/// the middle of the first is nearer to it than to the second by
/// `D = Σ (b - a - a ln (b/a))` on average, with standard deviation `σ S`, `S² = Σ ln² (b/a)`. Towards
/// the border the distance falls linearly to 0, so that of the columns on both sides of a border the
/// share `∫₀¹ Φ(-u D / (σ S)) du ≈ σ S / (D √(2π))` is nearer to the other cluster. The mean of this
/// share over the 7 borders of the 8 clusters is a tenth.
const NOISE: f64 = 17.54;
/// Share of columns that start with a random label.
const ASTRAY: f64 = 0.35;

/// Streams of random numbers, by purpose.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Noise = 1,
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

/// Width of the map whose cells are the columns, row after row.
fn width(columns: u64) -> f64 {
    (columns as f64).sqrt().ceil().max(1.0)
}

/// A wave of period 1 between -1 and 1, like a sine.
fn wave(at: f64) -> f64 {
    let at = 2.0 * (at - at.floor()) - 1.0;
    4.0 * at * (1.0 - at.abs())
}

/// The region of a column on the map, from 0 to the number of clusters: each whole part is a
/// planted cluster. Regions are bands with bent borders, on both sides of a valley. All regions are
/// equally frequent, so that no cluster grows at the cost of its neighbours.
fn region(column: u64, columns: u64) -> f64 {
    let width = width(columns);
    let down = (column as f64 / width).floor();
    let (x, y) = ((column as f64 - down * width + 0.5) / width, (down + 0.5) / width);
    let bent = y + 0.12 * wave(1.5 * x + 0.3) + 0.06 * wave(4.0 * x);
    let height = (2.0 * (bent - bent.floor()) - 1.0).abs();
    height.min(0.999_999) * COLUMN_CLUSTERS as f64
}

pub(crate) fn planted_column(column: u64, columns: u64) -> usize {
    region(column, columns) as usize
}

/// The mean of a row cluster in a region.
fn mean(row_cluster: usize, region: f64) -> f64 {
    let means = &MEANS[row_cluster];
    let middle = (region - 0.5).floor().clamp(0.0, (COLUMN_CLUSTERS - 2) as f64);
    let (low, high) = (means[middle as usize], means[middle as usize + 1]);
    low + (high - low) * (region - 0.5 - middle)
}

/// The cluster that a row starts with. Every fourth row starts with the cluster after its own.
pub(crate) fn first_row(row: usize) -> usize {
    (planted_row(row) + usize::from(row % 4 == 3)) % ROW_CLUSTERS
}

pub(crate) fn first_column(seed: u64, column: u64, columns: u64) -> usize {
    if uniform(seed, Stream::Astray, column) < ASTRAY {
        whole(seed, Stream::Drawn, COLUMN_CLUSTERS, column)
    } else {
        planted_column(column, columns)
    }
}

/// An element of the matrix; always above 0.
pub(crate) fn element(seed: u64, row: usize, column: u64, columns: u64) -> f64 {
    let at = column * ROWS as u64 + row as u64;
    let bell = inputs::element(&Fill::Bell { scale: NOISE }, seed, Stream::Noise as u32, at, 0);
    mean(planted_row(row), region(column, columns)) + bell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_full_and_elements_above_0() {
        let mut sizes = [0; ROW_CLUSTERS];
        (0..ROWS).for_each(|row| sizes[planted_row(row)] += 1);
        assert_eq!(sizes, [8; ROW_CLUSTERS]);
        let mut sizes = [0; COLUMN_CLUSTERS];
        (0..1000).for_each(|column| sizes[planted_column(column, 1000)] += 1);
        assert!(sizes.iter().all(|size| (100..=150).contains(size)), "{sizes:?}");
        let of = |column| (0..ROWS).map(move |row| element(3, row, column, 1000));
        assert!((0..1000).flat_map(of).all(|z| z > 1.0 && z < 200.0));
        let astray = |j: &u64| first_column(3, *j, 1000) != planted_column(*j, 1000);
        let astray = (0..1000).filter(astray).count();
        assert!((200..400).contains(&astray), "{astray}");
    }

    #[test]
    fn noise_alone_brings_one_column_in_ten_nearer_to_a_neighbour() {
        let border = |c: usize| {
            let pairs = |a: usize, b: usize| {
                (0..ROWS).map(planted_row).map(move |r| (MEANS[r][a], MEANS[r][b]))
            };
            let apart = |a, b| pairs(a, b).map(|(a, b)| b - a - a * (b / a).ln()).sum::<f64>();
            let apart = f64::midpoint(apart(c, c + 1), apart(c + 1, c));
            let spread = pairs(c, c + 1).map(|(a, b)| (b / a).ln().powi(2)).sum::<f64>().sqrt();
            NOISE / 3f64.sqrt() * spread / (apart * (2.0 * std::f64::consts::PI).sqrt())
        };
        let share = (0..COLUMN_CLUSTERS - 1).map(border).sum::<f64>() / COLUMN_CLUSTERS as f64;
        assert!((share - 0.1).abs() < 1e-4, "{share}");
        // The same share, counted.
        let columns = 4000;
        let distance = |column: u64, c: usize| {
            let one = |row: usize| {
                let mean = MEANS[planted_row(row)][c];
                mean - element(7, row, column, columns) * mean.ln()
            };
            (0..ROWS).map(one).sum::<f64>()
        };
        let strays = |column: &u64| {
            let by_distance =
                |a: &usize, b: &usize| distance(*column, *a).total_cmp(&distance(*column, *b));
            (0..COLUMN_CLUSTERS).min_by(by_distance) != Some(planted_column(*column, columns))
        };
        let counted = (0..columns).filter(strays).count() as f64 / columns as f64;
        assert!((counted - 0.1).abs() < 0.02, "{counted}");
    }
}
