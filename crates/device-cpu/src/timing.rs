//! The clock, and samples taken with it.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use device::SampleRuns;

use super::{
    flush::Flush,
    launch::{self, PreparedLaunch, Seats},
    pool::{Team, ThreadPool},
    waiting,
};

pub(super) struct Stopwatch<'a> {
    pub(super) pool: &'a ThreadPool,
    /// Runs before the sample, if present.
    pub(super) flush: Option<Flush<'a>>,
    /// Time between two successive readings of the clock.
    pub(super) overhead: Duration,
}

impl Stopwatch<'_> {
    /// Times runs back to back. Returns the mean seconds of a run, and the longest time that any
    /// thread waited for its core. Each call of `work` is a run.
    pub(super) fn time(&self, runs: u32, mut work: impl FnMut(&Team<'_>) + Send) -> (f64, f64) {
        let runs = runs.max(1);
        let before: Vec<AtomicU64> = (0..self.pool.size()).map(|_| AtomicU64::new(0)).collect();
        let longest = AtomicU64::new(0);
        let elapsed = self.pool.lead(|team| {
            if let Some(flush) = &self.flush {
                flush.run(team);
            }
            // This also wakes the other threads, which takes longer than a short kernel.
            team.each(|index| before[index].store(waiting::so_far(), Ordering::Relaxed));
            let start = Instant::now();
            for _ in 0..runs {
                work(team);
            }
            let elapsed = start.elapsed();
            team.each(|index| {
                let waited =
                    waiting::so_far().saturating_sub(before[index].load(Ordering::Relaxed));
                longest.fetch_max(waited, Ordering::Relaxed);
            });
            elapsed
        });
        let seconds = elapsed.saturating_sub(self.overhead).as_secs_f64() / f64::from(runs);
        (seconds, longest.into_inner() as f64 * 1e-9)
    }

    pub(super) fn time_steps(
        &self,
        steps: &mut [PreparedLaunch],
        seats: &Seats,
        sample_runs: SampleRuns,
    ) -> (f64, f64) {
        steps.iter_mut().for_each(|step| step.turn_to(sample_runs.first));
        self.time(sample_runs.runs, |team| {
            for step in steps.iter_mut() {
                seats.run(step, team);
                step.turn();
            }
        })
    }
}

/// Median seconds of a launch that does nothing.
pub(super) fn cost_of_launch(pool: &ThreadPool, seats: &Seats, overhead: Duration) -> f64 {
    let nothing = launch::nothing(pool.size());
    let mut samples: Vec<Duration> = pool.lead(|team| {
        let sample = |_| {
            let start = Instant::now();
            seats.run(&nothing, team);
            start.elapsed().saturating_sub(overhead)
        };
        (0..501).map(sample).collect()
    });
    samples.sort_unstable();
    samples[samples.len() / 2].as_secs_f64()
}

/// The clock's resolution, and the median time between two successive readings.
pub(super) fn clock() -> (Duration, Duration) {
    let mut samples: Vec<Duration> = (0..1001)
        .map(|_| {
            let start = Instant::now();
            start.elapsed()
        })
        .collect();
    samples.sort_unstable();
    let mut resolution = Duration::from_secs(1);
    for pair in samples.windows(2) {
        let step = pair[1] - pair[0];
        if !step.is_zero() {
            resolution = resolution.min(step);
        }
    }
    (resolution, samples[samples.len() / 2])
}
