//! Functions that an expression may call, with their argument counts.

use std::rc::Rc;

use super::{
    EvalError, Item, Num,
    fuel::{Fuel, MAX_LENGTH},
};
use crate::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Bool,
    Ceil,
    Exp,
    Float,
    Floor,
    Int,
    Len,
    List,
    Log,
    Log10,
    Log2,
    Max,
    Min,
    Pow,
    Range,
    Round,
    Sqrt,
    Sum,
}

/// Name, function, minimum and maximum number of arguments; alphabetical.
const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("abs", Function::Abs, 1, 1),
    ("bool", Function::Bool, 1, 1),
    ("ceil", Function::Ceil, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("float", Function::Float, 1, 1),
    ("floor", Function::Floor, 1, 1),
    ("int", Function::Int, 1, 1),
    ("len", Function::Len, 1, 1),
    ("list", Function::List, 1, 1),
    ("log", Function::Log, 1, 2),
    ("log10", Function::Log10, 1, 1),
    ("log2", Function::Log2, 1, 1),
    ("max", Function::Max, 1, 64),
    ("min", Function::Min, 1, 64),
    ("pow", Function::Pow, 2, 2),
    ("range", Function::Range, 1, 3),
    ("round", Function::Round, 1, 2),
    ("sqrt", Function::Sqrt, 1, 1),
    ("sum", Function::Sum, 1, 1),
];

impl Function {
    pub(super) fn named(name: &str) -> Option<(Self, usize, usize)> {
        FUNCTIONS.iter().find(|f| f.0 == name).map(|f| (f.1, f.2, f.3))
    }

    pub(super) fn known() -> String {
        FUNCTIONS.iter().map(|f| f.0).collect::<Vec<_>>().join(", ")
    }

    fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|f| f.1 == self).map_or("function", |f| f.0)
    }

    /// Applies a function of one number; `None` if the function takes more arguments, or lists.
    pub(crate) fn of_one(self, x: Num) -> Option<Result<Num, EvalError>> {
        let positive = |f: fn(f64) -> f64| {
            let x = x.as_f64();
            if x > 0.0 { Ok(Num::Float(f(x))) } else { Err(EvalError::Domain(self.name())) }
        };
        Some(match self {
            Self::Abs => Ok(x.magnitude()),
            Self::Ceil => x.to_whole("ceil", f64::ceil),
            Self::Floor => x.to_whole("floor", f64::floor),
            Self::Int => x.to_whole("int", f64::trunc),
            Self::Round => x.to_whole("round", f64::round_ties_even),
            Self::Float => Ok(Num::Float(x.as_f64())),
            Self::Exp => Ok(Num::Float(x.as_f64().exp())),
            Self::Log => positive(f64::ln),
            Self::Log2 => positive(f64::log2),
            Self::Log10 => positive(f64::log10),
            Self::Sqrt if x.as_f64() >= 0.0 => Ok(Num::Float(x.as_f64().sqrt())),
            Self::Sqrt => Err(EvalError::Domain("sqrt")),
            _ => return None,
        })
    }

    pub(super) fn call(self, arguments: &[Item], fuel: &mut Fuel) -> Result<Item, EvalError> {
        match (self, arguments) {
            (Self::Bool, [x]) => Ok(Item::Value(Value::Bool(x.is_true()))),
            (Self::Len, [x]) => length(x),
            (Self::List, [x]) => x.elements("list").map(Item::List),
            (Self::Range, _) => range(arguments, fuel),
            (Self::Sum, [x]) => sum(x, fuel),
            (Self::Min | Self::Max, [list]) => extreme(self, &list.elements(self.name())?, fuel),
            (Self::Min | Self::Max, _) => extreme(self, arguments, fuel),
            (Self::Pow, [a, b]) => Ok(a.number("pow")?.power(b.number("pow")?)?.into()),
            (Self::Log, [x, base]) => logarithm(x.number("log")?, base.number("log")?),
            (Self::Round, [x, digits]) => round(x.number("round")?, digits.number("round")?),
            (Self::Int | Self::Float, [Item::Value(Value::Text(text))]) => self.read(text),
            (_, [x]) => match self.of_one(x.number(self.name())?) {
                Some(result) => result.map(Item::from),
                None => Err(EvalError::Type(format!("`{}` does not take this", self.name()))),
            },
            _ => Err(EvalError::Type(format!("`{}` does not take these", self.name()))),
        }
    }

    fn read(self, text: &str) -> Result<Item, EvalError> {
        let text = text.trim();
        let number = if self == Self::Int {
            text.parse().ok().map(Num::Int)
        } else {
            text.parse().ok().map(Num::Float)
        };
        number.map(Item::from).ok_or_else(|| {
            EvalError::Type(format!("`{text}` is not a number for `{}`", self.name()))
        })
    }
}

fn length(x: &Item) -> Result<Item, EvalError> {
    let length = match x {
        Item::List(items) => items.len(),
        Item::Value(Value::Text(text)) => text.chars().count(),
        _ => return Err(EvalError::Type("`len` needs a list or a text".into())),
    };
    Ok(Num::Int(length as i64).into())
}

fn sum(x: &Item, fuel: &mut Fuel) -> Result<Item, EvalError> {
    let mut total = Num::Int(0);
    for item in x.elements("sum")?.iter() {
        fuel.burn(1)?;
        total = total.add(item.number("sum")?);
    }
    Ok(total.into())
}

fn extreme(which: Function, items: &[Item], fuel: &mut Fuel) -> Result<Item, EvalError> {
    let mut best = items
        .first()
        .ok_or_else(|| EvalError::Type(format!("`{}` of an empty list", which.name())))?;
    for item in &items[1..] {
        let order = item.compare(best, fuel)?;
        if (which == Function::Max && order.is_gt()) || (which == Function::Min && order.is_lt()) {
            best = item;
        }
    }
    Ok(best.clone())
}

fn range(arguments: &[Item], fuel: &mut Fuel) -> Result<Item, EvalError> {
    let mut bounds = Vec::with_capacity(3);
    for argument in arguments {
        match argument.number("range")? {
            Num::Int(i) => bounds.push(i128::from(i)),
            Num::Float(_) => return Err(EvalError::Type("`range` needs whole numbers".into())),
        }
    }
    let (start, end, step) = match bounds[..] {
        [end] => (0, end, 1),
        [start, end] => (start, end, 1),
        [start, end, step] => (start, end, step),
        _ => return Err(EvalError::Type("`range` takes one to three numbers".into())),
    };
    if step == 0 {
        return Err(EvalError::Type("`range` needs a step other than 0".into()));
    }
    let span = if step > 0 { end - start } else { start - end };
    let count = if span <= 0 { 0 } else { (span + step.abs() - 1) / step.abs() };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > MAX_LENGTH {
        return Err(EvalError::TooLong(MAX_LENGTH));
    }
    fuel.burn(count)?;
    // Every element lies between two 64-bit bounds: the cast is exact.
    let items = (0..count).map(|k| Item::from(Num::Int((start + step * k as i128) as i64)));
    Ok(Item::List(items.collect::<Rc<[Item]>>()))
}

fn logarithm(x: Num, base: Num) -> Result<Item, EvalError> {
    let (x, base) = (x.as_f64(), base.as_f64());
    if x <= 0.0 || base <= 0.0 || x.is_nan() || base.is_nan() {
        return Err(EvalError::Domain("log"));
    }
    Ok(Num::Float(x.ln()).divide(Num::Float(base.ln()))?.into())
}

fn round(x: Num, digits: Num) -> Result<Item, EvalError> {
    let Num::Int(digits) = digits else {
        return Err(EvalError::Type("`round` needs a whole number of digits".into()));
    };
    let rounded = match x {
        Num::Int(_) if digits >= 0 => x,
        Num::Int(i) => {
            let unit = u32::try_from(-digits).ok().and_then(|d| 10_i128.checked_pow(d));
            let Some(unit) = unit else { return Ok(Num::Int(0).into()) };
            let i = i128::from(i);
            let (down, rest) = (i.div_euclid(unit), i.rem_euclid(unit) * 2);
            let up = rest > unit || (rest == unit && down % 2 != 0);
            let whole = (down + i128::from(up)) * unit;
            i64::try_from(whole).map_or(Num::Float(whole as f64), Num::Int)
        }
        Num::Float(f) if !f.is_finite() || digits > 340 => x,
        // Printing rounds the exact value, ties to even, as Python does.
        Num::Float(f) if digits >= 0 => {
            Num::Float(format!("{f:.*}", digits as usize).parse().unwrap_or(f))
        }
        Num::Float(f) => {
            let unit = 10_f64.powf(-(digits as f64));
            Num::Float(if unit.is_finite() { (f / unit).round_ties_even() * unit } else { 0.0 })
        }
    };
    Ok(rounded.into())
}
