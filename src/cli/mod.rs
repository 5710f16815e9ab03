//! The commands: one file each. Parsing does nothing else; a command checks, then acts.

mod failure;

pub use failure::{Exit, Failure};
