//! A restriction split into terms. Only restrictions whose every part stays within the whole
//! numbers that a float holds exactly (see `interval`) become terms. Floats then give Python's
//! results, and nothing can fail.

use crate::expression::{Binary, Comparison, Function, Num, Unary};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    Unary(Unary),
    Binary(Binary),
    /// The list elements of an `in` are further operands.
    Compare(Comparison),
    /// Condition, then, otherwise.
    Choose,
    Call(Function),
    /// The restriction with this number as written, over the indices of its parameters' values.
    Whole(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    Number(f64),
    /// Value of a parameter that is not bound yet.
    Variable(usize),
    /// Index of a parameter's value in its list.
    Place(usize),
    /// Element of the state.
    Known(usize),
    /// Operands in any order.
    Sum(Vec<Term>),
    /// Operands in any order.
    Product(Vec<Term>),
    Other(Operation, Vec<Term>),
}

/// Where a term is evaluated: a state, and the parameter that is being bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvaluationPoint<'a> {
    pub(crate) known: &'a [f64],
    pub(crate) value: f64,
    pub(crate) place: u32,
}

impl Term {
    /// The restriction as written, over the parameters it names.
    pub(crate) fn whole(restriction: usize, parameters: &[usize]) -> Self {
        let places = parameters.iter().map(|p| Self::Place(*p)).collect();
        Self::Other(Operation::Whole(restriction), places)
    }

    pub(crate) fn operands(&self) -> &[Self] {
        match self {
            Self::Sum(terms) | Self::Product(terms) | Self::Other(_, terms) => terms,
            _ => &[],
        }
    }

    pub(crate) fn walk(&self, see: &mut impl FnMut(&Self)) {
        see(self);
        self.operands().iter().for_each(|term| term.walk(see));
    }

    /// The unbound parameters in it, ascending.
    pub(crate) fn variables(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.walk(&mut |term| {
            if let Self::Variable(v) | Self::Place(v) = term {
                found.push(*v);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The elements of the state in it, ascending.
    pub(crate) fn knowns(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.walk(&mut |term| {
            if let Self::Known(k) = term {
                found.push(*k);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Value of the term, whose only unbound parameter is the one being bound.
    pub(crate) fn value(&self, at: EvaluationPoint<'_>) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Variable(_) => at.value,
            Self::Place(_) => f64::from(at.place),
            Self::Known(k) => at.known[*k],
            Self::Sum(terms) => terms.iter().map(|t| t.value(at)).sum(),
            Self::Product(terms) => terms.iter().map(|t| t.value(at)).product(),
            Self::Other(operation, terms) => operation.value(terms, at),
        }
    }
}

impl Operation {
    fn value(self, terms: &[Term], at: EvaluationPoint<'_>) -> f64 {
        let value = |index: usize| terms[index].value(at);
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Self::Unary(Unary::Not) => truth(value(0) == 0.0),
            Self::Unary(Unary::Negate) => -value(0),
            Self::Unary(_) => value(0),
            Self::Binary(Binary::And | Binary::Or) => {
                let left = value(0);
                let decided = (left != 0.0) == (self == Self::Binary(Binary::Or));
                if decided { left } else { value(1) }
            }
            Self::Binary(operator) => arithmetic(operator, value(0), value(1)),
            Self::Compare(comparison @ (Comparison::In | Comparison::NotIn)) => {
                let item = value(0);
                let equal = |t: &Term| Comparison::Equal.accepts(item.partial_cmp(&t.value(at)));
                let found = terms[1..].iter().any(equal);
                truth(found == (comparison == Comparison::In))
            }
            Self::Compare(comparison) => truth(comparison.accepts(value(0).partial_cmp(&value(1)))),
            Self::Choose => value(if value(0) == 0.0 { 2 } else { 1 }),
            Self::Call(Function::Min) => terms.iter().map(|t| t.value(at)).fold(f64::MAX, f64::min),
            Self::Call(Function::Max) => terms.iter().map(|t| t.value(at)).fold(f64::MIN, f64::max),
            Self::Call(Function::Pow) => arithmetic(Binary::Power, value(0), value(1)),
            Self::Call(function) => or_nan(function.of_one(number(value(0)))),
            // `RestrictionChecks::holds`, which has the values, checks whole restrictions.
            Self::Whole(_) => f64::NAN,
        }
    }
}

fn arithmetic(operator: Binary, a: f64, b: f64) -> f64 {
    match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        _ => or_nan(Some(operator.apply(number(a), number(b)))),
    }
}

/// Uses integers for whole numbers: exact and faster.
fn number(x: f64) -> Num {
    Num::Float(x).exact_int().map_or(Num::Float(x), Num::Int)
}

/// Never NaN in practice: `interval` refuses every term that may fail.
fn or_nan<E>(result: Option<Result<Num, E>>) -> f64 {
    result.and_then(Result::ok).map_or(f64::NAN, Num::as_f64)
}
