//! Derivatives of a sequence at uneven positions, by the parabola through three neighbours.

/// First derivatives at every point. The first and the last point use their neighbour's parabola.
///
/// # Panics
/// With fewer than three points, or if `y` is shorter than `x`.
#[must_use]
pub fn first_derivatives(x: &[f64], y: &[f64]) -> Vec<f64> {
    let last = x.len() - 1;
    (0..=last).map(|at| slope(x, y, at.clamp(1, last - 1), x[at])).collect()
}

/// Second derivatives at every point. The first and the last point have their neighbour's.
///
/// # Panics
/// With fewer than three points, or if `y` is shorter than `x`.
#[must_use]
pub fn second_derivatives(x: &[f64], y: &[f64]) -> Vec<f64> {
    let last = x.len() - 1;
    (0..=last).map(|at| bend(x, y, at.clamp(1, last - 1))).collect()
}

/// Slope at `at` of the parabola through a point and its neighbours.
fn slope(x: &[f64], y: &[f64], middle: usize, at: f64) -> f64 {
    let ([a, b, c], [ya, yb, yc]) = neighbours(x, y, middle);
    ya * (2.0 * at - b - c) / ((a - b) * (a - c))
        + yb * (2.0 * at - a - c) / ((b - a) * (b - c))
        + yc * (2.0 * at - a - b) / ((c - a) * (c - b))
}

/// Second derivative of the parabola through a point and its neighbours.
fn bend(x: &[f64], y: &[f64], middle: usize) -> f64 {
    let ([a, b, c], [ya, yb, yc]) = neighbours(x, y, middle);
    2.0 * (ya / ((a - b) * (a - c)) + yb / ((b - a) * (b - c)) + yc / ((c - a) * (c - b)))
}

fn neighbours(x: &[f64], y: &[f64], middle: usize) -> ([f64; 3], [f64; 3]) {
    let of = |v: &[f64]| [v[middle - 1], v[middle], v[middle + 1]];
    (of(x), of(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_has_its_own_derivatives_at_uneven_points() {
        let x = [-1.0, 0.5, 0.75, 3.0, 10.0];
        let y: Vec<f64> = x.iter().map(|x| 3.0 * x * x - 2.0 * x + 5.0).collect();
        for (first, x) in first_derivatives(&x, &y).iter().zip(x) {
            assert!((first - (6.0 * x - 2.0)).abs() < 1e-10, "{first} at {x}");
        }
        assert!(second_derivatives(&x, &y).iter().all(|second| (second - 6.0).abs() < 1e-10));
    }
}
