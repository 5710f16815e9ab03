//! Benchmarks: found, loaded, called through the C table, compiled from their document.
//! [`Benchmark`] is pure and lives on both sides of the worker; [`Plugin`] runs an author's code
//! and is only ever made inside a worker.

mod arguments;
mod benchmark;
mod checks;
mod declarative;
mod discovery;
mod errors;
mod fault;
mod footprint;
mod formula;
mod input_expression;
mod launches;
mod library;
mod metrics;
mod opening;
mod reference;
mod reference_formulas;
#[cfg(test)]
mod sample;
mod sink;
mod stage_checks;
mod stages;

pub use benchmark::Benchmark;
pub use discovery::{Locator, SearchPath, all, data_folder, find};
pub use errors::{ComparedOutput, NamedError};
pub use fault::{DocumentFault, PluginFault};
pub use formula::FormulaFault;
pub use library::{Plugin, PluginInstance};
pub use opening::open;
pub use reference::{Reference, ReferenceFault};
pub use stages::UnknownStage;
