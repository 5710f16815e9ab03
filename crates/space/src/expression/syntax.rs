//! The tree of an expression.

use std::sync::Arc;

use super::functions::Function;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Negate,
    Plus,
    Invert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
}

/// One `for name in list [if condition]…` of a list comprehension.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(super) list: Tree,
    pub(super) conditions: Vec<Tree>,
}

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    /// A variable of the caller.
    Slot(usize),
    /// A variable of a comprehension, numbered from the outermost.
    Local(usize),
    List(Vec<Tree>),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<[Tree; 2]>),
    /// `first op second op third …`; each operand is evaluated once.
    Compare(Box<Tree>, Vec<(Comparison, Tree)>),
    /// Condition, then, otherwise: `then if condition else otherwise`.
    Choose(Box<[Tree; 3]>),
    Call(Function, Vec<Tree>),
    Index(Box<[Tree; 2]>),
    Comprehension(Box<Tree>, Vec<Loop>),
}

impl Tree {
    pub(super) fn walk(&self, see: &mut impl FnMut(&Tree)) {
        see(self);
        match self {
            Self::List(items) | Self::Call(_, items) => items.iter().for_each(|t| t.walk(see)),
            Self::Unary(_, inner) => inner.walk(see),
            Self::Binary(_, pair) | Self::Index(pair) => pair.iter().for_each(|t| t.walk(see)),
            Self::Choose(three) => three.iter().for_each(|t| t.walk(see)),
            Self::Compare(first, rest) => {
                first.walk(see);
                rest.iter().for_each(|(_, t)| t.walk(see));
            }
            Self::Comprehension(element, loops) => {
                element.walk(see);
                for l in loops {
                    l.list.walk(see);
                    l.conditions.iter().for_each(|t| t.walk(see));
                }
            }
            _ => {}
        }
    }
}
