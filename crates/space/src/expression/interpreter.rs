//! Evaluation by a walk over the tree: the whole language, with bounds on work and memory.

use std::rc::Rc;

use super::{
    EvalError, Item, Num,
    fuel::{Fuel, MAX_LENGTH},
    syntax::{Binary, Comparison, Loop, Tree, Unary},
};
use crate::Value;

pub(super) struct Interpreter<'a> {
    slots: &'a [Value],
    locals: Vec<Item>,
    fuel: &'a mut Fuel,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(slots: &'a [Value], fuel: &'a mut Fuel) -> Self {
        Self { slots, locals: Vec::new(), fuel }
    }

    pub(super) fn run(&mut self, tree: &Tree) -> Result<Item, EvalError> {
        Ok(match tree {
            Tree::None => Item::None,
            Tree::Bool(b) => Item::from(*b),
            Tree::Int(i) => Item::from(Num::Int(*i)),
            Tree::Float(f) => Item::from(Num::Float(*f)),
            Tree::Text(text) => Item::Value(Value::Text(text.clone())),
            Tree::Slot(slot) => Item::Value(
                self.slots
                    .get(*slot)
                    .ok_or_else(|| EvalError::Type("a variable has no value".into()))?
                    .clone(),
            ),
            Tree::Local(local) => self.locals[*local].clone(),
            Tree::List(items) => Item::List(self.all(items)?.into()),
            Tree::Unary(operator, inner) => self.unary(*operator, inner)?,
            Tree::Binary(operator, pair) => self.binary(*operator, &pair[0], &pair[1])?,
            Tree::Compare(first, rest) => self.chain(first, rest)?,
            Tree::Choose(three) => {
                let chosen = if self.run(&three[0])?.is_true() { &three[1] } else { &three[2] };
                self.run(chosen)?
            }
            Tree::Call(function, arguments) => {
                let arguments = self.all(arguments)?;
                function.call(&arguments, self.fuel)?
            }
            Tree::Index(pair) => self.index(&pair[0], &pair[1])?,
            Tree::Comprehension(element, loops) => {
                let mut found = Vec::new();
                self.comprehend(element, loops, &mut found)?;
                Item::List(found.into())
            }
        })
    }

    fn all(&mut self, trees: &[Tree]) -> Result<Vec<Item>, EvalError> {
        self.fuel.burn(trees.len())?;
        trees.iter().map(|t| self.run(t)).collect()
    }

    fn unary(&mut self, operator: Unary, inner: &Tree) -> Result<Item, EvalError> {
        let item = self.run(inner)?;
        Ok(match operator {
            Unary::Not => Item::from(!item.is_true()),
            Unary::Negate => item.number("-")?.negate().into(),
            Unary::Plus => item.number("+")?.into(),
            Unary::Invert => match item.number("~")? {
                Num::Int(i) => Num::Int(!i).into(),
                Num::Float(_) => return Err(EvalError::Type("`~` needs a whole number".into())),
            },
        })
    }

    fn binary(&mut self, operator: Binary, a: &Tree, b: &Tree) -> Result<Item, EvalError> {
        let left = self.run(a)?;
        match operator {
            Binary::And if !left.is_true() => return Ok(left),
            Binary::Or if left.is_true() => return Ok(left),
            Binary::And | Binary::Or => return self.run(b),
            _ => {}
        }
        let right = self.run(b)?;
        match (operator, &left, &right) {
            (Binary::Add, Item::List(x), Item::List(y)) => {
                self.grown(x.len() + y.len())?;
                Ok(Item::List(x.iter().chain(y.iter()).cloned().collect::<Rc<[Item]>>()))
            }
            (Binary::Add, Item::Value(Value::Text(x)), Item::Value(Value::Text(y))) => {
                self.grown(x.len() + y.len())?;
                Ok(Item::Value(Value::Text(format!("{x}{y}").into())))
            }
            (Binary::Multiply, Item::List(list), times)
            | (Binary::Multiply, times, Item::List(list)) => self.repeat(list, times),
            _ => {
                let name = operator.symbol();
                Ok(operator.apply(left.number(name)?, right.number(name)?)?.into())
            }
        }
    }

    fn repeat(&mut self, list: &Rc<[Item]>, times: &Item) -> Result<Item, EvalError> {
        let Num::Int(times) = times.number("*")? else {
            return Err(EvalError::Type("a list repeats a whole number of times".into()));
        };
        // An empty list stays empty, so that a large repeat count must not fail.
        let times = if list.is_empty() { 0 } else { usize::try_from(times).unwrap_or(0) };
        self.grown(list.len().saturating_mul(times))?;
        Ok(Item::List((0..times).flat_map(|_| list.iter().cloned()).collect::<Vec<_>>().into()))
    }

    fn grown(&mut self, length: usize) -> Result<(), EvalError> {
        if length > MAX_LENGTH {
            return Err(EvalError::TooLong(MAX_LENGTH));
        }
        self.fuel.burn(length)
    }

    fn chain(&mut self, first: &Tree, rest: &[(Comparison, Tree)]) -> Result<Item, EvalError> {
        let mut left = self.run(first)?;
        for (operator, tree) in rest {
            let right = self.run(tree)?;
            if !self.holds(*operator, &left, &right)? {
                return Ok(Item::from(false));
            }
            left = right;
        }
        Ok(Item::from(true))
    }

    fn holds(&mut self, operator: Comparison, a: &Item, b: &Item) -> Result<bool, EvalError> {
        match operator {
            Comparison::Equal => a.equals(b, self.fuel),
            Comparison::Unequal => Ok(!a.equals(b, self.fuel)?),
            Comparison::In => self.contains(b, a),
            Comparison::NotIn => Ok(!self.contains(b, a)?),
            _ => {
                if let (Ok(a), Ok(b)) = (a.number(""), b.number("")) {
                    return Ok(operator.holds(a, b));
                }
                let order = a.compare(b, self.fuel)?;
                Ok(operator.accepts(Some(order)))
            }
        }
    }

    fn contains(&mut self, list: &Item, item: &Item) -> Result<bool, EvalError> {
        match (list, item) {
            (Item::List(items), _) => {
                for candidate in items.iter() {
                    if candidate.equals(item, self.fuel)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Item::Value(Value::Text(text)), Item::Value(Value::Text(part))) => {
                Ok(text.contains(&**part))
            }
            _ => Err(EvalError::Type("`in` needs a list, or two texts".into())),
        }
    }

    fn index(&mut self, list: &Tree, index: &Tree) -> Result<Item, EvalError> {
        let items = self.run(list)?.elements("[]")?;
        let Num::Int(index) = self.run(index)?.number("[]")? else {
            return Err(EvalError::Type("an index must be a whole number".into()));
        };
        let length = items.len() as i64;
        let at = if index < 0 { index.saturating_add(length) } else { index };
        usize::try_from(at)
            .ok()
            .and_then(|at| items.get(at).cloned())
            .ok_or(EvalError::Index(index))
    }

    fn comprehend(
        &mut self,
        element: &Tree,
        loops: &[Loop],
        found: &mut Vec<Item>,
    ) -> Result<(), EvalError> {
        let Some((outer, inner)) = loops.split_first() else {
            if found.len() == MAX_LENGTH {
                return Err(EvalError::TooLong(MAX_LENGTH));
            }
            found.push(self.run(element)?);
            return Ok(());
        };
        let items = self.run(&outer.list)?.elements("for")?;
        self.locals.push(Item::None);
        let depth = self.locals.len() - 1;
        'items: for item in items.iter() {
            self.fuel.burn(1)?;
            self.locals[depth] = item.clone();
            for condition in &outer.conditions {
                if !self.run(condition)?.is_true() {
                    continue 'items;
                }
            }
            self.comprehend(element, inner, found)?;
        }
        self.locals.pop();
        Ok(())
    }
}
