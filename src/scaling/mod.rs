//! Sizes of a study: the largest that fits, the schedule up to it, the refinement of a knee.

mod largest;
mod refinement;
mod rounding;
mod schedule;

pub use largest::{LargestFault, largest_size};
pub use refinement::refinement;
pub use rounding::Rounding;
pub use schedule::sizes;
