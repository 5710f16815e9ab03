//! tf32, e4m3 and e5m2 in memory, equal to `kernels/include/autobench/rounding.h`.

use std::fmt;

/// A float with 10 bits of fraction, in four bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tf32(u32);

/// OCP's 8-bit float with 3 bits of fraction: up to 448, saturating, without infinities.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct E4m3(u8);

/// OCP's 8-bit float with 2 bits of fraction: up to 57344, then infinity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct E5m2(u8);

/// Rounds to `fraction` bits of fraction, to nearest, ties to even. Below the exponent `least` the
/// rounding unit stays constant. NaN stays NaN.
#[inline(always)]
fn rounded(value: f64, fraction: i32, least: i32) -> f64 {
    // Clamped far above all of these formats, so that the unit below cannot overflow.
    let magnitude = if value.abs() > 1e60 { 1e60 } else { value.abs() };
    let exponent = ((magnitude.to_bits() >> 52).cast_signed() as i32 - 1023).max(least);
    // A power of two whose last place is the rounding unit: adding it rounds.
    let power = f64::from_bits(u64::from((exponent - fraction + 52 + 1023).cast_unsigned()) << 52);
    ((magnitude + power) - power).copysign(value)
}

impl Tf32 {
    /// Rounds to nearest, ties to even.
    #[must_use]
    #[inline(always)]
    pub fn from_f64(value: f64) -> Self {
        if value.is_nan() {
            return Self(0x7fc0_0000 | ((value.to_bits() >> 32) as u32 & 0x8000_0000));
        }
        Self((rounded(value, 10, -126) as f32).to_bits())
    }

    /// The number with these bits.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits of the number.
    #[must_use]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The number as f64, exactly.
    #[must_use]
    #[inline(always)]
    pub fn to_f64(self) -> f64 {
        f64::from(f32::from_bits(self.0))
    }
}

macro_rules! eight_bits {
    ($name:ident, $fraction:literal, $least:literal, $first_beyond:literal, $beyond:literal,
     $infinity:literal, $nan:literal) => {
        impl $name {
            /// Rounds to nearest, ties to even; NaN becomes the positive one.
            #[must_use]
            #[inline(always)]
            pub fn from_f64(value: f64) -> Self {
                if value.is_nan() {
                    return Self($nan);
                }
                let sign = ((value.to_bits() >> 56) as u8) & 0x80;
                let magnitude = rounded(value.abs(), $fraction, $least);
                if magnitude >= $first_beyond {
                    return Self($beyond | sign);
                }
                // Scaled so that the format's smallest normal number is that of f32. The upper bits
                // of the f32 are then the bits of the format.
                let scaled = (magnitude * 2_f64.powi(-126 - $least)) as f32;
                Self((scaled.to_bits() >> (23 - $fraction)) as u8 | sign)
            }

            /// The number with these bits.
            #[must_use]
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits)
            }

            /// The bits of the number.
            #[must_use]
            pub const fn to_bits(self) -> u8 {
                self.0
            }

            /// The number as f64, exactly.
            #[must_use]
            #[inline(always)]
            pub fn to_f64(self) -> f64 {
                let magnitude = self.0 & 0x7f;
                let sign = if self.0 & 0x80 == 0 { 1.0 } else { -1.0 };
                if magnitude > $infinity {
                    return f64::NAN.copysign(sign);
                }
                if magnitude == $infinity && $infinity == 0x7c {
                    return sign * f64::INFINITY;
                }
                let fraction = f64::from(magnitude & ((1 << $fraction) - 1));
                let exponent = i32::from(magnitude >> $fraction);
                let whole = f64::from(1_u8 << $fraction);
                let digits = if exponent == 0 { fraction } else { whole + fraction };
                sign * digits * 2_f64.powi(exponent.max(1) - 1 + $least - $fraction)
            }
        }
    };
}

eight_bits!(E4m3, 3, -6, 448.0, 0x7e, 0x7e, 0x7f);
eight_bits!(E5m2, 2, -14, 65536.0, 0x7c, 0x7c, 0x7e);

macro_rules! shown {
    ($($name:ident),*) => {
        $(impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} ({:#x})", self.to_f64(), self.0)
            }
        })*
    };
}
shown!(Tf32, E4m3, E5m2);

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the values are exact")]
mod tests {
    use super::*;

    /// Checks that every value of a format stays, and that values between neighbours round
    /// correctly.
    fn rounds_to_neighbours(values: &[f64], round: impl Fn(f64) -> f64) {
        for (at, pair) in values.windows(2).enumerate() {
            let (low, high) = (pair[0], pair[1]);
            let middle = f64::midpoint(low, high);
            let even = if at % 2 == 0 { low } else { high };
            for (value, wanted) in
                [(low, low), (middle, even), (middle.next_down(), low), (middle.next_up(), high)]
            {
                assert_eq!(round(value), wanted, "{value:e}");
                assert_eq!(round(-value), -wanted, "{value:e}");
            }
        }
    }

    #[test]
    fn every_number_of_eight_bits_is_its_definition_and_rounds_to_itself() {
        let e4m3: Vec<f64> = (0..0x7f).map(|bits| E4m3::from_bits(bits).to_f64()).collect();
        assert_eq!((e4m3[1], e4m3[8], e4m3[0x7e]), (2_f64.powi(-9), 2_f64.powi(-6), 448.0));
        rounds_to_neighbours(&e4m3, |value| E4m3::from_f64(value).to_f64());
        let e5m2: Vec<f64> = (0..0x7c).map(|bits| E5m2::from_bits(bits).to_f64()).collect();
        assert_eq!((e5m2[1], e5m2[4], e5m2[0x7b]), (2_f64.powi(-16), 2_f64.powi(-14), 57344.0));
        rounds_to_neighbours(&e5m2, |value| E5m2::from_f64(value).to_f64());
        for bits in 0..=u8::MAX {
            let (small, wide) = (E4m3::from_bits(bits), E5m2::from_bits(bits));
            assert_eq!(small.to_f64().is_nan(), bits & 0x7f == 0x7f);
            assert_eq!(wide.to_f64().is_nan(), bits & 0x7f > 0x7c);
            if !small.to_f64().is_nan() {
                assert_eq!(E4m3::from_f64(small.to_f64()), small);
            }
            if !wide.to_f64().is_nan() {
                assert_eq!(E5m2::from_f64(wide.to_f64()), wide);
            }
        }
    }

    #[test]
    fn what_is_too_large_saturates_or_is_infinite() {
        for large in [464.0, 465.0, 1e9, 1e300, f64::INFINITY] {
            assert_eq!(E4m3::from_f64(large).to_bits(), 0x7e);
            assert_eq!(E4m3::from_f64(-large).to_bits(), 0xfe);
        }
        assert_eq!(E5m2::from_f64(61440.0_f64.next_down()).to_f64(), 57344.0);
        for large in [61440.0, 1e9, 1e300, f64::INFINITY] {
            assert_eq!(E5m2::from_f64(-large).to_f64(), f64::NEG_INFINITY);
        }
        assert_eq!(E4m3::from_f64(-f64::NAN).to_bits(), 0x7f);
        assert_eq!(E5m2::from_f64(-f64::NAN).to_bits(), 0x7e);
        assert_eq!(Tf32::from_f64(1e39).to_f64(), f64::INFINITY);
    }

    #[test]
    fn tf32_keeps_ten_bits_and_is_rounded_once() {
        let values: Vec<f64> = (0..5000_u32)
            .map(|at| Tf32::from_bits((at + 0x3f7f_0000 / 0x2000) * 0x2000).to_f64())
            .collect();
        rounds_to_neighbours(&values, |value| Tf32::from_f64(value).to_f64());
        let smallest: Vec<f64> =
            (0..3000_u32).map(|at| Tf32::from_bits(at * 0x2000).to_f64()).collect();
        rounds_to_neighbours(&smallest, |value| Tf32::from_f64(value).to_f64());
    }
}
