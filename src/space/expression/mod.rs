//! A safe subset of Python's expressions without access to the system.
//! A text becomes tokens (`token`), a tree (`parser`, `syntax`), and either a short program over
//! numbers (`program`) or, where texts and lists appear, a walk over the tree (`interpreter`).

mod compiled;
mod errors;
mod fuel;
mod functions;
mod interpreter;
mod item;
mod lists;
mod number;
mod operators;
mod parser;
mod program;
mod syntax;
mod token;

pub use compiled::Expression;
pub(in crate::space) use errors::excerpt;
pub use errors::{EvalError, ExpressionError};
pub(in crate::space) use fuel::Fuel;
pub(in crate::space) use functions::Function;
pub(in crate::space) use item::Item;
pub(in crate::space) use number::Num;
pub(in crate::space) use syntax::{Binary, Comparison, Tree, Unary};
