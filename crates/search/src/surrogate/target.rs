//! Target of a process: costs with their outliers tamed.

use math::{mean, standard_deviation};
use statrs::distribution::{ContinuousCDF, Normal};

/// Standardised sum of the standardised logarithms of costs and their standardised normal scores.
/// The logarithm keeps the lead of the best; the scores keep the worst from hiding it. Failures
/// (infinite) count as the worst valid cost.
pub(crate) fn target(costs: &[f64]) -> Vec<f64> {
    let worst = costs.iter().copied().filter(|c| c.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    if !worst.is_finite() {
        return vec![0.0; costs.len()];
    }
    let costs: Vec<f64> = costs.iter().map(|c| if c.is_finite() { *c } else { worst }).collect();
    let positive = costs.iter().all(|c| *c > 0.0);
    let logs: Vec<f64> = costs.iter().map(|c| if positive { c.ln() } else { *c }).collect();
    let both = standardised(&logs).into_iter().zip(standardised(&normal_scores(&costs)));
    standardised(&both.map(|(log, score)| log + score).collect::<Vec<_>>())
}

fn standardised(values: &[f64]) -> Vec<f64> {
    let (mean, deviation) = (mean(values), standard_deviation(values));
    let scale = if deviation > 0.0 && deviation.is_finite() { 1.0 / deviation } else { 0.0 };
    values.iter().map(|value| (value - mean) * scale).collect()
}

/// Normal quantiles of the ranks; equal values share the mean of their ranks.
fn normal_scores(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let normal = Normal::standard();
    let mut scores = vec![0.0; values.len()];
    for group in order.chunk_by(|a, b| values[*a].total_cmp(&values[*b]).is_eq()) {
        // Equal values have consecutive ranks, beginning with the number of smaller values.
        let first = order.partition_point(|at| values[*at] < values[group[0]]) as f64;
        let rank = first + group.len() as f64 / 2.0;
        let score = normal.inverse_cdf(rank / values.len() as f64);
        group.iter().for_each(|at| scores[*at] = score);
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_keep_the_order_and_failures_are_as_bad_as_the_worst() {
        let target = target(&[3.0, 1.0, f64::INFINITY, 2.0, 100.0]);
        assert!(target[1] < target[3] && target[3] < target[0] && target[0] < target[4]);
        assert!((target[2] - target[4]).abs() < 1e-12);
        assert!(mean(&target).abs() < 1e-12 && (standard_deviation(&target) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_tell_apart_is_all_zero() {
        assert_eq!(target(&[2.0, 2.0, 2.0]), [0.0; 3]);
        assert_eq!(target(&[f64::INFINITY; 2]), [0.0; 2]);
        assert_eq!(target(&[5.0]), [0.0]);
        assert!(target(&[-1.0, 0.0, 2.0]).windows(2).all(|pair| pair[0] < pair[1]));
    }
}
