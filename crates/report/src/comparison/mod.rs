//! Compares studies: how fast each benchmark is on one side compared with another, and what else
//! differs. Ratios have intervals, and verdicts bound the false alarms over the whole table.
//!
//! Two studies of the same build on the same machine often differ by more than the intervals inside
//! each of them say, because the machine's state changes from minute to minute. The spread between
//! studies is estimated in one of these ways:
//!
//! - by the calmer studies of each side, if both sides have three or more;
//! - by pairs of neighbours in time, if the studies were made in turn;
//! - by the spread of the parts of each study, otherwise.
//!
//! If both of the first two ways apply, the one with the narrower interval counts.
//!
//! A side is faster if the same configuration is. That its search found a better one is a verdict of
//! its own.

mod calm;
mod calm_studies;
mod compared;
mod conditions;
mod judged;
mod level;
mod portability;
mod rounds;
mod side;
mod turns;
mod verdict;
mod view;

pub use calm::Calm;
pub use compared::{
    Compared, ComparedBenchmark, ComparedSize, Comparison, KneeOfSide, Winners, compare,
};
pub use conditions::Difference;
pub use judged::Judged;
pub use level::Level;
pub use portability::{PortableConfiguration, most_portable};
pub use side::{Side, SideError, Studied, sides, title};
pub use verdict::{Ratio, Verdict, judge};
