//! The prior of searches: recorded spaces and earlier studies of the same kernel.

mod learning;
mod recollected;
mod scored_space;

pub(crate) use learning::Learner;
pub use learning::{learnt_from, only_times};
pub use recollected::{Recollected, begin_with, memory_of};
pub use scored_space::{Cell, Origin, ScoredSpace, VisitStages, compared_with, costs, figure};
