//! Output of all commands: lines, notes, errors, exit codes, signals.

mod failure;
mod folding;
mod interruption;
pub(super) mod output;
pub(super) mod own_fault;

pub use failure::{ExitStatus, Failure};
pub(super) use interruption::interruption;
pub(super) use output::Screen;
