//! Studies side by side: how fast each benchmark is on one side compared with another, with
//! intervals and verdicts whose false alarms are bounded over the whole table, and what else differs.
//!
//! Two studies of the same build on the same machine differ, and often by more than the intervals
//! inside each of them say: the machine of one minute is not that of the next. How far studies lie
//! apart is taken from the studies of a side where there are three or more, of which the calmer ones
//! count, or from pairs of neighbours in time where they were made in turn, whichever knows it better;
//! else from how far the parts of each study lie apart.

mod calm;
mod calm_studies;
mod compared;
mod conditions;
mod level;
mod portability;
mod side;
mod turns;
mod verdict;
mod view;

pub use calm::Calm;
pub use compared::{Compared, ComparedBenchmark, ComparedSize, Comparison, KneeOfSide, compare};
pub use conditions::Difference;
pub use level::Level;
pub use portability::{PortableConfiguration, most_portable};
pub use side::{Side, SideError, Studied, sides};
pub use verdict::{Ratio, Verdict, judge};
