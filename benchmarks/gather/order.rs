//! Permutations that stay inside windows. With fewer windows, accesses are less local.

use autobench_sdk::inputs::bits;

pub(crate) const ELEMENTS: u64 = 1 << 24;

/// Streams of random numbers, by purpose.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Low = 1,
    High,
}

/// A permutation inside every window. It is its own inverse, so that gather and scatter have the
/// same result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    seed: u64,
    /// Number of index bits that change: the lower bits and the upper bits.
    low: u32,
    high: u32,
}

impl Order {
    /// The order for a seed and a number of windows, which is a power of two.
    pub(crate) fn new(seed: u64, windows: u64) -> Self {
        let digits = (ELEMENTS / windows).max(1).ilog2();
        Self { seed, low: digits / 2, high: digits - digits / 2 }
    }

    /// The position that an index leads to.
    ///
    /// Random numbers flip bits: first the lower bits by a number from the upper bits, then the
    /// upper by one from the lower, then the lower once more. Each step is its own inverse, and so
    /// is the whole.
    pub(crate) fn at(self, index: u64) -> u64 {
        let flipped = self.lower(index);
        let window = flipped >> (self.low + self.high);
        let key = (window << self.low) | (flipped & mask(self.low));
        let random = bits(self.seed, Stream::High as u32, key) & mask(self.high);
        self.lower(flipped ^ (random << self.low))
    }

    fn lower(self, index: u64) -> u64 {
        index ^ (bits(self.seed, Stream::Low as u32, index >> self.low) & mask(self.low))
    }
}

fn mask(digits: u32) -> u64 {
    (1 << digits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_lead_back_and_stay_in_their_windows() {
        for digits in 0..=24 {
            let (order, window) = (Order::new(7, ELEMENTS >> digits), 1 << digits);
            for index in (0..2000).chain((0..2000).map(|i| i * 8191)).chain([ELEMENTS - 1]) {
                let to = order.at(index);
                assert_eq!(order.at(to), index, "{digits}");
                assert_eq!(to / window, index / window, "{digits}");
            }
        }
    }

    #[test]
    fn jumps_are_a_third_of_the_window_on_average() {
        for digits in [8, 15, 24] {
            let (order, window) = (Order::new(3, ELEMENTS >> digits), 1_u64 << digits);
            let jumps = (0..20_000).map(|i| i * 811).map(|i| order.at(i).abs_diff(i)).sum::<u64>();
            let share = jumps as f64 / 20_000.0 / window as f64;
            assert!((share - 1.0 / 3.0).abs() < 0.05, "{digits}: {share}");
        }
    }
}
