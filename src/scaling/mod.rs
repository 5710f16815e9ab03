//! Sizes that a study visits: the largest that fits, the schedule up to it, and the refinement
//! around a knee.

mod largest;
mod refinement;
mod rounding;
mod schedule;

pub use largest::{LargestFault, largest_size};
pub use refinement::refinement;
pub use rounding::Rounding;
pub use schedule::sizes;
