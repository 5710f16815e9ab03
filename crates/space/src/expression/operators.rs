//! Operators on numbers, shared by the interpreter and the compiled program.

use std::cmp::Ordering;

use super::{
    EvalError, Num,
    syntax::{Binary, Comparison},
};

impl Binary {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Remainder => "%",
            Self::Power => "**",
            Self::And => "and",
            Self::Or => "or",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
        }
    }

    /// Applies the operator. For `and` and `or` both sides are already evaluated.
    #[inline]
    pub(crate) fn apply(self, a: Num, b: Num) -> Result<Num, EvalError> {
        Ok(match self {
            Self::Add => a.add(b),
            Self::Subtract => a.subtract(b),
            Self::Multiply => a.multiply(b),
            Self::Divide => return a.divide(b),
            Self::FloorDivide => return a.floor_divide(b),
            Self::Remainder => return a.remainder(b),
            Self::Power => return a.power(b),
            Self::And => {
                if a.is_true() {
                    b
                } else {
                    a
                }
            }
            Self::Or => {
                if a.is_true() {
                    a
                } else {
                    b
                }
            }
            Self::BitAnd | Self::BitOr | Self::BitXor | Self::ShiftLeft | Self::ShiftRight => {
                return self.bits(a, b);
            }
        })
    }

    fn bits(self, a: Num, b: Num) -> Result<Num, EvalError> {
        let (Num::Int(a), Num::Int(b)) = (a, b) else {
            return Err(EvalError::Type(format!("`{}` needs whole numbers", self.symbol())));
        };
        Ok(match self {
            Self::BitAnd => Num::Int(a & b),
            Self::BitOr => Num::Int(a | b),
            Self::BitXor => Num::Int(a ^ b),
            _ if b < 0 => return Err(EvalError::Domain(self.symbol())),
            Self::ShiftLeft => Num::Int(a).multiply(Num::Int(2).power(Num::Int(b))?),
            _ => Num::Int(a >> b.min(63)),
        })
    }
}

impl Comparison {
    /// Whether the comparison holds for operands in this order; `None` means that one is NaN.
    #[inline]
    pub(crate) fn accepts(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal | Self::In => order == Some(Ordering::Equal),
            Self::Unequal | Self::NotIn => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => order == Some(Ordering::Greater),
            Self::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }

    #[inline]
    pub(super) fn holds(self, a: Num, b: Num) -> bool {
        self.accepts(a.compare(b))
    }
}
