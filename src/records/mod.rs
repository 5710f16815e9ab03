//! Plain data of results: what happened to each configuration, the journal that keeps it, and
//! files of recorded spaces.

mod named;
mod outcome;

pub use named::Named;
pub use outcome::{Costs, Exit, Measurement, Outcome, Phase, Status, Summary, Trial};
