//! Interval of the median from order statistics: exact for any continuous distribution, and cheap.

use super::sorted;

/// Distribution-free interval of the median: the order statistics whose ranks bracket n/2 by
/// `z(confidence)·√n/2`, the normal approximation of the binomial (Conover 1999, section 3.2). The
/// sample's range if there are few values, `None` if there are none. O(n log n).
#[must_use]
pub fn median_interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    use statrs::distribution::{ContinuousCDF, Normal};
    if values.is_empty() {
        return None;
    }
    let sorted = sorted(values);
    let n = sorted.len() as f64;
    let z = Normal::standard().inverse_cdf(0.5 + confidence.clamp(0.0, 0.999_999) / 2.0);
    let half = z * n.sqrt() / 2.0;
    let low = (n / 2.0 - half).floor().max(1.0) as usize;
    let high = (n / 2.0 + half + 1.0).ceil().min(n) as usize;
    Some((sorted[low - 1], sorted[high - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_the_binomial_of_a_hundred_values() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        // 50 ± 1.96 · 5 = 40.2 .. 59.8, widened to whole ranks 40 and 61.
        assert_eq!(median_interval(&values, 0.95), Some((40.0, 61.0)));
    }

    #[test]
    fn few_values_give_their_range() {
        assert_eq!(median_interval(&[3.0, 1.0, 2.0], 0.95), Some((1.0, 3.0)));
        assert_eq!(median_interval(&[5.0], 0.95), Some((5.0, 5.0)));
        assert_eq!(median_interval(&[], 0.95), None);
    }
}
