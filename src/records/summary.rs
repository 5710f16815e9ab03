//! The statistics of a series of samples.

use super::Summary;
use crate::numeric;

impl Summary {
    /// The statistics of samples in seconds; `None` when there are none.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let interval = numeric::median_interval(samples, 0.95)?;
        let sorted = numeric::sorted(samples);
        Some(Self {
            median: numeric::median(samples),
            interval,
            mean: numeric::mean(samples),
            deviation: if samples.len() > 1 { numeric::standard_deviation(samples) } else { 0.0 },
            minimum: sorted[0],
            maximum: sorted[sorted.len() - 1],
            count: samples.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_orders_its_figures() {
        let summary = Summary::of(&[3.0, 1.0, 2.0, 10.0]).expect("samples");
        assert!((summary.median - 2.5).abs() < 1e-12);
        assert!((summary.mean - 4.0).abs() < 1e-12);
        assert_eq!((summary.minimum, summary.maximum, summary.count), (1.0, 10.0, 4));
        assert!(summary.interval.0 <= summary.median && summary.median <= summary.interval.1);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0]).map(|s| s.deviation), Some(0.0));
    }
}
