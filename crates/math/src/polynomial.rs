//! Polynomials fitted by least squares.

use super::solve_least_squares;

/// A polynomial, stored as coefficients from the highest power down.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial(Vec<f64>);

impl Polynomial {
    /// Least-squares polynomial of a degree. As in numpy's `polyfit`, columns of the Vandermonde
    /// matrix are scaled to length one, and singular values below n·ε of the largest are dropped.
    /// So high degrees over wide ranges of x stay finite. O(n · degree²).
    #[must_use]
    pub fn fit(x: &[f64], y: &[f64], degree: usize) -> Self {
        let mut columns = vec![vec![1.0; x.len()]];
        for power in 0..degree {
            let next = columns[power].iter().zip(x).map(|(c, x)| c * x).collect();
            columns.push(next);
        }
        columns.reverse();
        let lengths: Vec<f64> = columns
            .iter_mut()
            .map(|column| {
                let length = column.iter().map(|v| v * v).sum::<f64>().sqrt();
                let length = if length > 0.0 { length } else { 1.0 };
                column.iter_mut().for_each(|v| *v /= length);
                length
            })
            .collect();
        let mut solution = solve_least_squares(columns, y, x.len() as f64 * f64::EPSILON);
        for (coefficient, length) in solution.iter_mut().zip(lengths) {
            *coefficient /= length;
        }
        Self(solution)
    }

    /// The value at `x`, by Horner's rule.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.0.iter().fold(0.0, |value, c| value * x + c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_polynomial_give_it_back() {
        let x: Vec<f64> = (0..20).map(|i| f64::from(i) / 4.0 - 1.0).collect();
        let y: Vec<f64> = x.iter().map(|x| 2.0 * x.powi(3) - x + 0.5).collect();
        let fit = Polynomial::fit(&x, &y, 7);
        for (x, y) in x.iter().zip(&y) {
            assert!((fit.at(*x) - y).abs() < 1e-9);
        }
    }

    #[test]
    fn degree_zero_is_the_mean() {
        let fit = Polynomial::fit(&[1.0, 2.0, 3.0], &[1.0, 5.0, 6.0], 0);
        assert!((fit.at(9.0) - 4.0).abs() < 1e-12);
    }
}
