//! The exponential function in single precision, for loops over many numbers.

/// eˣ with a relative error below 2·10⁻⁷. `x` is clamped to −87 … 88.
///
/// There are no branches or calls, so loops become vector instructions with the same bits on every
/// machine; inlined, so that loops of other crates do too. Reduction by Cody and Waite (1980), polynomial of the Cephes library.
#[inline]
#[must_use]
pub fn exponential(x: f32) -> f32 {
    /// Adding this number rounds: the sum has the nearest whole number in its lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    /// ln 2, split into its first bits and the rest.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    const POLYNOMIAL: [f32; 6] =
        [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let rest = (x - whole * LN_2.0) - whole * LN_2.1;
    let series = POLYNOMIAL.iter().fold(0.0, |sum, term| sum * rest + term);
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    (series * rest * rest + rest + 1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_double_precision_function_over_its_whole_range() {
        for step in -8700..=8800 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            let error = (f64::from(exponential(x)) - exact).abs() / exact;
            assert!(error < 2e-7, "{x}: {error}");
        }
        assert!((exponential(0.0) - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn beyond_its_range_it_stays_finite_and_positive() {
        for x in [f32::NEG_INFINITY, -1e30, -88.0] {
            assert!(exponential(x) > 0.0 && exponential(x) < 1e-37);
        }
        assert!(exponential(f32::INFINITY).is_finite());
    }
}
