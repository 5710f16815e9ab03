//! Resolves names and reads expressions over them.

use std::{collections::HashMap, sync::Arc};

use super::{
    interval::Interval,
    term::{Operation, Term},
};
use crate::{
    Parameter, Value,
    expression::{Binary, Comparison, Tree},
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum NumberKind {
    Number,
    /// A number that stands for a text: only equality is meaningful.
    Text,
}

/// Parameters and constants of a space as numbers; equal texts have equal numbers.
pub(crate) struct NumericScope {
    /// Values of each parameter, then of each constant; empty for a list of both numbers and texts.
    values: Vec<Vec<f64>>,
    kinds: Vec<Option<NumberKind>>,
    parameters: usize,
    texts: HashMap<Arc<str>, f64>,
}

impl NumericScope {
    pub(crate) fn new(parameters: &[Parameter], constants: &[(String, Value)]) -> Self {
        let mut scope = Self {
            values: Vec::new(),
            kinds: Vec::new(),
            parameters: parameters.len(),
            texts: HashMap::new(),
        };
        let lists = parameters.iter().map(|p| &p.values[..]);
        for list in lists.chain(constants.iter().map(|(_, value)| std::slice::from_ref(value))) {
            scope.add(list);
        }
        scope
    }

    fn add(&mut self, list: &[Value]) {
        let texts = list.iter().filter(|v| v.as_text().is_some()).count();
        let number = |value: &Value| match value.as_text() {
            Some(text) => self.text(text),
            None => value.as_f64().unwrap_or(f64::NAN),
        };
        let values = list.iter().map(number).collect();
        self.values.push(values);
        self.kinds.push(match texts {
            0 => Some(NumberKind::Number),
            all if all == list.len() => Some(NumberKind::Text),
            _ => None,
        });
    }

    fn text(&mut self, text: &str) -> f64 {
        let next = self.texts.len() as f64;
        *self.texts.entry(text.into()).or_insert(next)
    }

    pub(crate) fn values(&self) -> &[Vec<f64>] {
        &self.values[..self.parameters]
    }

    /// Ranges of the parameters whose values floats hold exactly.
    pub(crate) fn ranges(&self) -> Vec<Option<Interval>> {
        let range = |(kind, values): (&Option<NumberKind>, &Vec<f64>)| {
            kind.and_then(|_| Interval::of(values))
        };
        self.kinds.iter().zip(&self.values).take(self.parameters).map(range).collect()
    }

    /// Reads a condition; `None` if it uses more than numbers and the equality of texts.
    pub(crate) fn read(&mut self, tree: &Tree) -> Option<Term> {
        self.of(tree, NumberKind::Number)
    }

    fn of(&mut self, tree: &Tree, wanted: NumberKind) -> Option<Term> {
        let (term, kind) = self.part(tree)?;
        (kind == wanted).then_some(term)
    }

    fn all(&mut self, trees: &[Tree], wanted: NumberKind) -> Option<Vec<Term>> {
        trees.iter().map(|tree| self.of(tree, wanted)).collect()
    }

    fn part(&mut self, tree: &Tree) -> Option<(Term, NumberKind)> {
        let term = match tree {
            Tree::Bool(b) => Term::Number(f64::from(u8::from(*b))),
            Tree::Int(i) => Term::Number(*i as f64),
            Tree::Float(f) => Term::Number(*f),
            Tree::Text(text) => return Some((Term::Number(self.text(text)), NumberKind::Text)),
            Tree::Slot(slot) => {
                let term = if *slot < self.parameters {
                    Term::Variable(*slot)
                } else {
                    Term::Number(self.values.get(*slot)?[0])
                };
                return Some((term, self.kinds[*slot]?));
            }
            Tree::Unary(operator, inner) => {
                Term::Other(Operation::Unary(*operator), vec![self.of(inner, NumberKind::Number)?])
            }
            Tree::Binary(operator, pair) => {
                Term::Other(Operation::Binary(*operator), self.all(&pair[..], NumberKind::Number)?)
            }
            Tree::Choose(three) => {
                let condition = self.of(&three[0], NumberKind::Number)?;
                let (then, kind) = self.part(&three[1])?;
                let otherwise = self.of(&three[2], kind)?;
                let all = vec![condition, then, otherwise];
                return Some((Term::Other(Operation::Choose, all), kind));
            }
            Tree::Call(function, arguments) => {
                Term::Other(Operation::Call(*function), self.all(arguments, NumberKind::Number)?)
            }
            Tree::Compare(first, rest) => self.chain(first, rest)?,
            _ => return None,
        };
        Some((term, NumberKind::Number))
    }

    /// `a < b < c` as `a < b and b < c`.
    fn chain(&mut self, first: &Tree, rest: &[(Comparison, Tree)]) -> Option<Term> {
        let mut left = first;
        let mut links = Vec::new();
        for (comparison, right) in rest {
            let (term, kind) = self.part(left)?;
            let mut operands = vec![term];
            match (comparison, right) {
                (Comparison::In | Comparison::NotIn, Tree::List(items)) => {
                    operands.extend(self.all(items, kind)?);
                }
                (Comparison::In | Comparison::NotIn, _) => return None,
                (Comparison::Equal | Comparison::Unequal, _) => {
                    operands.push(self.of(right, kind)?);
                }
                // The numbers of texts do not follow the texts' order.
                _ if kind == NumberKind::Text => return None,
                _ => operands.push(self.of(right, kind)?),
            }
            links.push(Term::Other(Operation::Compare(*comparison), operands));
            left = right;
        }
        let both = |a, b| Term::Other(Operation::Binary(Binary::And), vec![a, b]);
        links.into_iter().reduce(both)
    }
}
