//! From flags to a finished study, for `run`, `tune`, `resume`, repeats and suites.

mod arguments;
mod before;
mod bounds;
mod ceilings;
mod dry_run;
mod pace;
mod performed;
mod prepared;
mod progress;
mod provenance;
pub(super) mod repeats;
mod resumed;
mod several;
mod so_far;
mod staged;
mod summary;

pub(super) use arguments::StudyArgs;
pub(super) use bounds::BoundArgs;
pub(super) use performed::begin;
pub(super) use prepared::PreparedStudy;
pub(super) use progress::Among;
pub(super) use provenance::{argv, hash};
pub(super) use resumed::take_up;
pub(super) use several::of_each_benchmark;
pub(super) use staged::staged;
