//! Output of all commands: lines, notes, errors, exit codes, signals.

mod colour;
mod failure;
mod folding;
mod interruption;
pub mod output;
pub(super) mod own_fault;
mod progress_line;
mod runs_bar;

pub use failure::{ExitStatus, Failure};
pub use interruption::interruption;
pub use output::Screen;
pub use progress_line::ProgressLine;
pub use runs_bar::RunsBar;
