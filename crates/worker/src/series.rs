//! The samples of one configuration, and when there are enough. Uses no clock and no device.

use std::collections::VecDeque;

use device::Timed;
use records::{DISTURBED, Exit, Summary};

use super::MeasurePlan;

/// Noise has converged if its last `NOISE_WINDOW` values vary relatively less than `NOISE_VARIES`.
const NOISE_WINDOW: usize = 32;
const NOISE_VARIES: f64 = 0.05;
const KEPT: usize = 256;
pub(super) const CONFIDENCE: f64 = 0.95;
/// Disturbed samples are left out if at least this share of the samples is undisturbed.
const LEAST_CLEAN: f64 = 0.25;

#[derive(Debug, Clone)]
pub(super) struct Series {
    samples: Vec<f64>,
    disturbed: Vec<bool>,
    batch: u32,
    kernel_seconds: f64,
    mean: f64,
    squares: f64,
    noise: VecDeque<f64>,
}

impl Series {
    pub(super) fn new(batch: u32) -> Self {
        Self {
            samples: Vec::new(),
            disturbed: Vec::new(),
            batch,
            kernel_seconds: 0.0,
            mean: 0.0,
            squares: 0.0,
            noise: VecDeque::with_capacity(NOISE_WINDOW),
        }
    }

    pub(super) fn batch(&self) -> u32 {
        self.batch
    }

    pub(super) fn samples(&self) -> &[f64] {
        &self.samples
    }

    pub(super) fn kernel_seconds(&self) -> f64 {
        self.kernel_seconds
    }

    pub(super) fn is_disturbed(&self, at: usize) -> bool {
        self.disturbed.get(at).copied().unwrap_or(false)
    }

    /// Adds a sample and a noise value, in O(1) by Welford's (1962) recurrence.
    pub(super) fn push(&mut self, sample: Timed) {
        let Timed { seconds, disturbance } = sample;
        self.samples.push(seconds);
        self.disturbed.push(disturbance.lost() > DISTURBED * seconds * f64::from(self.batch));
        self.kernel_seconds += seconds * f64::from(self.batch);
        let count = self.samples.len() as f64;
        let before = seconds - self.mean;
        self.mean += before / count;
        self.squares += before * (seconds - self.mean);
        if self.samples.len() > 1 {
            if self.noise.len() == NOISE_WINDOW {
                self.noise.pop_front();
            }
            self.noise.push_back((self.squares / (count - 1.0)).sqrt() / self.mean);
        }
    }

    /// The undisturbed samples, or all samples if few are undisturbed.
    fn clean(&self) -> Vec<f64> {
        let clean: Vec<f64> = self
            .samples
            .iter()
            .zip(&self.disturbed)
            .filter_map(|(seconds, disturbed)| (!disturbed).then_some(*seconds))
            .collect();
        let enough = clean.len() as f64 >= LEAST_CLEAN * self.samples.len() as f64;
        if enough && !clean.is_empty() { clean } else { self.samples.clone() }
    }

    /// Whether to stop, and why, after `elapsed` wall seconds of sampling this configuration alone.
    pub(super) fn exit(&self, plan: &MeasurePlan, elapsed: f64) -> Option<Exit> {
        let count = self.samples.len();
        if count == 0 {
            return None;
        }
        let most = plan.max_samples.max(1) as usize;
        let enough = count >= (plan.min_samples.max(2) as usize).min(most);
        let full = count >= most;
        // From 64 samples on, only every eighth is checked: sorting costs more than short samples
        // do.
        let look = count < 64 || count.is_multiple_of(8) || full;
        if enough && look && (full || self.kernel_seconds >= plan.min_seconds) {
            if self.half_interval() <= plan.precision {
                return Some(Exit::Precise);
            }
            if self.noise_has_converged() {
                return Some(Exit::Settled);
            }
        }
        (full || elapsed >= plan.max_seconds).then_some(Exit::OutOfTime)
    }

    /// Half the width of the median's interval, as a share of the median.
    fn half_interval(&self) -> f64 {
        let clean = self.clean();
        let (low, high) = math::median_interval(&clean, CONFIDENCE).unwrap_or((0.0, f64::INFINITY));
        (high - low) / 2.0 / math::median(&clean)
    }

    /// Whether the relative standard deviation has stopped changing. By then the distribution is
    /// known, and more samples would only narrow the interval.
    fn noise_has_converged(&self) -> bool {
        if self.noise.len() < NOISE_WINDOW || self.samples.len() < 2 * NOISE_WINDOW {
            return false;
        }
        let values: Vec<f64> = self.noise.iter().copied().collect();
        math::standard_deviation(&values) < NOISE_VARIES * math::mean(&values)
    }

    /// Statistics: median and interval of undisturbed samples (`clean`), everything else of all
    /// samples.
    pub(super) fn summary(&self) -> Summary {
        let sorted = math::sorted(&self.samples);
        let clean = self.clean();
        let deviation = math::standard_deviation(&self.samples);
        let median = math::median(&clean);
        Summary {
            median,
            interval: math::median_interval(&clean, CONFIDENCE).unwrap_or((median, median)),
            mean: math::mean(&self.samples),
            deviation: if deviation.is_finite() { deviation } else { 0.0 },
            minimum: sorted.first().copied().unwrap_or(median),
            maximum: sorted.last().copied().unwrap_or(median),
            count: sorted.len(),
        }
    }

    /// The first `KEPT` samples, which are recorded.
    #[expect(clippy::cast_possible_truncation, reason = "records keep samples as f32")]
    pub(super) fn kept(&self) -> Vec<f32> {
        self.samples.iter().take(KEPT).map(|seconds| *seconds as f32).collect()
    }

    pub(super) fn disturbed(&self) -> Vec<u32> {
        let marked = self.disturbed.iter().enumerate().filter(|(_, disturbed)| **disturbed);
        marked.map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)).collect()
    }
}

#[cfg(test)]
mod tests {
    use device::Disturbance;
    use math::{normal, seeded};

    use super::*;

    fn plan() -> MeasurePlan {
        MeasurePlan { min_seconds: 0.0, ..MeasurePlan::default() }
    }

    fn quiet(seconds: f64) -> Timed {
        Timed { seconds, ..Timed::default() }
    }

    fn run(mut sample: impl FnMut(usize) -> f64, plan: &MeasurePlan) -> (Series, Exit) {
        let mut series = Series::new(1);
        let mut elapsed = 0.0;
        loop {
            if let Some(exit) = series.exit(plan, elapsed) {
                return (series, exit);
            }
            let seconds = sample(series.samples().len());
            elapsed += seconds;
            series.push(quiet(seconds));
        }
    }

    #[test]
    fn a_quiet_kernel_is_precise_after_the_fewest_samples() {
        let (series, exit) = run(|_| 1e-3, &plan());
        assert_eq!((exit, series.samples().len()), (Exit::Precise, 10));
        assert_eq!(series.summary().interval, (1e-3, 1e-3));
    }

    #[test]
    fn accumulated_time_is_awaited_before_the_precise_exit() {
        let plan = MeasurePlan { min_seconds: 0.05, ..plan() };
        let (series, exit) = run(|_| 1e-3, &plan);
        assert_eq!(exit, Exit::Precise);
        assert!((49..=51).contains(&series.samples().len()));
    }

    #[test]
    fn noise_that_no_longer_falls_is_settled() {
        let mut rng = seeded(3, 0);
        let plan = MeasurePlan { precision: 1e-4, max_seconds: 1e9, ..plan() };
        let (series, exit) = run(|_| 1e-3 * (1.0 + 0.2 * normal(&mut rng)).max(0.1), &plan);
        assert_eq!(exit, Exit::Settled);
        assert!(series.samples().len() >= 64 && series.samples().len() < 256);
    }

    #[test]
    fn a_slow_kernel_is_kept_unsettled_with_one_sample() {
        let (series, exit) = run(|_| 5.0, &plan());
        assert_eq!((exit, series.samples().len()), (Exit::OutOfTime, 1));
        assert_eq!(series.summary().interval, (5.0, 5.0));
        assert!(series.summary().deviation == 0.0);
    }

    #[test]
    fn a_noisy_series_ends_unsettled_at_the_most_samples() {
        let mut rng = seeded(3, 0);
        let plan = MeasurePlan { precision: 1e-4, max_samples: 40, max_seconds: 1e9, ..plan() };
        let (series, exit) = run(|_| 1e-3 * (1.0 + 0.2 * normal(&mut rng)).max(0.1), &plan);
        assert_eq!((exit, series.samples().len()), (Exit::OutOfTime, 40));
    }

    #[test]
    fn disturbed_samples_count_only_where_there_are_hardly_others() {
        let disturbed = |seconds| Timed {
            seconds,
            disturbance: Disturbance { waited: 1e-3, ..Disturbance::default() },
        };
        let mut series = Series::new(1);
        for seconds in [3e-3, 3e-3] {
            series.push(disturbed(seconds));
        }
        assert!((series.summary().median - 3e-3).abs() < 1e-12, "there is nothing else");
        for seconds in [1e-3, 1e-3] {
            series.push(quiet(seconds));
        }
        for seconds in [9e-3, 9e-3] {
            series.push(disturbed(seconds));
        }
        let summary = series.summary();
        assert!((summary.median - 1e-3).abs() < 1e-12);
        assert_eq!((summary.count, summary.maximum), (6, 9e-3), "nothing is hidden");
        assert_eq!(series.disturbed(), [0, 1, 4, 5]);
    }
}
