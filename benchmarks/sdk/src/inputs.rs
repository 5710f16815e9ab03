//! Generators of input elements. Each is a pure function of seed, argument and index, in integer
//! arithmetic and exact scaling, so that host, plugins and devices compute the same bits.
//! `include/autobench.h` has the same functions in C.

use crate::document::Fill;

/// The index whose bits choose a permutation's factor.
const FACTOR_INDEX: u64 = 1 << 63;
/// The index whose bits choose a permutation's offset.
const OFFSET_INDEX: u64 = (1 << 63) + 1;
/// Limit of permutation factors. With it, `factor · index + offset` fits 64 bits for any buffer
/// that fits a machine (up to 2⁴³ elements).
const FACTOR_LIMIT: u64 = 1 << 20;

/// 64 random bits for one element of one argument: splitmix64's finalizer over a counter.
#[must_use]
pub const fn bits(seed: u64, argument: u32, index: u64) -> u64 {
    let z = seed
        .wrapping_add((argument as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_add(index.wrapping_mul(0xD134_2543_DE82_EF95));
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Element `index` of an argument with `count` elements, not yet rounded to the argument's format.
/// NaN for fills by the host (`plugin`, `file`).
#[must_use]
pub fn element(fill: &Fill, seed: u64, argument: u32, index: u64, count: u64) -> f64 {
    match *fill {
        Fill::Zero => 0.0,
        Fill::Constant(value) => value,
        Fill::Uniform { low, high } => uniform(bits(seed, argument, index), low, high),
        Fill::Integer { low, high } => integer(bits(seed, argument, index), low, high) as f64,
        Fill::Bell { scale } => bell(bits(seed, argument, index), scale),
        Fill::Permutation => Permutation::new(seed, argument, count).at(index) as f64,
        Fill::Ramp { start, step } => {
            let travelled = step * index as f64;
            start + travelled
        }
        Fill::Plugin | Fill::File(_) => f64::NAN,
    }
}

/// A number in `[low, high)` from the upper 24 bits. Product and sum are rounded separately, never
/// fused.
#[must_use]
pub fn uniform(bits: u64, low: f64, high: f64) -> f64 {
    let share = (bits >> 40) as f64 / f64::from(1_u32 << 24);
    let above = (high - low) * share;
    low + above
}

/// A number in `low ..= high` from the upper 32 bits; `low` if the range is empty.
#[must_use]
pub fn integer(bits: u64, low: i64, high: i64) -> i64 {
    if high <= low {
        return low;
    }
    let range = u128::from(high.abs_diff(low)) + 1;
    let above = (u128::from(bits >> 32) * range) >> 32;
    // `above` is below `range`, so the sum is at most `high`. Modulo 2⁶⁴ it is exact.
    low.wrapping_add(above as i64)
}

/// The sum of four uniforms in `[-½, ½)` from the four 16-bit fields, times `scale`.
#[must_use]
pub fn bell(bits: u64, scale: f64) -> f64 {
    let fields = (bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) + ((bits >> 32) & 0xFFFF) + (bits >> 48);
    (fields as f64 / 65536.0 - 2.0) * scale
}

/// The permutation `index -> (factor · index + offset) mod count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permutation {
    /// Coprime to `count` and below 2²⁰.
    pub factor: u64,
    /// Below `count`.
    pub offset: u64,
    /// Number of values.
    pub count: u64,
}

impl Permutation {
    /// The permutation of `0 .. count` for a seed and an argument.
    #[must_use]
    pub const fn new(seed: u64, argument: u32, count: u64) -> Self {
        if count < 2 {
            return Self { factor: 1, offset: 0, count };
        }
        let limit = if count < FACTOR_LIMIT { count } else { FACTOR_LIMIT };
        // The first number coprime to `count`, counting up from an odd number (half of all counts
        // are even); 1 if there is none.
        let mut factor = (bits(seed, argument, FACTOR_INDEX) % limit) | 1;
        while factor < limit && greatest_common_divisor(factor, count) != 1 {
            factor += 1;
        }
        if factor >= limit {
            factor = 1;
        }
        Self { factor, offset: bits(seed, argument, OFFSET_INDEX) % count, count }
    }

    /// The value at an index below `count`.
    #[must_use]
    pub const fn at(self, index: u64) -> u64 {
        if self.count < 2 {
            return 0;
        }
        if self.count <= 1 << 43 && index < self.count {
            return (self.factor * index + self.offset) % self.count;
        }
        let value = self.factor as u128 * index as u128 + self.offset as u128;
        (value % self.count as u128) as u64
    }
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "generators are exact")]
mod tests {
    use super::*;

    #[test]
    fn bits_are_splitmix64_over_the_counter() {
        // The first value of splitmix64 seeded with 0 (Vigna's published sequence) is our bits for
        // seed 0, argument 0, index 0.
        assert_eq!(bits(0, 0, 0), 0xE220_A839_7B1D_CDAF);
        // Its second value is argument 1: the counter's stride is splitmix64's own.
        assert_eq!(bits(0, 1, 0), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn uniform_elements_are_multiples_of_two_to_the_minus_24_in_range() {
        for index in 0..10_000 {
            let x = element(&Fill::Uniform { low: 0.0, high: 1.0 }, 7, 2, index, 10_000);
            assert!((0.0..1.0).contains(&x));
            assert_eq!((x * f64::from(1_u32 << 24)).fract(), 0.0);
            assert_eq!(f64::from(x as f32), x, "exact in f32");
        }
    }

    #[test]
    fn integers_reach_both_ends_and_survive_the_widest_range() {
        let mut seen = [0_u32; 3];
        for index in 0..3000 {
            let value = integer(bits(1, 0, index), -1, 1);
            seen[usize::try_from(value + 1).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&n| n > 850), "{seen:?}");
        assert_eq!(integer(u64::MAX, 5, 5), 5);
        assert_eq!(integer(u64::MAX, 5, -5), 5);
        assert_eq!(integer(0, i64::MIN, i64::MAX), i64::MIN);
        assert!(integer(u64::MAX, i64::MIN, i64::MAX) > i64::MAX - (1 << 33));
    }

    #[test]
    fn bells_have_the_variance_of_four_uniforms() {
        let n = 40_000_u32;
        let values: Vec<f64> =
            (0..n).map(|i| element(&Fill::Bell { scale: 3.0 }, 5, 0, u64::from(i), 1)).collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        // Four variances of 1/12, times 3²: 3.
        assert!(mean.abs() < 0.05 && (variance - 3.0).abs() < 0.1, "{mean} {variance}");
    }

    #[test]
    fn permutations_hold_every_value_once() {
        for count in (0..50).chain([96, 97, 1000, 1 << 12, 30_030]) {
            for seed in 0..4 {
                let permutation = Permutation::new(seed, 3, count);
                let mut values: Vec<u64> = (0..count).map(|i| permutation.at(i)).collect();
                values.sort_unstable();
                assert!(values.iter().copied().eq(0..count), "count {count}, seed {seed}");
            }
        }
    }

    #[test]
    fn permutations_of_huge_buffers_do_not_overflow() {
        let permutation = Permutation::new(1, 0, 1 << 43);
        assert!(permutation.at((1 << 43) - 1) < 1 << 43);
        assert_ne!(permutation.factor, 1);
        let permutation = Permutation::new(1, 0, u64::MAX);
        assert!(permutation.at(u64::MAX - 1) < u64::MAX);
    }

    #[test]
    fn ramps_constants_and_zeros_are_what_they_say() {
        assert_eq!(element(&Fill::Ramp { start: 1.0, step: 0.5 }, 9, 0, 6, 10), 4.0);
        assert_eq!(element(&Fill::Constant(-2.5), 9, 0, 6, 10), -2.5);
        assert_eq!(element(&Fill::Zero, 9, 0, 6, 10), 0.0);
        assert!(element(&Fill::Plugin, 9, 0, 6, 10).is_nan());
    }

    #[test]
    fn arguments_and_seeds_differ() {
        let draw =
            |seed, argument| -> Vec<u64> { (0..8).map(|i| bits(seed, argument, i)).collect() };
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(2, 0));
    }
}
