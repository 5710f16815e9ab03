//! Output of all commands: lines, notes, errors, exit codes, signals.

mod failure;
mod folding;
mod interruption;
pub(super) mod output;
pub(super) mod own_fault;
mod progress_line;
mod runs_bar;

pub use failure::{ExitStatus, Failure};
pub(super) use interruption::interruption;
pub(super) use output::Screen;
pub(super) use progress_line::ProgressLine;
pub(super) use runs_bar::RunsBar;
