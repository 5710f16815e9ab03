//! Whether one sample tends to be smaller than another, without assuming a distribution.

use statrs::distribution::{ContinuousCDF, Normal};

/// The answer of [`mann_whitney`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// Number of pairs in which the first sample's value is above the second's; a tie counts ½.
    pub u: f64,
    /// Two-sided probability of a `u` as uneven as this if both samples had one distribution.
    pub p: f64,
}

/// Rank-sum test of Mann and Whitney (1947): normal approximation, corrected for ties and
/// continuity. `None` when a sample is empty. O((n + m) log (n + m)).
#[must_use]
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<MannWhitney> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let mut all: Vec<(f64, bool)> = first.iter().map(|&v| (v, true)).collect();
    all.extend(second.iter().map(|&v| (v, false)));
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (n, m) = (first.len() as f64, second.len() as f64);
    let mut rank_sum = 0.0;
    let mut ties = 0.0;
    let mut start = 0;
    while start < all.len() {
        let same = all[start..].iter().take_while(|v| v.0.total_cmp(&all[start].0).is_eq()).count();
        let rank = start as f64 + (same as f64 + 1.0) / 2.0;
        let ours = all[start..start + same].iter().filter(|v| v.1).count();
        rank_sum += rank * ours as f64;
        ties += (same as f64).powi(3) - same as f64;
        start += same;
    }
    let u = rank_sum - n * (n + 1.0) / 2.0;
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    let away = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
    let p = if variance > 0.0 {
        (2.0 * Normal::standard().sf(away / variance.sqrt())).min(1.0)
    } else {
        1.0
    };
    Some(MannWhitney { u, p })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_samples_differ_and_equal_ones_do_not() {
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = (20..30).map(f64::from).collect();
        let apart = mann_whitney(&low, &high).expect("samples");
        // z = (50 - 0.5) / sqrt(100 · 21 / 12) = 3.742, two-sided p = 0.00018.
        assert!(apart.u == 0.0 && (apart.p - 1.827e-4).abs() < 2e-6, "{apart:?}");
        let same = mann_whitney(&low, &low).expect("samples");
        assert!(same.p > 0.9 && (same.u - 50.0).abs() < 1e-12);
    }

    #[test]
    fn constant_samples_say_nothing() {
        let p = mann_whitney(&[1.0; 5], &[1.0; 7]).expect("samples").p;
        assert!((p - 1.0).abs() < 1e-12);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }
}
