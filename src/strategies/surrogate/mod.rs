//! A Gaussian process over configurations, for strategies that model the space.

mod acquisition;
mod candidates;
mod distance;
mod fit;
mod history;
mod joint;
pub(super) mod nearest_known;
mod portfolio;
mod predictions;
mod process;
mod scalarisation;
mod settings;
mod shape;
mod target;

pub(super) use acquisition::{Acquisition, Aim, Outlook, contextual_variance, log_improvement};
pub(super) use candidates::{Candidates, pool};
pub(super) use distance::{Metric, Points};
pub(super) use fit::fit;
pub(super) use history::History;
pub(super) use portfolio::{Choice, Portfolio};
pub(super) use predictions::Predictions;
pub(super) use process::Process;
pub(super) use scalarisation::Scalarisation;
pub(super) use settings::Settings;
pub(super) use shape::Shape;
pub(super) use target::target;
