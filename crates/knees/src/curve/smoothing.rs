//! Estimates the noise of a curve, and smooths accordingly.

use math::{mad, weighted_line};

/// Standard deviation of the points around a smooth curve: the scaled median of each point's
/// distance from the polynomial through its neighbours (Rice 1984, made robust). The smaller result
/// of a line through two and a cubic through four neighbours counts. Zero with fewer than four
/// points. O(n log n).
pub(crate) fn residual_noise(position: &[f64], z: &[f64]) -> f64 {
    let line = neighbour_noise(position, z, 1);
    if z.len() < 9 { line } else { line.min(neighbour_noise(position, z, 2)) }
}

/// [`residual_noise`] with `reach` neighbours on each side.
fn neighbour_noise(position: &[f64], z: &[f64], reach: usize) -> f64 {
    if z.len() < 2 * reach + 2 {
        return 0.0;
    }
    let apart: Vec<f64> = (reach..z.len() - reach)
        .flat_map(|i| {
            let others = || (i - reach..=i + reach).filter(move |&j| j != i);
            let (mut between, mut squares) = (0.0, 1.0);
            for j in others() {
                let weight: f64 = others()
                    .filter(|&k| k != j)
                    .map(|k| (position[i] - position[k]) / (position[j] - position[k]))
                    .product();
                between += weight * z[j];
                squares += weight * weight;
            }
            let away = (z[i] - between) / squares.sqrt();
            // Both signs, so that the median deviation is taken around zero.
            [away, -away]
        })
        .collect();
    mad(&apart)
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LocalLines {
    /// Smoothed value at each point.
    pub value: Vec<f64>,
    /// Slope at each point, per unit of position.
    pub slope: Vec<f64>,
}

/// Local linear regression (Cleveland 1979, Fan 1992). The kernel is Gaussian with standard
/// deviation `bandwidth`, in units of position. O(n · points within four bandwidths).
pub(crate) fn local_lines(position: &[f64], y: &[f64], bandwidth: f64) -> LocalLines {
    let n = y.len();
    let mut lines = LocalLines { value: y.to_vec(), slope: vec![0.0; n] };
    let mut weights = Vec::new();
    for i in 0..n {
        let near = |p: f64| (p - position[i]).abs() <= 4.0 * bandwidth;
        let first = position[..i].iter().rposition(|&p| !near(p)).map_or(0, |j| j + 1);
        let last = position[i..].iter().position(|&p| !near(p)).map_or(n, |j| i + j);
        weights.clear();
        weights.extend(
            position[first..last]
                .iter()
                .map(|p| (-0.5 * ((p - position[i]) / bandwidth).powi(2)).exp()),
        );
        if let Some(line) = weighted_line(&position[first..last], &y[first..last], &weights) {
            lines.value[i] = line.at(position[i]);
            lines.slope[i] = line.slope;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};

    use super::*;

    #[test]
    fn the_noise_of_a_noisy_line_is_estimated() {
        let mut rng = seeded(5, 0);
        let position: Vec<f64> = (0..4000).map(|i| f64::from(i) * 0.3).collect();
        let z: Vec<f64> = position.iter().map(|p| 2.0 * p + 0.05 * normal(&mut rng)).collect();
        let noise = residual_noise(&position, &z);
        assert!((noise - 0.05).abs() < 0.004, "{noise}");
    }

    #[test]
    fn a_line_is_left_alone_and_has_its_slope_everywhere() {
        let position = [0.0, 1.0, 1.5, 4.0];
        let y = position.map(|p| 1.0 + 3.0 * p);
        let lines = local_lines(&position, &y, 1.0);
        for ((value, y), slope) in lines.value.iter().zip(y).zip(&lines.slope) {
            assert!((value - y).abs() < 1e-9 && (slope - 3.0).abs() < 1e-9);
        }
        assert!(residual_noise(&position, &y) < 1e-12);
    }
}
