//! The Cholesky factor of a symmetric positive definite matrix that grows by rows.

/// The factor L with L·Lᵀ = A, as the rows of its lower triangle. A new row costs O(n²).
#[derive(Debug, Clone, Default)]
pub struct Cholesky {
    rows: Vec<Box<[f64]>>,
}

impl Cholesky {
    /// Adds a row of A, diagonal element last. Returns `false` and changes nothing if A would not
    /// be positive definite.
    pub fn push(&mut self, row: &[f64]) -> bool {
        let n = self.rows.len();
        debug_assert_eq!(row.len(), n + 1, "a row of the lower triangle");
        let mut new = self.solve_lower(&row[..n]);
        let rest = row[n] - dot(&new, &new);
        if rest <= 0.0 || !rest.is_finite() {
            return false;
        }
        new.push(rest.sqrt());
        self.rows.push(new.into());
        true
    }

    /// The order of the matrix.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A row of L, diagonal element last.
    #[must_use]
    pub fn row(&self, at: usize) -> &[f64] {
        &self.rows[at]
    }

    /// L⁻¹ b for the first `b.len()` rows. O(n²).
    #[must_use]
    pub fn solve_lower(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(b.len() + 1);
        for (row, b) in self.rows.iter().zip(b) {
            let at = x.len();
            x.push((b - dot(&row[..at], &x)) / row[at]);
        }
        x
    }

    /// L⁻ᵀ b. O(n²).
    #[must_use]
    pub fn solve_upper(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for at in (0..x.len()).rev() {
            let row = &self.rows[at];
            x[at] /= row[at];
            let value = x[at];
            for (x, l) in x[..at].iter_mut().zip(row.iter()) {
                *x -= l * value;
            }
        }
        x
    }

    /// Diagonal of A⁻¹. O(n³).
    #[must_use]
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        // Squared lengths of the columns of L⁻¹. Every column is zero above the diagonal.
        let mut column: Vec<f64> = Vec::with_capacity(self.len());
        let mut of = |first: usize| -> f64 {
            column.clear();
            for (at, row) in self.rows.iter().enumerate().skip(first) {
                let b = if at == first { 1.0 } else { 0.0 };
                column.push((b - dot(&row[first..at], &column)) / row[at]);
            }
            dot(&column, &column)
        };
        (0..self.len()).map(&mut of).collect()
    }

    /// ln det A.
    #[must_use]
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.rows.iter().enumerate().map(|(at, row)| row[at].ln()).sum::<f64>()
    }
}

/// Scalar product with four partial sums, so that an addition need not wait for the one before.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b[..a.len()].as_chunks::<4>();
    for (a, b) in a4.iter().zip(b4) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(a: &[Vec<f64>]) -> Cholesky {
        let mut factor = Cholesky::default();
        for (at, row) in a.iter().enumerate() {
            assert!(factor.push(&row[..=at]), "row {at}");
        }
        factor
    }

    #[test]
    fn solving_with_the_grown_factor_solves_the_matrix() {
        let n = 9;
        let a: Vec<Vec<f64>> = (0..n)
            .map(|i: usize| {
                (0..n)
                    .map(|j| (-(i.abs_diff(j) as f64)).exp() + f64::from(u8::from(i == j)))
                    .collect()
            })
            .collect();
        let factor = grown(&a);
        let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let x = factor.solve_upper(&factor.solve_lower(&b));
        for (row, b) in a.iter().zip(&b) {
            assert!((dot(row, &x) - b).abs() < 1e-12);
        }
        assert_eq!(factor.len(), n);
        for (at, entry) in factor.inverse_diagonal().into_iter().enumerate() {
            let mut unit = vec![0.0; n];
            unit[at] = 1.0;
            assert!((factor.solve_upper(&factor.solve_lower(&unit))[at] - entry).abs() < 1e-12);
        }
    }

    #[test]
    fn the_determinant_is_the_product_of_pivots() {
        let factor = grown(&[vec![4.0, 2.0], vec![2.0, 3.0]]);
        assert!((factor.log_determinant() - 8f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_does_not_grow() {
        let mut factor = grown(&[vec![1.0]]);
        assert!(!factor.push(&[2.0, 1.0]));
        assert!(!factor.push(&[f64::NAN, 1.0]));
        assert_eq!(factor.len(), 1);
    }
}
