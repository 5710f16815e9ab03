//! Python's arithmetic, except that a whole number beyond 64 bits becomes a float.

use std::cmp::Ordering;

use super::EvalError;

/// A number; stays whole wherever Python keeps it whole.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Num {
    Int(i64),
    Float(f64),
}

use Num::{Float, Int};

/// 2^63, the first float above every `i64`.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

impl Num {
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Int(i) => i as f64,
            Float(f) => f,
        }
    }

    pub(crate) fn is_true(self) -> bool {
        match self {
            Int(i) => i != 0,
            Float(f) => f != 0.0,
        }
    }

    /// The number as an integer, if it is exactly one.
    pub(crate) fn exact_int(self) -> Option<i64> {
        match self {
            Int(i) => Some(i),
            Float(f) => ((-BEYOND..BEYOND).contains(&f) && f.fract() == 0.0).then_some(f as i64),
        }
    }

    /// A float without a fraction as an integer, where it fits.
    pub(super) fn whole(f: f64) -> Self {
        Float(f).exact_int().map_or(Float(f), Int)
    }

    pub(crate) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Int(a), Int(b)) => Some(a.cmp(&b)),
            (Float(a), Float(b)) => a.partial_cmp(&b),
            (Int(a), Float(b)) => compare_int_float(a, b),
            (Float(a), Int(b)) => compare_int_float(b, a).map(Ordering::reverse),
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        match (self, other) {
            (Int(a), Int(b)) => a.checked_add(b).map_or(Float(a as f64 + b as f64), Int),
            _ => Float(self.as_f64() + other.as_f64()),
        }
    }

    pub(super) fn subtract(self, other: Self) -> Self {
        match (self, other) {
            (Int(a), Int(b)) => a.checked_sub(b).map_or(Float(a as f64 - b as f64), Int),
            _ => Float(self.as_f64() - other.as_f64()),
        }
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        match (self, other) {
            (Int(a), Int(b)) => a.checked_mul(b).map_or(Float(a as f64 * b as f64), Int),
            _ => Float(self.as_f64() * other.as_f64()),
        }
    }

    /// `/`: always a float.
    pub(super) fn divide(self, other: Self) -> Result<Self, EvalError> {
        let divisor = other.as_f64();
        if divisor == 0.0 {
            return Err(EvalError::DivisionByZero);
        }
        Ok(Float(self.as_f64() / divisor))
    }

    /// `//`: rounds towards minus infinity.
    pub(super) fn floor_divide(self, other: Self) -> Result<Self, EvalError> {
        if let (Int(a), Int(b)) = (self, other) {
            return floor_ints(a, b).map(|(quotient, _)| quotient);
        }
        floor_floats(self.as_f64(), other.as_f64()).map(|(quotient, _)| Float(quotient))
    }

    /// `%`: has the divisor's sign.
    pub(super) fn remainder(self, other: Self) -> Result<Self, EvalError> {
        if let (Int(a), Int(b)) = (self, other) {
            return floor_ints(a, b).map(|(_, remainder)| remainder);
        }
        floor_floats(self.as_f64(), other.as_f64()).map(|(_, remainder)| Float(remainder))
    }

    pub(super) fn power(self, other: Self) -> Result<Self, EvalError> {
        if let (Int(a), Int(b)) = (self, other)
            && b >= 0
        {
            let exact = match (a, u32::try_from(b)) {
                (0 | 1, _) => Some(if b == 0 { 1 } else { a }),
                (-1, _) => Some(if b % 2 == 0 { 1 } else { -1 }),
                (_, Ok(exponent)) => a.checked_pow(exponent),
                _ => None,
            };
            return Ok(exact.map_or_else(|| Float((a as f64).powf(b as f64)), Int));
        }
        let (base, exponent) = (self.as_f64(), other.as_f64());
        if base == 0.0 && exponent < 0.0 {
            return Err(EvalError::DivisionByZero);
        }
        if base < 0.0 && exponent.is_finite() && exponent.fract() != 0.0 {
            return Err(EvalError::Domain("**"));
        }
        Ok(Float(base.powf(exponent)))
    }

    pub(super) fn negate(self) -> Self {
        match self {
            Int(a) => a.checked_neg().map_or(Float(-(a as f64)), Int),
            Float(a) => Float(-a),
        }
    }

    pub(super) fn magnitude(self) -> Self {
        match self {
            Int(a) if a < 0 => self.negate(),
            Int(_) => self,
            Float(a) => Float(a.abs()),
        }
    }

    /// Shared by `floor`, `ceil` and `int`; `round` is the float version of each.
    pub(super) fn to_whole(
        self,
        name: &'static str,
        round: fn(f64) -> f64,
    ) -> Result<Self, EvalError> {
        match self {
            Int(_) => Ok(self),
            Float(f) if f.is_finite() => Ok(Self::whole(round(f))),
            Float(_) => Err(EvalError::Domain(name)),
        }
    }

    /// The smaller of the two, the first on a tie, as Python's `min`.
    pub(super) fn smaller(self, other: Self) -> Self {
        if other.compare(self) == Some(Ordering::Less) { other } else { self }
    }

    /// The greater of the two, the first on a tie, as Python's `max`.
    pub(super) fn greater(self, other: Self) -> Self {
        if other.compare(self) == Some(Ordering::Greater) { other } else { self }
    }
}

fn compare_int_float(a: i64, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        None
    } else if b >= BEYOND {
        Some(Ordering::Less)
    } else if b < -BEYOND {
        Some(Ordering::Greater)
    } else {
        let whole = b.trunc();
        Some(a.cmp(&(whole as i64)).then(0.0_f64.partial_cmp(&(b - whole))?))
    }
}

fn floor_ints(a: i64, b: i64) -> Result<(Num, Num), EvalError> {
    if b == 0 {
        return Err(EvalError::DivisionByZero);
    }
    let Some(quotient) = a.checked_div(b) else {
        return Ok((Float(BEYOND), Int(0)));
    };
    let remainder = a % b;
    if remainder != 0 && (remainder < 0) != (b < 0) {
        Ok((Int(quotient - 1), Int(remainder + b)))
    } else {
        Ok((Int(quotient), Int(remainder)))
    }
}

fn floor_floats(a: f64, b: f64) -> Result<(f64, f64), EvalError> {
    if b == 0.0 {
        return Err(EvalError::DivisionByZero);
    }
    let mut remainder = a % b;
    let mut quotient = (a - remainder) / b;
    if remainder == 0.0 {
        remainder = 0.0_f64.copysign(b);
    } else if (remainder < 0.0) != (b < 0.0) {
        remainder += b;
        quotient -= 1.0;
    }
    let floor = quotient.floor();
    Ok((if quotient - floor > 0.5 { floor + 1.0 } else { floor }, remainder))
}
