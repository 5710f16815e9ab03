//! Strategies from files: Luau scripts in a sandbox, behind the same
//! [`Problem`](search_api::Problem) as all others.
//!
//! A script sees the problem, a few libraries that only compute, and nothing else. It cannot wait,
//! read, write or ask for the time; memory, steps and seconds between evaluations are limited, and
//! the budget ends it wherever it is. `docs/guide/lab.md` says what authors may rely on.

mod api;
mod configurations;
mod deadline;
mod declared;
mod examples;
mod faults;
mod limits;
mod lookup;
mod sandbox;
mod script;
mod ticks;

pub use deadline::Deadline;
pub use examples::{EXAMPLES, Example};
pub use faults::ScriptFault;
pub use script::Script;
