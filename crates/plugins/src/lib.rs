//! Benchmarks: found, loaded, called through the C table, and compiled from their document.
//! [`Benchmark`] is pure and exists on both sides of the worker. [`Plugin`] runs an author's code
//! and exists only inside a worker, where it also makes sources for its benchmark.
//!
//! This crate never knows about strategies or studies. Begin with `benchmark.rs`.

// Observers declare metrics of devices.
#[cfg(test)]
use worker as _;

mod answer;
mod arguments;
mod benchmark;
mod checks;
mod declarative;
mod discovery;
mod errors;
mod fault;
mod flags;
mod footprint;
mod formula;
mod input_expression;
mod launches;
mod library;
mod metrics;
mod nearby;
mod opening;
mod options;
mod reference;
mod reference_formulas;
mod reserved;
#[cfg(test)]
mod sample;
mod sink;
mod sources;
mod stage_checks;
mod stages;
mod template;
mod unused;

pub use answer::with_answer;
pub use benchmark::Benchmark;
pub use discovery::{Locator, SearchPath, all, data_folder, find};
pub use errors::{ComparedOutput, NamedError};
pub use fault::{DocumentFault, PluginFault};
pub use flags::refused_flag;
pub use formula::FormulaFault;
pub use library::{Plugin, PluginInstance};
pub use opening::open;
pub use reference::{Reference, ReferenceFault};
pub use stages::UnknownStage;
pub use template::{Template, TemplateFault};
