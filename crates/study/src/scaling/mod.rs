//! Sizes of a study: the largest that fits, the ladder up to it, strides over the ladder's rungs,
//! the least run time, and the refinement of a knee.

mod largest;
mod refinement;
mod rounding;
mod run_time;
mod schedule;
mod stride;
mod trend;

pub use largest::{LargestFault, largest_size};
pub use refinement::refinement;
pub use rounding::Rounding;
pub use run_time::long_enough;
pub use schedule::sizes;
pub use stride::{left_out, stride};
pub use trend::MeasuredSize;
