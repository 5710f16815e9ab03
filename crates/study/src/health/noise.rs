//! How much the run time of fixed work varies on a machine.

use math::{median, quantile, relative_spread, sorted};
use records::{DISTURBED, SteadyWork};
use serde::Serialize;

use super::{Drift, Resolution, resolutions};

/// Seed of the resampling; fixed, so that the same samples give the same result.
const SEED: u64 = 42;

/// How much the run time of one kind of work varies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkNoise {
    /// Where the work's data is: `memory` or `caches`.
    pub work: String,
    /// Bytes read per run.
    pub bytes: u64,
    /// Runs per sample.
    pub runs: u32,
    /// Number of samples.
    pub samples: usize,
    /// Median of the samples, in seconds per run.
    pub median: f64,
    /// Robust standard deviation relative to the median (scaled median absolute deviation).
    pub spread: f64,
    /// 99th percentile relative to the median, minus 1.
    pub tail: f64,
    /// Share of samples in which other programs took time; `None` if that is not counted.
    pub disturbed: Option<f64>,
    /// The fastest and the slowest stretch of time; `None` if there are too few samples.
    pub drift: Option<Drift>,
    /// Smallest difference that would be seen, by the number of samples.
    pub resolves: Vec<Resolution>,
}

impl WorkNoise {
    /// Sums up all samples of some work; `None` without samples. `is_counted` says whether samples
    /// contain the time that others took.
    #[must_use]
    pub fn of(work: &SteadyWork, is_counted: bool) -> Option<Self> {
        let seconds: Vec<f64> = work.samples.iter().map(|sample| sample.1).collect();
        if seconds.is_empty() {
            return None;
        }
        let runs = f64::from(work.runs);
        let disturbed = work.samples.iter().filter(|s| s.2 > DISTURBED * s.1 * runs).count();
        let middle = median(&seconds);
        Some(Self {
            work: work.name.clone(),
            bytes: work.bytes,
            runs: work.runs,
            samples: seconds.len(),
            median: middle,
            spread: relative_spread(&seconds),
            tail: quantile(&sorted(&seconds), 0.99) / middle - 1.0,
            disturbed: is_counted.then(|| disturbed as f64 / seconds.len() as f64),
            drift: Drift::of(&work.samples),
            resolves: resolutions(&seconds, SEED),
        })
    }

    /// Returns the bytes read per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.median
    }
}

#[cfg(test)]
mod tests {
    use math::{normal, seeded};
    use records::SteadySample;

    use super::*;

    /// Samples of 1 ms with 1 % of noise, of which every tenth is disturbed for 50 µs.
    fn work() -> SteadyWork {
        let mut rng = seeded(9, 0);
        let sample = |at: u32| {
            let lost = if at.is_multiple_of(10) { 50e-6 } else { 0.0 };
            let seconds = 0.5e-3 * (1.0 + 0.01 * normal(&mut rng)) + lost / 2.0;
            SteadySample(1e-3 * f64::from(at), seconds, lost)
        };
        let samples = (0..10_000).map(sample).collect();
        SteadyWork { name: "memory".to_owned(), bytes: 1_000_000, runs: 2, samples }
    }

    #[test]
    fn a_series_is_summed_up() {
        let noise = WorkNoise::of(&work(), true).expect("samples");
        assert!((noise.rate() / 2e9 - 1.0).abs() < 0.01, "{noise:?}");
        assert!((noise.spread - 0.01).abs() < 0.002, "{noise:?}");
        assert!((0.04..0.09).contains(&noise.tail), "{noise:?}");
        assert_eq!(noise.disturbed, Some(0.1));
        let drift = noise.drift.expect("ten seconds");
        assert!(drift.slowest < 0.002 && drift.fastest > -0.002, "{drift:?}");
    }

    #[test]
    fn what_others_took_is_not_known_where_nobody_counts() {
        assert_eq!(WorkNoise::of(&work(), false).expect("samples").disturbed, None);
        assert_eq!(WorkNoise::of(&SteadyWork::default(), true), None);
    }
}
