//! Monotone cubic interpolation: no overshoot between points.

/// Piecewise cubic through points with ascending x, monotone wherever the points are. Slopes by
/// Fritsch and Butland (1984); at the ends, one-sided three-point slopes (Moler 2004, chapter 3).
#[derive(Debug, Clone)]
pub struct Pchip {
    x: Vec<f64>,
    y: Vec<f64>,
    slopes: Vec<f64>,
}

impl Pchip {
    /// The interpolant of at least one point. `x` must ascend strictly.
    #[must_use]
    pub fn new(x: &[f64], y: &[f64]) -> Self {
        let n = x.len().min(y.len());
        let steps: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let rises: Vec<f64> = (1..n).map(|i| (y[i] - y[i - 1]) / steps[i - 1]).collect();
        let slopes = match n {
            0 | 1 => vec![0.0; n],
            2 => vec![rises[0]; 2],
            _ => {
                let mut slopes = vec![end(steps[0], steps[1], rises[0], rises[1])];
                slopes.extend((1..n - 1).map(|i| {
                    let (before, after) = (rises[i - 1], rises[i]);
                    if before * after <= 0.0 {
                        return 0.0;
                    }
                    let near = 2.0 * steps[i] + steps[i - 1];
                    let far = steps[i] + 2.0 * steps[i - 1];
                    (near + far) / (near / before + far / after)
                }));
                slopes.push(end(steps[n - 2], steps[n - 3], rises[n - 2], rises[n - 3]));
                slopes
            }
        };
        Self { x: x[..n].to_vec(), y: y[..n].to_vec(), slopes }
    }

    /// The value at `x`; outside the points, the value of the nearest end.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let Some(last) = self.x.len().checked_sub(1) else { return f64::NAN };
        let right = self.x.partition_point(|known| *known <= x);
        if right == 0 || right > last {
            return self.y[if right == 0 { 0 } else { last }];
        }
        let left = right - 1;
        let step = self.x[right] - self.x[left];
        let t = (x - self.x[left]) / step;
        let (t2, t3) = (t * t, t * t * t);
        self.y[left] * (2.0 * t3 - 3.0 * t2 + 1.0)
            + self.y[right] * (3.0 * t2 - 2.0 * t3)
            + step * (self.slopes[left] * (t3 - 2.0 * t2 + t) + self.slopes[right] * (t3 - t2))
    }
}

/// Slope at an end from the two steps next to it, limited so that the curve stays monotone.
fn end(step: f64, next_step: f64, rise: f64, next_rise: f64) -> f64 {
    let slope = ((2.0 * step + next_step) * rise - step * next_rise) / (step + next_step);
    if slope * rise <= 0.0 {
        0.0
    } else if rise * next_rise <= 0.0 && slope.abs() > 3.0 * rise.abs() {
        3.0 * rise
    } else {
        slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_met_and_between_them_nothing_overshoots() {
        let (x, y) = ([0.0, 1.0, 2.0, 4.0, 5.0], [0.0, 0.1, 3.0, 3.1, 9.0]);
        let curve = Pchip::new(&x, &y);
        for (x, y) in x.iter().zip(&y) {
            assert!((curve.at(*x) - y).abs() < 1e-12);
        }
        let fine: Vec<f64> = (0..=500).map(|i| curve.at(f64::from(i) / 100.0)).collect();
        assert!(fine.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
    }

    #[test]
    fn a_line_stays_a_line() {
        let curve = Pchip::new(&[0.0, 1.0, 3.0], &[1.0, 3.0, 7.0]);
        assert!((curve.at(2.2) - 5.4).abs() < 1e-12);
        assert!((Pchip::new(&[0.0, 2.0], &[0.0, 1.0]).at(1.0) - 0.5).abs() < 1e-12);
        assert!((Pchip::new(&[3.0], &[4.0]).at(9.0) - 4.0).abs() < 1e-12);
    }
}
