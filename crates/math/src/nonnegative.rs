//! Least squares with non-negative solutions.

/// The non-negative `b` that minimises `bᵀ G b − 2 bᵀ h`. For `G = AᵀA` and `h = Aᵀy` it is the
/// least-squares solution of `A b = y`. The active-set method of Lawson and Hanson (1974) on the
/// normal equations, as in Bro and De Jong (1997). `gram` is symmetric, given by rows. O(n · k²)
/// for each of about `k` steps, where `k` entries end up positive.
#[must_use]
pub fn nonnegative_least_squares(gram: &[Vec<f64>], h: &[f64]) -> Vec<f64> {
    let n = h.len();
    let mut solution = vec![0.0; n];
    let mut chosen: Vec<usize> = Vec::new();
    let scale = h.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for _ in 0..3 * n + 10 {
        let gradient = |j: usize| -> f64 {
            h[j] - chosen.iter().map(|&i| gram[j][i] * solution[i]).sum::<f64>()
        };
        // The entry whose growth lowers the error fastest, with its column scaled to length one.
        let steepest = (0..n)
            .filter(|j| !chosen.contains(j) && gram[*j][*j] > 0.0)
            .map(|j| (j, gradient(j) / gram[j][j].sqrt()))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((next, slope)) = steepest else { break };
        if slope * gram[next][next].sqrt() <= 1e-10 * scale {
            break;
        }
        chosen.push(next);
        loop {
            let Some(trial) = solve_positive_definite(gram, h, &chosen) else {
                // The newest column depends linearly on the others.
                chosen.pop();
                return solution;
            };
            if trial.iter().all(|&v| v > 0.0) {
                for (&j, v) in chosen.iter().zip(trial) {
                    solution[j] = v;
                }
                break;
            }
            // Go towards the trial until the first entry reaches zero, and drop that entry.
            let step = chosen
                .iter()
                .zip(&trial)
                .filter(|(_, v)| **v <= 0.0)
                .map(|(&j, v)| solution[j] / (solution[j] - v))
                .fold(1.0f64, f64::min);
            for (&j, v) in chosen.iter().zip(&trial) {
                solution[j] += step * (v - solution[j]);
            }
            let limit = 1e-14 * solution.iter().copied().fold(0.0, f64::max);
            let before = chosen.len();
            chosen.retain(|&j| {
                let keep = solution[j] > limit;
                if !keep {
                    solution[j] = 0.0;
                }
                keep
            });
            if chosen.is_empty() || chosen.len() == before {
                return solution;
            }
        }
    }
    solution
}

/// Solves the rows and columns `on` of `G b = h` by Cholesky; `None` if not positive definite.
fn solve_positive_definite(gram: &[Vec<f64>], h: &[f64], on: &[usize]) -> Option<Vec<f64>> {
    let k = on.len();
    let mut lower = vec![0.0; k * k];
    for r in 0..k {
        for c in 0..=r {
            let known: f64 = (0..c).map(|m| lower[r * k + m] * lower[c * k + m]).sum();
            let rest = gram[on[r]][on[c]] - known;
            lower[r * k + c] = if r == c {
                if rest <= 1e-13 * gram[on[r]][on[r]] {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / lower[c * k + c]
            };
        }
    }
    let mut b: Vec<f64> = on.iter().map(|&j| h[j]).collect();
    for r in 0..k {
        let known: f64 = (0..r).map(|m| lower[r * k + m] * b[m]).sum();
        b[r] = (b[r] - known) / lower[r * k + r];
    }
    for r in (0..k).rev() {
        let known: f64 = (r + 1..k).map(|m| lower[m * k + r] * b[m]).sum();
        b[r] = (b[r] - known) / lower[r * k + r];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gram matrix and right side of a matrix given by columns.
    fn normal_equations(columns: &[Vec<f64>], y: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let gram = columns.iter().map(|a| columns.iter().map(|b| dot(a, b)).collect()).collect();
        (gram, columns.iter().map(|a| dot(a, y)).collect())
    }

    #[test]
    fn a_positive_solution_is_the_ordinary_one() {
        let columns = vec![vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 1.0]];
        let (gram, h) = normal_equations(&columns, &[2.0, 3.0, 5.0]);
        let b = nonnegative_least_squares(&gram, &h);
        assert!((b[0] - 2.0).abs() < 1e-12 && (b[1] - 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_entry_that_would_be_negative_is_zero_and_the_rest_is_optimal() {
        // The ordinary solution is (4, -2); the first column alone gives ⟨c, y⟩/⟨c, c⟩.
        let columns = vec![vec![1.0, 1.0], vec![0.0, 1.0]];
        let (gram, h) = normal_equations(&columns, &[4.0, 2.0]);
        let b = nonnegative_least_squares(&gram, &h);
        assert!((b[0] - 3.0).abs() < 1e-12 && b[1].abs() < 1e-12);
    }

    #[test]
    fn nothing_helps_when_everything_points_away() {
        assert_eq!(nonnegative_least_squares(&[vec![1.0]], &[-1.0]), [0.0]);
    }
}
