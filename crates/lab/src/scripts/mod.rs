//! Strategies from files: Luau scripts in a sandbox, with the same [`Problem`](search_api::Problem)
//! as all other strategies.
//!
//! A script sees the problem and a few libraries that only compute. It cannot wait, read, write or
//! ask for the time. Memory, steps and seconds between evaluations are limited, and the budget ends
//! it at any point. `docs/guide/lab.md` says what authors can rely on.

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
