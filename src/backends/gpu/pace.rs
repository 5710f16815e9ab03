//! How many configurations are compiled together. A compiler needs most of its time for a small
//! kernel to start and to read headers, which is shared; for a large one hardly any of it is.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A compilation should take no longer: the device may wait for one of its kernels.
const LONGEST: Duration = Duration::from_millis(150);
/// More hardly save anything.
const MOST: u64 = 8;

/// How long a configuration took last, in microseconds; 0 before the first.
#[derive(Debug, Default)]
pub(super) struct Pace(AtomicU64);

impl Pace {
    /// Learns from a compilation of so many.
    pub(super) fn learn(&self, took: Duration, together: usize) {
        let each = took.as_micros() as u64 / (together as u64).max(1);
        self.0.store(each.max(1), Ordering::Relaxed);
    }

    /// How many the next may take.
    pub(super) fn together(&self) -> usize {
        match self.0.load(Ordering::Relaxed) {
            0 => 1,
            each => (LONGEST.as_micros() as u64 / each).clamp(1, MOST) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_kernels_are_compiled_together_and_large_ones_alone() {
        let pace = Pace::default();
        assert_eq!(pace.together(), 1);
        for (took, together, next) in [(40, 1, 3), (90, 3, 5), (80, 5, 8), (130, 1, 1), (0, 1, 8)] {
            pace.learn(Duration::from_millis(took), together);
            assert_eq!(pace.together(), next, "{together} in {took} ms");
        }
    }
}
