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
pub(crate) use errors::excerpt;
pub use errors::{EvalError, ExpressionError};
pub(crate) use fuel::Fuel;
pub(crate) use functions::Function;
pub(crate) use item::Item;
pub(crate) use number::Num;
pub(crate) use syntax::{Binary, Comparison, Tree, Unary};
