//! Thins long curves, so that steps of quadratic cost stay fast.

use crate::{Curve, DetectorSettings};

/// Curves with more points are averaged in bins of equal width along the axis.
pub(crate) const MOST_POINTS: usize = 96;

/// A curve of at most [`MOST_POINTS`] points, and each point's index in the given curve. A bin gets
/// the mean y of its points, and the x and index of its middle point. O(n).
pub(crate) fn thin(curve: &Curve, settings: &DetectorSettings) -> (Curve, Vec<usize>) {
    let n = curve.len();
    let identity = || (curve.clone(), (0..n).collect());
    if n <= MOST_POINTS {
        return identity();
    }
    let (x, y) = (curve.x(), curve.y());
    let place = |x: f64| settings.x_scale.position(x);
    let (low, high) = (place(x[0]), place(x[n - 1]));
    if !(low.is_finite() && high.is_finite()) {
        return identity();
    }
    let width = (high - low) / MOST_POINTS as f64;
    let bin = |x: f64| (((place(x) - low) / width) as usize).min(MOST_POINTS - 1);
    let (mut thin_x, mut thin_y, mut at) = (Vec::new(), Vec::new(), Vec::new());
    let mut start = 0;
    while start < n {
        let this = bin(x[start]);
        let end = start + x[start..].partition_point(|&x| bin(x) <= this);
        let middle = start + (end - start) / 2;
        at.push(middle);
        thin_x.push(x[middle]);
        thin_y.push(y[start..end].iter().sum::<f64>() / (end - start) as f64);
        start = end;
    }
    let known = |thinned: Curve| match curve.precision() {
        Some(precision) => thinned.known_to(precision),
        None => thinned,
    };
    Curve::new(&thin_x, &thin_y).map_or_else(|_| identity(), |thinned| (known(thinned), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_points_become_bins_that_know_where_they_came_from() {
        let x: Vec<f64> = (0..10_000).map(|i| 2f64.powf(10.0 + f64::from(i) / 500.0)).collect();
        let y: Vec<f64> = x.iter().map(|x| x.log2()).collect();
        let curve = Curve::new(&x, &y).expect("a curve");
        let (thinned, at) = thin(&curve, &DetectorSettings::default());
        assert_eq!(thinned.len(), MOST_POINTS);
        for ((at, x_kept), y_kept) in at.iter().zip(thinned.x()).zip(thinned.y()) {
            assert!((x[*at] - x_kept).abs() < 1e-9);
            // The mean of a line over a bin equals its middle, up to the distance of neighbouring
            // points.
            assert!((y[*at] - y_kept).abs() < 0.002);
        }
    }

    #[test]
    fn few_points_are_left_alone() {
        let curve = Curve::new(&[1.0, 2.0, 5.0], &[3.0, 4.0, 4.5]).expect("a curve");
        assert_eq!(thin(&curve, &DetectorSettings::default()), (curve, vec![0, 1, 2]));
    }
}
