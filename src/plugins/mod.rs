//! Benchmarks: finding them, loading them, speaking the C table with them, and turning their
//! document into something that can be asked for spaces, shapes and geometry.
//!
//! [`Benchmark`] is pure and lives on both sides of the worker; [`Plugin`] runs an author's code
//! and is only ever made inside a worker.

mod benchmark;
mod checks;
mod declarative;
mod fault;
mod finding;
mod formula;
mod geometry;
mod input_expression;
mod library;
mod locator;
mod macros;
mod metrics;
mod opening;
mod reference;
#[cfg(test)]
mod sample;
mod shapes;
mod sink;

pub use benchmark::{Benchmark, DocumentFault};
pub use fault::PluginFault;
pub use finding::{SearchPath, all, find};
pub use formula::FormulaFault;
pub use geometry::Geometry;
pub use library::{Instance, Plugin};
pub use locator::Locator;
pub use macros::CompileParts;
pub use opening::open;
pub use reference::{Reference, ReferenceFault};
pub use shapes::ArgumentPlan;
