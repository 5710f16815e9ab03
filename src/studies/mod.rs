//! From flags to a finished study, for `run`, `tune`, `resume`, repeats and suites.

mod arguments;
mod bounds;
mod curve;
mod dry_run;
mod faults;
mod performed;
mod progress;
pub(super) mod repeats;
mod several;
mod so_far;
pub(super) mod summary;

pub(super) use arguments::StudyArgs;
pub use bounds::BoundArgs;
pub(super) use performed::{begin, prepare, resume, run, run_and_print};
pub(super) use progress::Among;
pub(super) use several::of_each_benchmark;
pub use study::prepare::{argv, hash};
