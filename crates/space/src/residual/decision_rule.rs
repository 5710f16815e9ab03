//! Decides restrictions early that still wait for parameters.

use std::rc::Rc;

use super::{
    interval::{Interval, Ranges},
    term::{Operation, Term},
    unbound_values::{Join, UnboundValues},
};
use crate::expression::{Binary, Comparison};

pub(super) enum Verdict {
    /// No continuation satisfies the restriction.
    Never,
    /// Every continuation satisfies the restriction.
    Always,
    /// Some continuations satisfy it. States with the same number have the same continuations.
    Class(u64),
    /// The outcome depends on all state elements that the restriction reads.
    Undecided,
}

pub(super) enum DecisionRule {
    /// A known part and an unbound part are joined and compared with a number. Only which of the
    /// unbound part's values pass matters.
    Threshold {
        known: usize,
        join: Join,
        unbound_values: Rc<[f64]>,
        comparison: Comparison,
        bound: f64,
    },
    /// Interval arithmetic may decide it early.
    Bounds(Term),
    /// Only the values of the restriction's parts decide.
    Parts,
}

impl DecisionRule {
    /// The rule for a residual. `known` holds the ranges of the state's elements.
    pub(super) fn of(
        residual: &Term,
        known: &[Interval],
        variables: &[Option<Interval>],
        values: &[Vec<f64>],
        unbound_values: &mut UnboundValues,
    ) -> Self {
        if let Some(rule) = Self::threshold(residual, known, values, unbound_values) {
            return rule;
        }
        let ranges = Ranges { variables, known: &|k| known[k] };
        if boundable(residual) && residual.interval(&ranges).is_some() {
            return Self::Bounds(residual.clone());
        }
        Self::Parts
    }

    fn threshold(
        residual: &Term,
        known: &[Interval],
        values: &[Vec<f64>],
        unbound_values: &mut UnboundValues,
    ) -> Option<Self> {
        let Term::Other(Operation::Compare(comparison), sides) = residual else { return None };
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
        let possible = unbound_values.of(&open, join, values)?;
        // A product grows with its unbound part only if nothing is negative.
        let grows = join == Join::Sum || (known[*part].low >= 0.0 && possible[0] >= 0.0);
        grows.then_some(Self::Threshold {
            known: *part,
            join,
            unbound_values: possible,
            comparison: *comparison,
            bound: *bound,
        })
    }

    /// Decides the restriction for a state. `variables` holds the ranges of the parameters.
    pub(super) fn verdict(&self, state: &[f64], variables: &[Option<Interval>]) -> Verdict {
        match self {
            Self::Parts => Verdict::Undecided,
            Self::Bounds(residual) => {
                let exactly = |k: usize| Interval::point(state[k]);
                let ranges = Ranges { variables, known: &exactly };
                match residual.interval(&ranges).and_then(Interval::verdict) {
                    Some(true) => Verdict::Always,
                    Some(false) => Verdict::Never,
                    None => Verdict::Undecided,
                }
            }
            Self::Threshold { known, join, unbound_values, comparison, bound } => {
                let part = state[*known];
                let below = || unbound_values.partition_point(|r| join.of(part, *r) < *bound);
                let up_to = || unbound_values.partition_point(|r| join.of(part, *r) <= *bound);
                let all = unbound_values.len();
                // The unbound values `from..to` pass.
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

/// Whether interval arithmetic may decide a term: the term orders numbers, or one part may suffice.
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
