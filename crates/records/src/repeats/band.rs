//! Merges the curves of repeats: their median, and the range around it.

use serde::Serialize;

use crate::{StudyState, repeats::Repeat};

/// The studies' curves at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BandPoint {
    /// The size.
    pub size: u64,
    /// Median of the curves.
    pub median: f64,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
    /// Number of curves that reach this size.
    pub studies: usize,
}

/// Median and range of the finished studies' curves, at every measured size that more than half of
/// the curves (and at least two) reach. Between measured sizes, a curve is interpolated linearly
/// over the logarithm of the size.
#[must_use]
pub fn band(repeats: &[Repeat]) -> Vec<BandPoint> {
    let finished = repeats.iter().filter(|repeat| repeat.state == StudyState::Finished);
    let curves: Vec<&[(u64, f64)]> =
        finished.map(|repeat| repeat.curve.as_slice()).filter(|curve| !curve.is_empty()).collect();
    let least = (curves.len() / 2 + 1).max(2);
    let mut sizes: Vec<u64> =
        curves.iter().flat_map(|curve| curve.iter().map(|(size, _)| *size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let point = |size: u64| {
        let values: Vec<f64> = curves.iter().filter_map(|curve| at(curve, size)).collect();
        let sorted = math::sorted(&values);
        (values.len() >= least).then(|| BandPoint {
            size,
            median: math::median(&sorted),
            low: sorted[0],
            high: sorted[sorted.len() - 1],
            studies: sorted.len(),
        })
    };
    sizes.into_iter().filter_map(point).collect()
}

/// Value of a curve at a size; `None` beyond its ends.
fn at(curve: &[(u64, f64)], size: u64) -> Option<f64> {
    let above = curve.iter().position(|(x, _)| *x >= size)?;
    let (x1, y1) = curve[above];
    if x1 == size {
        return Some(y1);
    }
    let (x0, y0) = curve[above.checked_sub(1)?];
    let share = (size as f64 / x0 as f64).ln() / (x1 as f64 / x0 as f64).ln();
    Some(y0 + share * (y1 - y0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StudyView;

    fn study(number: u32, curve: &[(u64, f64)]) -> Repeat {
        let mut repeat = Repeat::of(number, 1, StudyState::Finished, &StudyView::default());
        repeat.curve = curve.to_vec();
        repeat
    }

    #[test]
    fn curves_over_different_sizes_are_one_band() {
        let studies = [
            study(1, &[(100, 1.0), (400, 3.0)]),
            study(2, &[(100, 2.0), (200, 4.0), (400, 4.0)]),
            study(3, &[(100, 3.0), (400, 9.0), (1600, 10.0)]),
        ];
        let band = band(&studies);
        let sizes: Vec<u64> = band.iter().map(|point| point.size).collect();
        assert_eq!(sizes, [100, 200, 400], "one curve alone reaches 1600");
        // At 200 the first curve is half-way from 1 to 3, the third half-way from 3 to 9.
        let middle = band[1];
        assert!((middle.median - 4.0).abs() < 1e-12 && middle.studies == 3);
        assert!((middle.low - 2.0).abs() < 1e-12 && (middle.high - 6.0).abs() < 1e-12);
    }

    #[test]
    fn one_curve_is_no_band_and_unfinished_ones_do_not_count() {
        let curve = [(100, 1.0), (400, 3.0)];
        let mut open = study(2, &curve);
        open.state = StudyState::Unfinished("killed".to_owned());
        assert!(band(&[study(1, &curve), open]).is_empty());
        assert!(band(&[study(1, &[]), study(2, &[])]).is_empty());
    }
}
