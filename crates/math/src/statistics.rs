//! Descriptive statistics of one sample. An empty sample gives NaN, not a misleading zero.

/// Ratio of standard deviation to median absolute deviation for normal data: 1 / Φ⁻¹(3/4).
const MAD_TO_SD: f64 = 1.482_602_218_505_602;

/// A sorted copy in total order: NaN comes last. O(n log n).
#[must_use]
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy.sort_unstable_by(f64::total_cmp);
    copy
}

/// The arithmetic mean. O(n).
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// The unbiased variance (n − 1), by two passes; NaN below two values. O(n).
#[must_use]
pub fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::NAN;
    }
    let centre = mean(values);
    values.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// The standard deviation (n − 1); NaN below two values. O(n).
#[must_use]
pub fn standard_deviation(values: &[f64]) -> f64 {
    variance(values).sqrt()
}

/// Quantile `q` (0 to 1) of a **sorted** sample, by linear interpolation between order statistics
/// (Hyndman and Fan 1996, type 7, the default of numpy and R). O(1).
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let last = sorted.len() - 1;
    let at = q.clamp(0.0, 1.0) * last as f64;
    let below = at.floor();
    let index = below as usize;
    let low = sorted[index];
    let high = sorted[(index + 1).min(last)];
    if at > below { low + (high - low) * (at - below) } else { low }
}

/// The median of a sample in any order. O(n).
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    median_of(&mut values.to_vec())
}

/// The median of a sample, whose order it changes. O(n).
pub fn median_of(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let is_odd = values.len() % 2 == 1;
    let (below, high, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(low) if !is_odd => low + (*high - low) * 0.5,
        _ => *high,
    }
}

/// Median absolute deviation, scaled to the standard deviation of normal data (Hampel 1974). O(n).
#[must_use]
pub fn mad(values: &[f64]) -> f64 {
    let centre = median(values);
    let mut away: Vec<f64> = values.iter().map(|v| (v - centre).abs()).collect();
    MAD_TO_SD * median_of(&mut away)
}

/// [`mad`] divided by the absolute median: a spread robust against outliers; 0 for one value. O(n).
#[must_use]
pub fn relative_spread(values: &[f64]) -> f64 {
    let centre = median(values).abs();
    let spread = mad(values);
    if spread == 0.0 { 0.0 } else { spread / centre }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn quantiles_interpolate_between_order_statistics() {
        let values = [1.0, 2.0, 3.0, 4.0];
        // Type 7: position (n - 1) q = 0.75 lies three quarters of the way from 1 to 2.
        assert!((quantile(&values, 0.25) - 1.75).abs() < 1e-15);
        assert!((quantile(&values, 0.0) - 1.0).abs() < 1e-15);
        assert!((quantile(&values, 1.0) - 4.0).abs() < 1e-15);
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-15);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-15);
    }

    #[test]
    fn the_median_is_that_of_the_sorted_sample_to_the_last_bit() {
        let mut rng = crate::seeded(3, 0);
        for length in 1..200 {
            // Many values are equal, and some are NaN.
            let value = |_| match rng.random_range(0..40) {
                0 => f64::NAN,
                1 => -0.0,
                at => f64::from(at % 17) / 3.0,
            };
            let values: Vec<f64> = (0..length).map(value).collect();
            let wanted = quantile(&sorted(&values), 0.5);
            assert_eq!(median(&values).to_bits(), wanted.to_bits(), "{values:?}");
        }
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn spread_of_a_known_sample_is_known() {
        // Variance of 2, 4, 4, 4, 5, 5, 7, 9 around 5: 32 / 7.
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert!((variance(&values) - 32.0 / 7.0).abs() < 1e-12);
        assert!((standard_deviation(&values) - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        // Deviations from the median 4.5 are 2.5 .5 .5 .5 .5 .5 2.5 4.5, their median is 0.5.
        assert!((mad(&values) - 0.5 * MAD_TO_SD).abs() < 1e-12);
        assert!((relative_spread(&values) - 0.5 * MAD_TO_SD / 4.5).abs() < 1e-12);
    }

    #[test]
    fn one_outlier_does_not_move_the_robust_spread() {
        let calm: Vec<f64> = (0..101).map(|i| 100.0 + f64::from(i % 5)).collect();
        let mut wild = calm.clone();
        wild[7] = 1e9;
        assert!((relative_spread(&calm) - relative_spread(&wild)).abs() < 1e-12);
    }

    #[test]
    fn an_empty_sample_has_no_figures() {
        assert!(mean(&[]).is_nan() && median(&[]).is_nan() && quantile(&[], 0.5).is_nan());
        assert!(variance(&[1.0]).is_nan());
        assert!(relative_spread(&[3.0]).abs() < 1e-15);
    }
}
