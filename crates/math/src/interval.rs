//! Interval of the median from order statistics: exact for any continuous distribution, and cheap.

use super::{mean, sorted, standard_deviation};

/// Distribution-free interval of the median: the order statistics whose ranks bracket n/2 by
/// `z(confidence)·√n/2`, the normal approximation of the binomial (Conover 1999, section 3.2). A
/// small sample gives its range, an empty one `None`. O(n log n).
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

/// Student's t interval of a few ratios on a logarithmic scale, where half and twice are equally
/// far off. `None` for fewer than two ratios, or if one has no finite logarithm.
#[must_use]
pub fn interval_of_few(ratios: &[f64], confidence: f64) -> Option<(f64, f64)> {
    use statrs::distribution::{ContinuousCDF, StudentsT};
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let count = logs.len() as f64;
    let student = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
    let deviation = standard_deviation(&logs) / count.sqrt();
    let half = student.inverse_cdf(f64::midpoint(1.0, confidence)) * deviation;
    let middle = mean(&logs);
    let interval = ((middle - half).exp(), (middle + half).exp());
    (interval.0.is_finite() && interval.1.is_finite()).then_some(interval)
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

    #[test]
    fn a_few_ratios_that_agree_tell_apart_and_a_few_that_do_not_tell_nothing() {
        let (low, high) =
            interval_of_few(&[0.124, 0.121, 0.128, 0.125], 0.95).expect("an interval");
        assert!(low > 0.11 && low < 0.124 && high > 0.124 && high < 0.14, "{low} {high}");
        let (low, high) = interval_of_few(&[0.5, 1.3, 1.1], 0.95).expect("an interval");
        assert!(low < 0.5 && high > 1.3, "{low} {high}");
        assert_eq!(interval_of_few(&[0.0, 1.0, 1.0], 0.95), None);
    }
}
