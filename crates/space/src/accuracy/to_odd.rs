//! Avoids double rounding on the way from f64 through f32 to a smaller format.

/// Truncates, and sets the last bit if anything was lost. Rounding the result to a half equals
/// rounding the double directly; rounding to nearest twice does not.
#[must_use]
#[inline(always)]
#[expect(clippy::float_cmp, reason = "asks whether the value is the same, not near")]
pub fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    if back == value || !back.is_finite() {
        return nearest;
    }
    let towards_zero = nearest.to_bits() - u32::from(back.abs() > value.abs());
    f32::from_bits(towards_zero | 1)
}
