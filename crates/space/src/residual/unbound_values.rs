//! Possible values of the unbound part of a sum or a product.

use std::{collections::HashMap, rc::Rc};

use super::term::{EvaluationPoint, Term};

/// Limit of distinct values; with more values the rule would not pay off.
const MAX_UNBOUND_VALUES: usize = 1 << 17;

/// Limit of combinations of values for one operand.
const MAX_COMBINATIONS: usize = 1 << 12;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Join {
    Sum,
    Product,
}

impl Join {
    pub(super) fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sum => a + b,
            Self::Product => a * b,
        }
    }
}

/// Possible values of a restriction's last operands, by the number of operands.
#[derive(Default)]
pub(super) struct UnboundValues(HashMap<usize, Option<Rc<[f64]>>>);

impl UnboundValues {
    /// All possible values of the unbound operands `open`, ascending; `None` if there are too many.
    /// Operands that share a parameter count as independent, which only adds values.
    ///
    /// Later calls pass fewer operands of the same restriction, as parameters are bound.
    pub(super) fn of(
        &mut self,
        open: &[&Term],
        join: Join,
        values: &[Vec<f64>],
    ) -> Option<Rc<[f64]>> {
        if !self.0.contains_key(&open.len()) {
            self.fill(open, join, values);
        }
        self.0.get(&open.len()).cloned().flatten()
    }

    /// Fills the table from the operand that is bound last, adding one operand at each step.
    fn fill(&mut self, open: &[&Term], join: Join, values: &[Vec<f64>]) {
        let mut terms = open.to_vec();
        terms.sort_by_key(|t| t.variables().last().copied());
        let start = if join == Join::Sum { 0.0 } else { 1.0 };
        let mut unbound_values: Option<Rc<[f64]>> = Some([start].into());
        for (count, term) in terms.iter().rev().enumerate() {
            unbound_values = unbound_values.and_then(|unbound_values| {
                let own = possible(term, values)?;
                let more = unbound_values.iter().flat_map(|r| own.iter().map(|x| join.of(*r, *x)));
                if unbound_values.len() * own.len() > MAX_UNBOUND_VALUES * 16 {
                    return None;
                }
                let more = distinct(more.collect());
                (more.len() <= MAX_UNBOUND_VALUES).then(|| more.into())
            });
            self.0.insert(count + 1, unbound_values.clone());
        }
    }
}

/// Values of an operand over all values of its parameters.
fn possible(term: &Term, values: &[Vec<f64>]) -> Option<Vec<f64>> {
    let variables = term.variables();
    let combinations = variables
        .iter()
        .try_fold(1_usize, |n, v| n.checked_mul(values[*v].len()))
        .filter(|n| *n <= MAX_COMBINATIONS)?;
    if let [only] = variables[..] {
        let at = |x: &f64| term.value(EvaluationPoint { known: &[], value: *x, place: 0 });
        return Some(distinct(values[only].iter().map(at).collect()));
    }
    // The state has an element for each parameter, but only the operand's parameters are set.
    let over_state = renamed(term);
    let mut state = vec![0.0; values.len()];
    let mut found = Vec::with_capacity(combinations);
    for mut number in 0..combinations {
        for v in &variables {
            state[*v] = values[*v][number % values[*v].len()];
            number /= values[*v].len();
        }
        found.push(over_state.value(EvaluationPoint { known: &state, value: 0.0, place: 0 }));
    }
    Some(distinct(found))
}

/// The term with parameter `v` replaced by state element `v`.
fn renamed(term: &Term) -> Term {
    let all = |terms: &[Term]| terms.iter().map(renamed).collect();
    match term {
        Term::Variable(v) => Term::Known(*v),
        Term::Sum(terms) => Term::Sum(all(terms)),
        Term::Product(terms) => Term::Product(all(terms)),
        Term::Other(operation, terms) => Term::Other(*operation, all(terms)),
        other => other.clone(),
    }
}

fn distinct(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.dedup_by(|a, b| a.total_cmp(b).is_eq());
    numbers
}
