//! Normal form of restrictions: `32 <= a*b and c % d == 0` is two restrictions; `X >= a + b` and
//! `a + b - X <= 0` are one. Operands are reordered only where whole numbers stay exact, so that
//! rounding cannot matter.

use super::{
    interval::{EXACT, Interval, Ranges},
    term::{Operation, Term},
};
use crate::expression::{Binary, Comparison, Unary};

/// Restrictions in normal form that together equal `term`; `None` if a part may fail.
pub(crate) fn conjuncts(term: Term, variables: &[Option<Interval>]) -> Option<Vec<Term>> {
    let ranges = Ranges::unbound(variables);
    term.interval(&ranges)?;
    let mut found = Vec::new();
    split(term, &ranges, &mut found);
    Some(found)
}

fn split(term: Term, ranges: &Ranges<'_>, found: &mut Vec<Term>) {
    match term {
        Term::Other(Operation::Binary(Binary::And), both) => {
            both.into_iter().for_each(|term| split(term, ranges, found));
        }
        Term::Other(Operation::Unary(Unary::Not), mut inner) => match inner.pop() {
            Some(Term::Other(Operation::Binary(Binary::Or), both)) => {
                both.into_iter().for_each(|term| split(not(term), ranges, found));
            }
            Some(Term::Other(Operation::Unary(Unary::Not), mut twice)) => {
                twice.drain(..).for_each(|term| split(term, ranges, found));
            }
            Some(Term::Other(Operation::Compare(comparison), both)) => {
                let opposite = Operation::Compare(opposite(comparison));
                found.push(normal(Term::Other(opposite, both), ranges));
            }
            inner => found.extend(inner.map(|term| normal(not(term), ranges))),
        },
        term => found.push(normal(term, ranges)),
    }
}

fn not(term: Term) -> Term {
    Term::Other(Operation::Unary(Unary::Not), vec![term])
}

/// The negation of a comparison. Valid because no operand is NaN.
fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::GreaterEqual,
        Comparison::LessEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessEqual,
        Comparison::GreaterEqual => Comparison::Less,
        Comparison::Equal => Comparison::Unequal,
        Comparison::Unequal => Comparison::Equal,
        Comparison::In => Comparison::NotIn,
        Comparison::NotIn => Comparison::In,
    }
}

/// The comparison after a change of sign on both sides.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
        other => other,
    }
}

/// The term with flat sums and products and one-sided comparisons.
fn normal(term: Term, ranges: &Ranges<'_>) -> Term {
    let Term::Other(operation, operands) = term else { return term };
    let mut operands: Vec<Term> = operands.into_iter().map(|t| normal(t, ranges)).collect();
    match operation {
        Operation::Binary(Binary::Add) => {
            flat_sum(operands, ranges).unwrap_or_else(|operands| Term::Other(operation, operands))
        }
        Operation::Binary(Binary::Subtract) => {
            let right = operands.pop().map(negated);
            operands.extend(right);
            flat_sum(operands, ranges).unwrap_or_else(|mut operands| {
                let right = operands.pop().map(negated);
                operands.extend(right);
                Term::Other(operation, operands)
            })
        }
        Operation::Binary(Binary::Multiply) => flat_product(operands, ranges)
            .unwrap_or_else(|operands| Term::Other(operation, operands)),
        Operation::Unary(Unary::Negate) => {
            operands.pop().map_or(Term::Other(operation, Vec::new()), negated)
        }
        Operation::Compare(comparison)
            if !matches!(comparison, Comparison::In | Comparison::NotIn) =>
        {
            one_sided(comparison, operands, ranges)
        }
        _ => Term::Other(operation, operands),
    }
}

/// Minus the term; removes a minus that is already there.
fn negated(term: Term) -> Term {
    match term {
        Term::Number(x) => Term::Number(-x),
        Term::Product(mut factors) => {
            match factors.iter().position(|f| matches!(f, Term::Number(_))) {
                Some(at) => {
                    let factor = factors.remove(at);
                    factors.insert(0, negated(factor));
                    if factors[0] == Term::Number(1.0) {
                        factors.remove(0);
                    }
                }
                None => factors.insert(0, Term::Number(-1.0)),
            }
            if factors.len() == 1 { factors.remove(0) } else { Term::Product(factors) }
        }
        Term::Sum(terms) => Term::Sum(terms.into_iter().map(negated).collect()),
        term => Term::Product(vec![Term::Number(-1.0), term]),
    }
}

/// One flat sum of the operands, with numbers added up. Returns the operands as `Err` where their
/// order may matter.
fn flat_sum(operands: Vec<Term>, ranges: &Ranges<'_>) -> Result<Term, Vec<Term>> {
    let magnitude = |terms: &[Term]| -> Option<f64> {
        let mut total = 0.0;
        for term in terms {
            let range = term.interval(ranges).filter(|r| r.whole)?;
            total += range.magnitude();
        }
        Some(total)
    };
    let inner = |t: &Term| if let Term::Sum(terms) = t { magnitude(terms) } else { Some(0.0) };
    let reach: Option<f64> = operands.iter().map(inner).sum();
    if magnitude(&operands).zip(reach).is_none_or(|(a, b)| a + b > EXACT) {
        return Err(operands);
    }
    let (mut terms, mut number) = (Vec::new(), 0.0);
    for operand in operands {
        let parts = if let Term::Sum(parts) = operand { parts } else { vec![operand] };
        for part in parts {
            match part {
                Term::Number(x) => number += x,
                part => terms.push(part),
            }
        }
    }
    if number != 0.0 || terms.is_empty() {
        terms.push(Term::Number(number));
    }
    Ok(if terms.len() == 1 { terms.remove(0) } else { Term::Sum(terms) })
}

/// One flat product of the operands, with numbers multiplied. Returns the operands as `Err` where
/// their order may matter.
fn flat_product(operands: Vec<Term>, ranges: &Ranges<'_>) -> Result<Term, Vec<Term>> {
    let flat = |operand: &Term| -> Vec<Term> {
        if let Term::Product(factors) = operand { factors.clone() } else { vec![operand.clone()] }
    };
    let factors: Vec<Term> = operands.iter().flat_map(flat).collect();
    let mut reach = 1.0;
    for factor in &factors {
        match factor.interval(ranges).filter(|r| r.whole) {
            Some(range) => reach *= range.magnitude().max(1.0),
            None => return Err(operands),
        }
    }
    if reach > EXACT {
        return Err(operands);
    }
    let (numbers, mut rest): (Vec<Term>, Vec<Term>) =
        factors.into_iter().partition(|f| matches!(f, Term::Number(_)));
    let number: f64 =
        numbers.iter().map(|f| if let Term::Number(x) = f { *x } else { 1.0 }).product();
    if number == 0.0 || rest.is_empty() {
        return Ok(Term::Number(number));
    }
    if number.total_cmp(&1.0).is_ne() {
        rest.insert(0, Term::Number(number));
    }
    Ok(if rest.len() == 1 { rest.remove(0) } else { Term::Product(rest) })
}

/// `terms ⋛ number`: all variable terms on the left, the number on the right.
fn one_sided(comparison: Comparison, operands: Vec<Term>, ranges: &Ranges<'_>) -> Term {
    let as_written = |operands| Term::Other(Operation::Compare(comparison), operands);
    let [left, right] = &operands[..] else { return as_written(operands) };
    let Ok(difference) = flat_sum(vec![left.clone(), negated(right.clone())], ranges) else {
        return as_written(operands);
    };
    let mut terms = if let Term::Sum(terms) = difference { terms } else { vec![difference] };
    let number = match terms.iter().position(|t| matches!(t, Term::Number(_))) {
        Some(at) => terms.remove(at),
        None => Term::Number(0.0),
    };
    let minus =
        |t: &Term| matches!(t, Term::Product(f) if matches!(f[0], Term::Number(x) if x < 0.0));
    let (comparison, terms, number) = if terms.iter().all(minus) && !terms.is_empty() {
        let terms: Vec<Term> = terms.into_iter().map(negated).collect();
        (mirrored(comparison), terms, number)
    } else {
        (comparison, terms, negated(number))
    };
    let mut terms = terms;
    let left = match terms.len() {
        0 => Term::Number(0.0),
        1 => terms.remove(0),
        _ => Term::Sum(terms),
    };
    Term::Other(Operation::Compare(comparison), vec![left, number])
}
