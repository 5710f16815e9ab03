//! The sparse matrix. Every part of it is a function of seed and position.

use autobench_sdk::inputs::bits;

/// Number of rows after which row lengths repeat.
pub(crate) const PERIOD: u64 = 1024;
/// Number of elements of the longest row.
pub(crate) const LONGEST: u64 = 2048;
/// Spreads long rows over a period. Odd, so that every length of a period occurs once.
pub(crate) const STRIDE: u64 = 389;
/// The stream of random numbers for columns.
const COLUMNS: u32 = 17;

/// Number of elements before each row of a period, and of the whole period.
const BEFORE: [u64; PERIOD as usize + 1] = {
    let mut before = [0; PERIOD as usize + 1];
    let mut row = 0;
    while row < PERIOD {
        before[row as usize + 1] = before[row as usize] + length(row);
        row += 1;
    }
    before
};

/// Number of elements of a period.
pub(crate) const OF_PERIOD: u64 = BEFORE[PERIOD as usize];

/// Number of elements of a row. The k-th longest row of a period has 1/k of the longest: a power
/// law.
pub(crate) const fn length(row: u64) -> u64 {
    LONGEST / (row * STRIDE % PERIOD + 1)
}

/// The position of a row's first element.
pub(crate) fn start(row: u64) -> u64 {
    row / PERIOD * OF_PERIOD + BEFORE[(row % PERIOD) as usize]
}

/// The row that the element at a position belongs to.
pub(crate) fn row_of(element: u64) -> u64 {
    let within = element % OF_PERIOD;
    let row = BEFORE.partition_point(|before| *before <= within) as u64 - 1;
    element / OF_PERIOD * PERIOD + row
}

/// The column of a row's k-th element in a matrix of `size` columns. The row is divided into as
/// many equal parts as it has elements, and each part gets one element, so that columns ascend.
pub(crate) fn column(seed: u64, size: u64, row: u64, k: u64) -> u64 {
    let length = length(row);
    let (first, next) = (k * size / length, (k + 1) * size / length);
    first + bits(seed, COLUMNS, start(row) + k) % (next - first).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_where_the_rows_before_them_end() {
        let mut at = 0;
        for row in 0..3000 {
            assert_eq!(start(row), at, "{row}");
            for element in [at, at + length(row) - 1] {
                assert_eq!(row_of(element), row, "{element}");
            }
            at += length(row);
        }
    }

    #[test]
    fn a_period_has_every_length_of_the_power_law_once() {
        let mut lengths: Vec<u64> = (0..PERIOD).map(length).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        assert!(lengths.iter().zip(1..).all(|(length, k)| *length == 2048 / k));
        assert_eq!((lengths[0], lengths[1023]), (2048, 2));
    }

    #[test]
    fn columns_ascend_and_exist() {
        for (size, row) in [(5000, 0), (5000, 1), (100_000, 0), (2048, 0)] {
            let columns: Vec<u64> = (0..length(row)).map(|k| column(3, size, row, k)).collect();
            assert!(columns.is_sorted_by(|a, b| a < b), "{size} {row}");
            assert!(columns.iter().all(|column| *column < size));
        }
        assert!((0..2048).all(|k| column(3, 1, 0, k) == 0));
    }
}
