//! An expression that is read once and evaluated many times.

use std::fmt;

use super::{
    EvalError, ExpressionError, Fuel, Item, Num, interpreter::Interpreter, parser,
    program::Program, syntax::Tree,
};
use crate::Value;

/// A restriction, a metric, an objective or any other expression over named values.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    tree: Tree,
    program: Option<Program>,
    slots: Vec<usize>,
    names: Vec<String>,
}

impl Expression {
    /// Reads `text` as an expression over `names`; slot `i` of an evaluation belongs to `names[i]`.
    ///
    /// # Errors
    /// If `text` is not an expression: where, and what was expected there.
    pub fn compile(text: &str, names: &[&str]) -> Result<Self, ExpressionError> {
        let tree = parser::parse(text, names)?;
        let mut slots = Vec::new();
        tree.walk(&mut |node| {
            if let Tree::Slot(slot) = node {
                slots.push(*slot);
            }
        });
        slots.sort_unstable();
        slots.dedup();
        let used = slots.iter().map(|slot| names[*slot].to_owned()).collect();
        let program = Program::compile(&tree);
        Ok(Self { text: text.to_owned(), tree, program, slots, names: used })
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that the expression uses, in the order of `compile`'s list.
    pub fn names_used(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The slots of the used names, ascending.
    #[must_use]
    pub fn slots_used(&self) -> &[usize] {
        &self.slots
    }

    /// Value over `slots`, in the order of `compile`'s names.
    ///
    /// # Errors
    /// If the expression has no value there, as in a division by zero.
    pub fn eval(&self, slots: &[Value]) -> Result<Value, EvalError> {
        self.item(slots)?.scalar()
    }

    /// Elements of a value that is a list; else the value alone.
    ///
    /// # Errors
    /// As [`Expression::eval`], for every element.
    pub fn eval_list(&self, slots: &[Value]) -> Result<Vec<Value>, EvalError> {
        match self.item(slots)? {
            Item::List(items) => items.iter().cloned().map(Item::scalar).collect(),
            item => Ok(vec![item.scalar()?]),
        }
    }

    /// Value as a number.
    ///
    /// # Errors
    /// As [`Expression::eval`], and if the value is a text.
    pub fn eval_f64(&self, slots: &[Value]) -> Result<f64, EvalError> {
        match self.fast(slots) {
            Some(result) => result.map(Num::as_f64),
            None => Ok(self.item(slots)?.number("a result")?.as_f64()),
        }
    }

    /// Truth value.
    ///
    /// # Errors
    /// As [`Expression::eval`].
    pub fn eval_bool(&self, slots: &[Value]) -> Result<bool, EvalError> {
        match self.fast(slots) {
            Some(result) => result.map(Num::is_true),
            None => Ok(self.item(slots)?.is_true()),
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The program of an expression over numbers; `None` where texts or lists appear.
    pub(crate) fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    pub(crate) fn item(&self, slots: &[Value]) -> Result<Item, EvalError> {
        Interpreter::new(slots, &mut Fuel::for_one()).run(&self.tree)
    }

    /// Truth value; one of many evaluations that share `fuel`.
    pub(crate) fn holds(&self, slots: &[Value], fuel: &mut Fuel) -> Result<bool, EvalError> {
        Ok(Interpreter::new(slots, fuel).run(&self.tree)?.is_true())
    }

    fn fast(&self, slots: &[Value]) -> Option<Result<Num, EvalError>> {
        let program = self.program.as_ref()?;
        let mut numbers = Vec::with_capacity(slots.len());
        for (slot, value) in slots.iter().enumerate() {
            match value.number() {
                Some(number) => numbers.push(number),
                None if self.slots.binary_search(&slot).is_err() => numbers.push(Num::Int(0)),
                None => return None,
            }
        }
        (self.slots.last().is_none_or(|last| *last < slots.len())).then(|| program.run(&numbers))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
