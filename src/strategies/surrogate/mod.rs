//! A Gaussian process over configurations: what strategies that model the space share.

mod candidates;
mod distance;
mod fit;
mod process;
mod scalarisation;
mod target;

pub(super) use candidates::Candidates;
pub(super) use distance::{Metric, Points};
pub(super) use fit::{Settings, fit};
pub(super) use process::Process;
pub(super) use scalarisation::Scalarisation;
pub(super) use target::target;
