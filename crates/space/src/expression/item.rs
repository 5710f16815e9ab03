//! Intermediate values of an expression: a scalar, a list or `None`.

use std::{cmp::Ordering, rc::Rc};

use super::{EvalError, Num, fuel::Fuel};
use crate::Value;

#[derive(Clone, Debug)]
pub(crate) enum Item {
    None,
    Value(Value),
    List(Rc<[Item]>),
}

impl From<Num> for Item {
    fn from(number: Num) -> Self {
        Self::Value(match number {
            Num::Int(i) => Value::Int(i),
            Num::Float(f) => Value::Float(f),
        })
    }
}

impl From<bool> for Item {
    fn from(b: bool) -> Self {
        Self::Value(Value::Bool(b))
    }
}

impl Item {
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::None => false,
            Self::Value(value) => value.is_true(),
            Self::List(items) => !items.is_empty(),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Value(Value::Text(_)) => "a text",
            Self::Value(_) => "a number",
            Self::List(_) => "a list",
        }
    }

    /// The item as the number that the operation `what` needs.
    pub(super) fn number(&self, what: &str) -> Result<Num, EvalError> {
        match self {
            Self::Value(value) => value.number(),
            _ => None,
        }
        .ok_or_else(|| EvalError::Type(format!("`{what}` needs a number and got {}", self.kind())))
    }

    /// The elements of a list, or the characters of a text.
    pub(super) fn elements(&self, what: &str) -> Result<Rc<[Item]>, EvalError> {
        match self {
            Self::List(items) => Ok(Rc::clone(items)),
            Self::Value(Value::Text(text)) => {
                let mut buffer = [0; 4];
                Ok(text
                    .chars()
                    .map(|c| Self::Value(Value::from(&*c.encode_utf8(&mut buffer))))
                    .collect())
            }
            _ => Err(EvalError::Type(format!("`{what}` needs a list and got {}", self.kind()))),
        }
    }

    pub(super) fn scalar(self) -> Result<Value, EvalError> {
        match self {
            Self::Value(value) => Ok(value),
            Self::None => Err(EvalError::NotScalar("None")),
            Self::List(_) => Err(EvalError::NotScalar("a list")),
        }
    }

    pub(super) fn equals(&self, other: &Self, fuel: &mut Fuel) -> Result<bool, EvalError> {
        fuel.burn(1)?;
        Ok(match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Value(a), Self::Value(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (a, b) in a.iter().zip(b.iter()) {
                    if !a.equals(b, fuel)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => false,
        })
    }

    /// Order of two items; NaN is greater than everything.
    pub(super) fn compare(&self, other: &Self, fuel: &mut Fuel) -> Result<Ordering, EvalError> {
        fuel.burn(1)?;
        match (self, other) {
            (Self::Value(a), Self::Value(b)) => {
                if let Some(order) = a.partial_cmp(b) {
                    return Ok(order);
                }
                if let (Some(_), Some(_)) = (a.number(), b.number()) {
                    return Ok(Ordering::Greater);
                }
            }
            (Self::List(a), Self::List(b)) => {
                for (a, b) in a.iter().zip(b.iter()) {
                    let order = a.compare(b, fuel)?;
                    if order.is_ne() {
                        return Ok(order);
                    }
                }
                return Ok(a.len().cmp(&b.len()));
            }
            _ => {}
        }
        Err(EvalError::Type(format!("{} and {} have no order", self.kind(), other.kind())))
    }
}
