//! Shape-constrained regression: the rising concave curve nearest to the points (Hildreth 1954),
//! computed as non-negative least squares over hinges.

use math::nonnegative_least_squares;

/// Weighted least-squares fit to `y` at ascending `x` that is non-decreasing and concave: a
/// constant plus hinges `min(x, x_j)` with non-negative weights. O(n³) at worst.
pub(crate) fn concave_fit(x: &[f64], y: &[f64], weights: &[f64]) -> Vec<f64> {
    let n = x.len();
    if n < 2 {
        return y.to_vec();
    }
    let total: f64 = weights.iter().sum();
    let mean = |values: &dyn Fn(usize) -> f64| -> f64 {
        (0..n).map(|i| weights[i] * values(i)).sum::<f64>() / total
    };
    let centre = mean(&|i| y[i]);
    // Subtract each hinge's weighted mean, so that the constant needs no column.
    let hinges: Vec<Vec<f64>> = (1..n)
        .map(|j| {
            let hinge = |i: usize| x[i].min(x[j]) - x[0];
            let middle = mean(&hinge);
            (0..n).map(|i| hinge(i) - middle).collect()
        })
        .collect();
    let weighted: Vec<Vec<f64>> = hinges
        .iter()
        .map(|hinge| hinge.iter().zip(weights).map(|(v, w)| v * w).collect())
        .collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut gram = vec![vec![0.0; n - 1]; n - 1];
    for r in 0..n - 1 {
        for c in 0..=r {
            gram[r][c] = dot(&weighted[r], &hinges[c]);
            gram[c][r] = gram[r][c];
        }
    }
    let above: Vec<f64> = y.iter().map(|y| y - centre).collect();
    let h: Vec<f64> = weighted.iter().map(|hinge| dot(hinge, &above)).collect();
    let slopes = nonnegative_least_squares(&gram, &h);
    (0..n)
        .map(|i| centre + slopes.iter().zip(&hinges).map(|(s, hinge)| s * hinge[i]).sum::<f64>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_concave_curve_is_its_own_fit() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 1.0 - (-x / 3.0).exp()).collect();
        for (fit, y) in concave_fit(&x, &y, &[1.0; 12]).iter().zip(&y) {
            assert!((fit - y).abs() < 1e-6, "{fit} {y}");
        }
    }

    #[test]
    fn the_fit_of_anything_rises_and_bends_down() {
        let x = [0.0, 1.0, 1.5, 3.0, 4.0, 6.0];
        let fit = concave_fit(&x, &[1.0, 0.0, 3.0, 2.0, 5.0, 1.0], &[1.0, 2.0, 1.0, 1.0, 3.0, 1.0]);
        let slopes: Vec<f64> = (1..6).map(|i| (fit[i] - fit[i - 1]) / (x[i] - x[i - 1])).collect();
        assert!(slopes.iter().all(|s| *s > -1e-9), "{slopes:?}");
        assert!(slopes.windows(2).all(|s| s[1] <= s[0] + 1e-9), "{slopes:?}");
    }

    #[test]
    fn a_falling_curve_becomes_its_mean() {
        let fit = concave_fit(&[0.0, 1.0, 2.0], &[3.0, 2.0, 1.0], &[1.0; 3]);
        assert!(fit.iter().all(|v| (v - 2.0).abs() < 1e-9));
    }
}
