//! Suites on a cluster: SLURM job arrays, whose elements run one study each and write only their
//! own files. See `docs/guide/suites.md`.

mod arrays;
mod elements;
mod program;
mod queue;
mod record;
mod script;
mod time_limit;

pub use arrays::{JobArray, arrays};
pub use elements::{element_journal, heard, ungathered};
pub use program::{SlurmFault, cancel, check, queue, submit};
pub use queue::{InQueue, Queue};
pub use record::{SLURM_FOLDER, SlurmRecord};
pub use script::{log_name, script};
pub use time_limit::{Margin, time_limit};
