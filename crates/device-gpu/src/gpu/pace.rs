//! How many configurations are compiled together. For small kernels a compiler spends most time on
//! starting and reading headers, which a joint compilation shares. For large kernels it spends
//! hardly any.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Longest compilation wanted, since the device may wait for one of its kernels.
const LONGEST: Duration = Duration::from_millis(150);
/// Most configurations together. More would save hardly anything.
const MOST: u64 = 8;

#[derive(Debug)]
pub(super) struct Pace {
    /// Microseconds per configuration; 0 before the first compilation.
    each: AtomicU64,
    /// Most configurations to try together: halved when several fail together, doubled when they
    /// succeed. It never rises again from 1, so sources that cannot share cost three attempts.
    most: AtomicU64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { each: AtomicU64::new(0), most: AtomicU64::new(MOST) }
    }
}

impl Pace {
    pub(super) fn learn(&self, took: Duration, together: usize) {
        let each = took.as_micros() as u64 / (together as u64).max(1);
        self.each.store(each.max(1), Ordering::Relaxed);
        let most = self.most.load(Ordering::Relaxed);
        if together > 1 {
            self.most.store((2 * most).min(MOST), Ordering::Relaxed);
        }
    }

    pub(super) fn refused(&self) {
        let most = self.most.load(Ordering::Relaxed);
        self.most.store((most / 2).max(1), Ordering::Relaxed);
    }

    pub(super) fn together(&self) -> usize {
        let most = self.most.load(Ordering::Relaxed);
        match self.each.load(Ordering::Relaxed) {
            0 => 1,
            each => (LONGEST.as_micros() as u64 / each).clamp(1, most) as usize,
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

    #[test]
    fn what_does_not_go_together_is_tried_less_and_then_never() {
        let pace = Pace::default();
        let small = Duration::from_millis(1);
        pace.learn(small, 1);
        for next in [4, 2] {
            pace.refused();
            pace.learn(small, 1);
            assert_eq!(pace.together(), next);
        }
        pace.learn(small, 2);
        assert_eq!(pace.together(), 4);
        (0..3).for_each(|_| pace.refused());
        pace.learn(small, 1);
        assert_eq!(pace.together(), 1);
    }
}
