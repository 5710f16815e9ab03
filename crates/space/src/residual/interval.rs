//! The interval of a term's values, given the ranges of its names. A term has no interval if it may
//! fail (divide by zero, leave a function's domain), is over texts, or leaves the whole numbers
//! that floats hold exactly. Its restriction is then checked as a whole.

use super::term::{Operation, Term};
use crate::expression::{Binary, Comparison, Function, Num, Unary};

/// 2^53: up to here floats hold whole numbers, sums and products exactly, in any order.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// A range of numbers, inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether all values are whole numbers.
    pub(crate) whole: bool,
}

impl Interval {
    /// The range of some numbers; `None` for none.
    pub(crate) fn of(numbers: &[f64]) -> Option<Self> {
        let points = numbers.iter().map(|x| Self::point(*x));
        points.reduce(Self::union)?.bounded()
    }

    pub(super) fn point(x: f64) -> Self {
        Self { low: x, high: x, whole: x.fract() == 0.0 }
    }

    fn over(corners: &[f64], whole: bool) -> Option<Self> {
        let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // `min` and `max` ignore NaN.
        let hidden = corners.iter().any(|x| x.is_nan());
        (!hidden).then_some(Self { low, high, whole })?.bounded()
    }

    fn bounded(self) -> Option<Self> {
        (self.low >= -EXACT && self.high <= EXACT).then_some(self)
    }

    fn union(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            whole: self.whole && other.whole,
        }
    }

    /// Whether zero is outside the interval.
    fn is_true(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Whether the interval holds only zero.
    fn is_false(self) -> bool {
        self.low == 0.0 && self.high == 0.0
    }

    /// The truth value, if all values of the interval agree.
    pub(super) fn verdict(self) -> Option<bool> {
        if self.is_true() { Some(true) } else { self.is_false().then_some(false) }
    }

    fn truth(verdict: Option<bool>) -> Self {
        match verdict {
            Some(true) => Self::point(1.0),
            Some(false) => Self::point(0.0),
            None => Self { low: 0.0, high: 1.0, whole: true },
        }
    }

    pub(super) fn magnitude(self) -> f64 {
        self.high.max(-self.low)
    }
}

/// The ranges of all names in a term.
pub(crate) struct Ranges<'a> {
    /// `None` for a parameter of both texts and numbers, or of numbers that floats do not hold.
    pub(crate) variables: &'a [Option<Interval>],
    pub(crate) known: &'a dyn Fn(usize) -> Interval,
}

impl Ranges<'_> {
    pub(crate) fn unbound(variables: &[Option<Interval>]) -> Ranges<'_> {
        Ranges { variables, known: &|_| Interval { low: 0.0, high: 0.0, whole: true } }
    }
}

impl Term {
    /// The range of the term's values; `None` where it may fail or floats do not hold it exactly.
    pub(crate) fn interval(&self, ranges: &Ranges<'_>) -> Option<Interval> {
        match self {
            Self::Number(x) => Interval::of(&[*x]),
            Self::Variable(v) => ranges.variables.get(*v).copied().flatten(),
            Self::Place(_) => None,
            Self::Known(k) => Some((ranges.known)(*k)),
            Self::Sum(terms) => fold(terms, ranges, 0.0, Binary::Add),
            Self::Product(terms) => fold(terms, ranges, 1.0, Binary::Multiply),
            Self::Other(operation, terms) => operation.interval(terms, ranges),
        }
    }
}

fn fold(terms: &[Term], ranges: &Ranges<'_>, start: f64, operator: Binary) -> Option<Interval> {
    let mut range = Interval::point(start);
    for term in terms {
        range = binary(operator, range, term.interval(ranges)?)?;
    }
    Some(range)
}

impl Operation {
    fn interval(self, terms: &[Term], ranges: &Ranges<'_>) -> Option<Interval> {
        let range = |at: usize| terms[at].interval(ranges);
        match self {
            Self::Unary(Unary::Not) => {
                Some(Interval::truth(range(0)?.verdict().map(|holds| !holds)))
            }
            Self::Unary(Unary::Negate) => {
                let x = range(0)?;
                Some(Interval { low: -x.high, high: -x.low, whole: x.whole })
            }
            Self::Unary(Unary::Plus) => range(0),
            Self::Binary(operator) => binary(operator, range(0)?, range(1)?),
            Self::Compare(comparison @ (Comparison::In | Comparison::NotIn)) => {
                let x = range(0)?;
                let mut equal = Some(false);
                for term in &terms[1..] {
                    equal = match (equal, compare(Comparison::Equal, x, term.interval(ranges)?)) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (Some(false), Some(false)) => Some(false),
                        _ => None,
                    };
                }
                Some(Interval::truth(equal.map(|e| e == (comparison == Comparison::In))))
            }
            Self::Compare(comparison) => {
                Some(Interval::truth(compare(comparison, range(0)?, range(1)?)))
            }
            Self::Choose => {
                let (condition, then, otherwise) = (range(0)?, range(1)?, range(2)?);
                Some(match condition.verdict() {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None => then.union(otherwise),
                })
            }
            Self::Call(function) => call(function, terms, ranges),
            Self::Unary(Unary::Invert) | Self::Whole(_) => None,
        }
    }
}

fn binary(operator: Binary, a: Interval, b: Interval) -> Option<Interval> {
    let whole = a.whole && b.whole;
    let corners = |f: fn(f64, f64) -> f64| {
        [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)]
    };
    match operator {
        Binary::Add => Interval::over(&[a.low + b.low, a.high + b.high], whole),
        Binary::Subtract => Interval::over(&[a.low - b.high, a.high - b.low], whole),
        Binary::Multiply => Interval::over(&corners(|a, b| a * b), whole),
        Binary::Divide if b.is_true() => Interval::over(&corners(|a, b| a / b), false),
        Binary::FloorDivide if b.is_true() => {
            let quotients = corners(|a, b| a / b).map(f64::floor);
            // Python derives the quotient from the remainder, so the quotient may differ from the
            // floor by 1.
            let slack = if whole { 0.0 } else { 1.0 };
            let exact = Interval::over(&quotients, true)?;
            Interval { low: exact.low - slack, high: exact.high + slack, whole: true }.bounded()
        }
        Binary::Remainder if b.is_true() => {
            // The remainder has the divisor's sign and is smaller than the divisor.
            let rim = if whole { 1.0 } else { 0.0 };
            let (low, high) = if b.low > 0.0 { (0.0, b.high - rim) } else { (b.low + rim, 0.0) };
            Some(Interval { low, high, whole })
        }
        Binary::Power if whole && a.low >= 0.0 && b.low >= 0.0 => {
            // 0 to the power 0 is 1, so a base of zero gives no lower bound.
            let low = if a.low >= 1.0 { a.low.powf(b.low).floor() } else { 0.0 };
            let high = a.high.powf(b.high).max(1.0);
            Interval { low, high, whole: true }.bounded()
        }
        Binary::And => Some(match a.verdict() {
            Some(true) => b,
            Some(false) => a,
            None => a.union(b),
        }),
        Binary::Or => Some(match a.verdict() {
            Some(true) => a,
            Some(false) => b,
            None => a.union(b),
        }),
        _ => None,
    }
}

fn compare(comparison: Comparison, a: Interval, b: Interval) -> Option<bool> {
    let (below, above) = (a.high < b.low, a.low > b.high);
    let (at_most, at_least) = (a.high <= b.low, a.low >= b.high);
    let decided = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    match comparison {
        Comparison::Less => decided(below, at_least),
        Comparison::LessEqual => decided(at_most, above),
        Comparison::Greater => decided(above, at_most),
        Comparison::GreaterEqual => decided(at_least, below),
        Comparison::Equal => decided(at_most && at_least, below || above),
        Comparison::Unequal => decided(below || above, at_most && at_least),
        Comparison::In | Comparison::NotIn => None,
    }
}

fn call(function: Function, terms: &[Term], ranges: &Ranges<'_>) -> Option<Interval> {
    let first = terms.first()?.interval(ranges)?;
    match function {
        Function::Min | Function::Max if terms.len() > 1 => {
            let mut range = first;
            for term in &terms[1..] {
                let next = term.interval(ranges)?;
                let pick = if function == Function::Min { f64::min } else { f64::max };
                range = Interval {
                    low: pick(range.low, next.low),
                    high: pick(range.high, next.high),
                    whole: range.whole && next.whole,
                };
            }
            Some(range)
        }
        Function::Pow => binary(Binary::Power, first, terms.get(1)?.interval(ranges)?),
        Function::Abs => {
            let low = if first.low > 0.0 { first.low } else { (-first.high).max(0.0) };
            Some(Interval { low, high: first.magnitude(), whole: first.whole })
        }
        Function::Ceil | Function::Floor | Function::Int | Function::Round | Function::Float
            if terms.len() == 1 =>
        {
            ends(function, first, first.whole || function != Function::Float)
        }
        Function::Log2 | Function::Log10 | Function::Log if terms.len() == 1 && first.low > 0.0 => {
            ends(function, first, false)
        }
        Function::Sqrt if first.low >= 0.0 => ends(function, first, false),
        _ => None,
    }
}

/// The range of an increasing function over `x`.
fn ends(function: Function, x: Interval, whole: bool) -> Option<Interval> {
    let value = |x: f64| function.of_one(Num::Float(x))?.ok().map(Num::as_f64);
    Interval::over(&[value(x.low)?, value(x.high)?], whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameter, expression::Expression, residual::NumericScope};

    /// The range of an expression over `a` in 1, 2, 4 and `b` in -3, 0, 0.5.
    fn range(text: &str) -> Option<(f64, f64, bool)> {
        let lists = [Parameter::new("a", [1_i64, 2, 4]), Parameter::new("b", [-3.0, 0.0, 0.5])];
        let expression = Expression::compile(text, &["a", "b"]).expect("an expression");
        let mut scope = NumericScope::new(&lists, &[]);
        let term = scope.read(expression.tree())?;
        let found = term.interval(&Ranges::unbound(&scope.ranges()))?;
        Some((found.low, found.high, found.whole))
    }

    #[test]
    fn ranges_hold_every_value_of_a_term() {
        assert_eq!(range("a + b"), Some((-2.0, 4.5, false)));
        assert_eq!(range("a * a - 1"), Some((0.0, 15.0, true)));
        assert_eq!(range("b * -a"), Some((-2.0, 12.0, false)));
        assert_eq!(range("8 // a"), Some((2.0, 8.0, true)));
        assert_eq!(range("9 % a"), Some((0.0, 3.0, true)));
        assert_eq!(range("2 ** a"), Some((2.0, 16.0, true)));
        assert_eq!(range("max(a, 3)"), Some((3.0, 4.0, true)));
        assert_eq!(range("abs(b)"), Some((0.0, 3.0, false)));
        assert_eq!(range("a if b > 1 else 7"), Some((7.0, 7.0, true)));
    }

    #[test]
    fn conditions_are_decided_where_ranges_allow() {
        assert_eq!(range("a > 0 and b < 1"), Some((1.0, 1.0, true)));
        assert_eq!(range("a * b > 2 or a == 3"), Some((0.0, 1.0, true)));
        assert_eq!(range("not a in (5, 6)"), Some((1.0, 1.0, true)));
        assert_eq!(range("a == 9"), Some((0.0, 0.0, true)));
    }

    #[test]
    fn what_may_fail_or_leaves_exact_numbers_has_no_range() {
        for text in ["a / b", "a % b", "log(b)", "sqrt(b)", "b ** a", "a * 10**16", "a << 2", "~a"]
        {
            assert_eq!(range(text), None, "{text}");
        }
    }
}
