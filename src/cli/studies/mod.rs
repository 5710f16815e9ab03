//! From flags to a finished study, for `run`, `tune`, `resume` and repeats.

mod arguments;
mod bounds;
mod dry_run;
mod performed;
mod prepared;
mod progress;
mod provenance;
pub(super) mod repeats;
mod resumed;
mod summary;

pub(super) use arguments::StudyArgs;
pub(super) use bounds::BoundArgs;
pub(super) use performed::begin;
pub(super) use resumed::take_up;
