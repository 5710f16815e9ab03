//! Early decision of restrictions that still wait for parameters.

use std::rc::Rc;

use super::{
    interval::{Interval, Ranges},
    rests::{Join, Rests},
    term::{Operation, Term},
};
use crate::space::expression::{Binary, Comparison};

pub(super) enum Verdict {
    /// No continuation satisfies it.
    Never,
    /// Every continuation satisfies it.
    Always,
    /// It depends; states with the same number have the same continuations.
    Class(u64),
    /// It depends on all elements of the state that it reads.
    Open,
}

pub(super) enum DecisionRule {
    /// A known part and the unbound rest are compared with a number: how many rests pass, matters.
    Threshold { known: usize, join: Join, rests: Rc<[f64]>, comparison: Comparison, bound: f64 },
    /// Interval arithmetic may decide it early.
    Bounds(Term),
    /// Nothing but the values of its parts decides.
    Parts,
}

impl DecisionRule {
    /// The rule for a rest; `known` are the ranges of the state's elements.
    pub(super) fn of(
        rest: &Term,
        known: &[Interval],
        variables: &[Option<Interval>],
        values: &[Vec<f64>],
        rests: &mut Rests,
    ) -> Self {
        if let Some(rule) = Self::threshold(rest, known, values, rests) {
            return rule;
        }
        let ranges = Ranges { variables, known: &|k| known[k] };
        if boundable(rest) && rest.interval(&ranges).is_some() {
            return Self::Bounds(rest.clone());
        }
        Self::Parts
    }

    fn threshold(
        rest: &Term,
        known: &[Interval],
        values: &[Vec<f64>],
        rests: &mut Rests,
    ) -> Option<Self> {
        let Term::Other(Operation::Compare(comparison), sides) = rest else { return None };
        let [left, Term::Number(bound)] = &sides[..] else { return None };
        let (join, operands) = match left {
            Term::Sum(operands) => (Join::Sum, operands),
            Term::Product(operands) => (Join::Product, operands),
            _ => return None,
        };
        if matches!(comparison, Comparison::In | Comparison::NotIn) {
            return None;
        }
        let (done, open): (Vec<&Term>, Vec<&Term>) =
            operands.iter().partition(|t| matches!(t, Term::Known(_)));
        let [Term::Known(part)] = done[..] else { return None };
        if open.iter().any(|t| !t.knowns().is_empty()) {
            return None;
        }
        let possible = rests.of(&open, join, values)?;
        // A product grows with its rest only where nothing is negative.
        let grows = join == Join::Sum || (known[*part].low >= 0.0 && possible[0] >= 0.0);
        grows.then_some(Self::Threshold {
            known: *part,
            join,
            rests: possible,
            comparison: *comparison,
            bound: *bound,
        })
    }

    /// Decides for a state; `variables` are the ranges of the parameters.
    pub(super) fn verdict(&self, state: &[f64], variables: &[Option<Interval>]) -> Verdict {
        match self {
            Self::Parts => Verdict::Open,
            Self::Bounds(rest) => {
                let exactly = |k: usize| Interval::point(state[k]);
                let ranges = Ranges { variables, known: &exactly };
                match rest.interval(&ranges).and_then(Interval::verdict) {
                    Some(true) => Verdict::Always,
                    Some(false) => Verdict::Never,
                    None => Verdict::Open,
                }
            }
            Self::Threshold { known, join, rests, comparison, bound } => {
                let part = state[*known];
                let below = || rests.partition_point(|r| join.of(part, *r) < *bound);
                let up_to = || rests.partition_point(|r| join.of(part, *r) <= *bound);
                let all = rests.len();
                // The rests from `from` to `to` pass.
                let (from, to) = match comparison {
                    Comparison::Less => (0, below()),
                    Comparison::LessEqual => (0, up_to()),
                    Comparison::Greater => (up_to(), all),
                    Comparison::GreaterEqual => (below(), all),
                    _ => (below(), up_to()),
                };
                let (none, every) = (from == to, (from, to) == (0, all));
                let unequal = *comparison == Comparison::Unequal;
                match (none, every) {
                    (true, _) if unequal => Verdict::Always,
                    (_, true) if unequal => Verdict::Never,
                    (true, _) => Verdict::Never,
                    (_, true) => Verdict::Always,
                    _ => Verdict::Class(((from as u64) << 32) | to as u64),
                }
            }
        }
    }
}

/// Whether interval arithmetic may decide a term: it orders numbers, or one part may be enough.
fn boundable(term: &Term) -> bool {
    let mut found = false;
    term.walk(&mut |part| {
        found |= matches!(
            part,
            Term::Other(
                Operation::Compare(
                    Comparison::Less
                        | Comparison::LessEqual
                        | Comparison::Greater
                        | Comparison::GreaterEqual
                ) | Operation::Binary(Binary::And | Binary::Or)
                    | Operation::Choose,
                _
            )
        );
    });
    found
}
