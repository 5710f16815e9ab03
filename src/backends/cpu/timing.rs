//! The clock, and what is read from it.

use std::time::{Duration, Instant};

use super::{
    flush::Flusher,
    launch::{self, Ready, Seats},
    pool::Pool,
};

/// Seconds of one run, as the mean of `batch` runs back to back after flushing, if asked to.
pub(super) fn sample(
    pool: &Pool,
    steps: &[Ready],
    seats: &Seats,
    batch: u32,
    flusher: Option<&Flusher>,
    overhead: Duration,
) -> f64 {
    let batch = batch.max(1);
    let elapsed = pool.lead(|team| {
        match flusher {
            Some(flusher) => flusher.flush(team),
            // Wakes the others, which takes longer than short kernels do.
            None => team.each(|_| {}),
        }
        let start = Instant::now();
        for _ in 0..batch {
            steps.iter().for_each(|step| seats.run(step, team));
        }
        start.elapsed()
    });
    elapsed.saturating_sub(overhead).as_secs_f64() / f64::from(batch)
}

/// The median of launches that do nothing.
pub(super) fn cost_of_launch(pool: &Pool, seats: &Seats, overhead: Duration) -> f64 {
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

/// The clock's resolution, and what reading it twice costs (the median).
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
