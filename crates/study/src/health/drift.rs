//! Drift of a machine's speed within seconds: the fastest and the slowest stretch of time.

use math::median;
use records::SteadySample;
use serde::Serialize;

/// Length of a stretch in seconds, or as a share of the total time, whichever is shorter.
const STRETCH: f64 = 5.0;
const QUARTER: f64 = 0.25;
/// Minimum number of samples in a stretch.
const LEAST: usize = 5;

/// The fastest and the slowest stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drift {
    /// Length of a stretch in seconds.
    pub stretch: f64,
    /// Lowest median of a stretch, relative to the median of all samples, minus 1. At most 0.
    pub fastest: f64,
    /// Highest median of a stretch, relative to the median of all samples, minus 1. At least 0.
    pub slowest: f64,
}

impl Drift {
    /// Computes the drift of samples in the order in which they were taken. `None` if there are too
    /// few.
    #[must_use]
    pub fn of(samples: &[SteadySample]) -> Option<Self> {
        let (first, last) = (samples.first()?.0, samples.last()?.0);
        let stretch = STRETCH.min(QUARTER * (last - first));
        let of_all = median(&samples.iter().map(|sample| sample.1).collect::<Vec<_>>());
        if stretch <= 0.0 || of_all <= 0.0 {
            return None;
        }
        let number = |sample: &SteadySample| ((sample.0 - first) / stretch) as u64;
        let whole = ((last - first) / stretch + 1e-9) as u64;
        let medians: Vec<f64> = samples
            .chunk_by(|a, b| number(a) == number(b))
            .filter(|chunk| chunk.len() >= LEAST && number(&chunk[0]) < whole)
            .map(|chunk| median(&chunk.iter().map(|sample| sample.1).collect::<Vec<_>>()))
            .collect();
        let fastest = medians.iter().copied().reduce(f64::min)?;
        let slowest = medians.iter().copied().reduce(f64::max)?;
        Some(Self {
            stretch,
            fastest: (fastest / of_all - 1.0).min(0.0),
            slowest: (slowest / of_all - 1.0).max(0.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(seconds: f64, time: impl Fn(f64) -> f64) -> Vec<SteadySample> {
        let count = (seconds / 0.01) as u32;
        let at = |index: u32| 0.01 * f64::from(index);
        (0..=count).map(|index| SteadySample(at(index), time(at(index)), 0.0)).collect()
    }

    #[test]
    fn a_slow_stretch_is_found_and_a_single_slow_sample_is_not() {
        let slow = |at: f64| if (20.0..25.0).contains(&at) { 1.1e-3 } else { 1e-3 };
        let drift = Drift::of(&samples(60.0, slow)).expect("enough");
        assert!((drift.slowest - 0.1).abs() < 1e-9 && drift.fastest.abs() < 1e-9, "{drift:?}");
        assert!((drift.stretch - 5.0).abs() < 1e-9);
        let once = |at: f64| if (20.0..20.005).contains(&at) { 1.0 } else { 1e-3 };
        let drift = Drift::of(&samples(60.0, once)).expect("enough");
        assert!(drift.slowest.abs() < 1e-9, "{drift:?}");
    }

    #[test]
    fn short_times_have_four_stretches_and_too_few_samples_none() {
        let drift = Drift::of(&samples(1.0, |_| 1e-3)).expect("enough");
        assert!((drift.stretch - 0.25).abs() < 1e-9, "{drift:?}");
        assert_eq!(Drift::of(&samples(0.1, |_| 1e-3)), None);
        assert_eq!(Drift::of(&[]), None);
        assert_eq!(Drift::of(&[SteadySample(0.0, 0.0, 0.0); 20]), None);
    }
}
