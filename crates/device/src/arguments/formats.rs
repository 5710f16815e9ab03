//! How element formats are stored: rounding an f64 to a format, widening back, and the poison
//! pattern.

use half::{bf16, f16};
use space::accuracy::{E4m3, E5m2, Element, Tf32, to_odd};

/// An element format as stored in memory. Poison and NaN are recognised by their bit patterns.
pub trait Stored: Copy + Send + Sync {
    /// The bit pattern as an unsigned integer.
    type Bits: Copy + Eq + Send + Sync + Into<u64>;
    /// Bits of infinity, or of the largest number if the format has no infinity. Larger bit
    /// patterns (without the sign) are NaN. `None` for integers.
    const INFINITY: Option<Self::Bits>;
    /// A pattern that no kernel writes by accident. Floats use a signalling NaN, which no operation
    /// returns; e4m3 uses the negative NaN, since rounding makes the positive one.
    const POISON: Self::Bits;
    /// Rounds to nearest, ties to even; integers saturate.
    fn round(value: f64) -> Self;
    /// Widens to f64, exactly except for 64-bit integers.
    fn widen(self) -> f64;
    /// Whether these bits encode a NaN.
    fn holds_nan(bits: Self::Bits) -> bool;
    /// The value that the lowest bits of `bits` encode.
    fn of_bits(bits: u64) -> Self;
}

macro_rules! float {
    ($type:ty, $bits:ty, $poison:expr, $infinity:expr, $round:expr, $widen:expr) => {
        impl Stored for $type {
            type Bits = $bits;
            const POISON: $bits = $poison;
            const INFINITY: Option<$bits> = Some($infinity);
            #[inline(always)]
            fn round(value: f64) -> Self {
                $round(value)
            }
            #[inline(always)]
            fn widen(self) -> f64 {
                $widen(self)
            }
            #[inline(always)]
            fn holds_nan(bits: $bits) -> bool {
                bits & (<$bits>::MAX >> 1) > $infinity
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }
        }
    };
}

float!(f64, u64, 0x7FF0_DEAD_DEAD_DEAD, 0x7FF0_0000_0000_0000, |x: f64| x, |x: f64| x);
float!(f32, u32, 0x7F80_DEAD, 0x7F80_0000, |x: f64| x as f32, f64::from);
float!(f16, u16, 0x7CAD, 0x7C00, |x| f16::from_f32(to_odd(x)), f16::to_f64);
float!(bf16, u16, 0x7FAD, 0x7F80, |x| bf16::from_f32(to_odd(x)), bf16::to_f64);
float!(Tf32, u32, 0x7F80_DEAD, 0x7F80_0000, Tf32::from_f64, Tf32::to_f64);
float!(E4m3, u8, 0xFF, 0x7E, E4m3::from_f64, E4m3::to_f64);
float!(E5m2, u8, 0x7D, 0x7C, E5m2::from_f64, E5m2::to_f64);

macro_rules! integer {
    ($type:ty, $bits:ty, $poison:expr) => {
        impl Stored for $type {
            type Bits = $bits;
            const POISON: $bits = $poison;
            const INFINITY: Option<$bits> = None;
            #[inline(always)]
            fn round(value: f64) -> Self {
                value.round_ties_even() as Self
            }
            #[inline(always)]
            fn widen(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn holds_nan(_: $bits) -> bool {
                false
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as Self
            }
        }
    };
}

integer!(i64, u64, 0xDEAD_BEEF_DEAD_BEEF);
integer!(u64, u64, 0xDEAD_BEEF_DEAD_BEEF);
integer!(i32, u32, 0xDEAD_BEEF);
integer!(u32, u32, 0xDEAD_BEEF);
integer!(i8, u8, 0xAD);
integer!(u8, u8, 0xAD);

/// Work that is generic over the format.
pub trait ForFormat {
    /// The result of the work.
    type Output;
    /// Does the work for one format.
    fn with<T: Stored>(self) -> Self::Output;
}

/// Does the work for the format `element`.
pub fn dispatch<W: ForFormat>(element: Element, work: W) -> W::Output {
    match element {
        Element::F64 => work.with::<f64>(),
        Element::F32 => work.with::<f32>(),
        Element::F16 => work.with::<f16>(),
        Element::Bf16 => work.with::<bf16>(),
        Element::Tf32 => work.with::<Tf32>(),
        Element::E4m3 => work.with::<E4m3>(),
        Element::E5m2 => work.with::<E5m2>(),
        Element::I64 => work.with::<i64>(),
        Element::U64 => work.with::<u64>(),
        Element::I32 => work.with::<i32>(),
        Element::U32 => work.with::<u32>(),
        Element::I8 => work.with::<i8>(),
        Element::U8 => work.with::<u8>(),
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "rounding is exact")]
mod tests {
    use super::*;

    #[test]
    fn poison_of_floats_is_a_signalling_nan() {
        struct Check;
        impl ForFormat for Check {
            type Output = bool;
            fn with<T: Stored>(self) -> bool {
                T::holds_nan(T::POISON)
            }
        }
        for element in Element::ALL {
            assert_eq!(dispatch(element, Check), element.is_float(), "{element}");
        }
        assert_eq!(f32::from_bits(f32::POISON).to_bits() & 0x0040_0000, 0);
        assert_eq!(f16::POISON & 0x0200, 0);
        assert_eq!(bf16::POISON & 0x0040, 0);
    }

    #[test]
    fn halves_are_rounded_once() {
        // Just above the midpoint of 1 and 1 + 2^-10, by less than an f32 can represent.
        let above = 1.0 + 2_f64.powi(-11) + 2_f64.powi(-40);
        assert_eq!(<f16 as Stored>::round(above).to_f64(), 1.0 + 2_f64.powi(-10));
        assert_eq!(<f16 as Stored>::round(-above).to_f64(), -1.0 - 2_f64.powi(-10));
        let below = 1.0 + 3.0 * 2_f64.powi(-8) - 2_f64.powi(-40);
        assert_eq!(<bf16 as Stored>::round(below).to_f64(), 1.0 + 2_f64.powi(-7));
        assert_eq!(<f16 as Stored>::round(1e9), f16::INFINITY);
        assert!(<f16 as Stored>::round(f64::NAN).is_nan());
    }

    #[test]
    fn infinities_and_numbers_are_not_nan() {
        assert!(!f16::holds_nan(f16::INFINITY.to_bits()));
        assert!(!f32::holds_nan(f32::NEG_INFINITY.to_bits()));
        assert!(!bf16::holds_nan(bf16::MAX.to_bits()));
        assert!(f64::holds_nan((-f64::NAN).to_bits()));
    }
}
