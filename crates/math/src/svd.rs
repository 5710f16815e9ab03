//! Least squares through the singular value decomposition.

/// Limit of sweeps; one-sided Jacobi converges long before for the small systems solved here.
const MOST_SWEEPS: usize = 60;

/// Least-squares solution of smallest norm for a tall matrix given by its columns. Singular values
/// up to `relative_cutoff` times the largest count as zero. One-sided Jacobi method of Hestenes
/// (1958), which keeps small singular values accurate. O(rows · columns² · sweeps).
#[must_use]
pub fn solve_least_squares(
    mut columns: Vec<Vec<f64>>,
    target: &[f64],
    relative_cutoff: f64,
) -> Vec<f64> {
    let n = columns.len();
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..MOST_SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let alpha = dot(&columns[p], &columns[p]);
                let beta = dot(&columns[q], &columns[q]);
                let gamma = dot(&columns[p], &columns[q]);
                if gamma.abs() <= f64::EPSILON * (alpha * beta).sqrt() || gamma == 0.0 {
                    continue;
                }
                rotated = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                rotate(&mut columns, p, q, c, c * t);
                rotate(&mut v, p, q, c, c * t);
            }
        }
        if !rotated {
            break;
        }
    }
    let sizes: Vec<f64> = columns.iter().map(|c| dot(c, c).sqrt()).collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let mut solution = vec![0.0; n];
    for (i, &size) in sizes.iter().enumerate() {
        if size > relative_cutoff * largest {
            let share = dot(&columns[i], target) / (size * size);
            for (s, &direction) in solution.iter_mut().zip(&v[i]) {
                *s += share * direction;
            }
        }
    }
    solution
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Rotates columns `p < q` in their plane.
fn rotate(columns: &mut [Vec<f64>], p: usize, q: usize, c: f64, s: f64) {
    let (head, tail) = columns.split_at_mut(q);
    for (a, b) in head[p].iter_mut().zip(&mut tail[0]) {
        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_system_is_solved_exactly() {
        // x + 3y = 5, 2x - y = -4 has the solution (-1, 2).
        let solution =
            solve_least_squares(vec![vec![1.0, 2.0], vec![3.0, -1.0]], &[5.0, -4.0], 0.0);
        assert!((solution[0] + 1.0).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn equal_columns_share_the_solution_of_smallest_norm() {
        let column = vec![1.0, 2.0, 3.0];
        let solution = solve_least_squares(vec![column.clone(), column], &[2.0, 4.0, 6.0], 1e-12);
        assert!((solution[0] - 1.0).abs() < 1e-12 && (solution[1] - 1.0).abs() < 1e-12);
    }
}
