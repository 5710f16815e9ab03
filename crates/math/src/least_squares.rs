//! Weighted straight lines.

/// A fitted line `y = intercept + slope · x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FittedLine {
    /// The value at x = 0.
    pub intercept: f64,
    /// The rise per unit of x.
    pub slope: f64,
    /// Coefficient of determination under the same weights; 1 for a perfect fit.
    pub r2: f64,
}

impl FittedLine {
    /// The line's value at `x`.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// Weighted least-squares line, computed around the weighted means for stability. `None` with fewer
/// than two distinct x of positive weight. O(n).
#[must_use]
pub fn weighted_line(x: &[f64], y: &[f64], weights: &[f64]) -> Option<FittedLine> {
    let total: f64 = weights.iter().sum();
    if total.is_nan() || total <= 0.0 {
        return None;
    }
    let weighted_mean =
        |values: &[f64]| values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / total;
    let (mean_x, mean_y) = (weighted_mean(x), weighted_mean(y));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for ((&x, &y), &w) in x.iter().zip(y).zip(weights) {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += w * dx * dx;
        xy += w * dx * dy;
        yy += w * dy * dy;
    }
    if xx.is_nan() || xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    let r2 = if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 };
    Some(FittedLine { intercept: mean_y - slope * mean_x, slope, r2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_line_is_found_under_any_weights() {
        let x = [1.0, 2.0, 10.0, 1000.0];
        let y = x.map(|x| 3.0 + 0.5 * x);
        let line = weighted_line(&x, &y, &[1.0, 5.0, 0.1, 2.0]).expect("distinct x");
        assert!((line.slope - 0.5).abs() < 1e-12 && (line.intercept - 3.0).abs() < 1e-9);
        assert!((line.r2 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_x_alone_has_no_line() {
        assert_eq!(weighted_line(&[2.0, 2.0], &[1.0, 3.0], &[1.0, 1.0]), None);
        assert_eq!(weighted_line(&[], &[], &[]), None);
    }
}
