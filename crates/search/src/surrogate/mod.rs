//! A Gaussian process over configurations, for strategies that model the space.

mod acquisition;
mod blocks;
mod candidates;
mod differences;
mod distance;
mod fit;
mod gaussian_process;
mod history;
mod hyperparameters;
mod joint;
mod mixture;
pub(super) mod nearest_known;
mod portfolio;
mod predictions;
mod recollection;
mod scalarisation;
mod shape;
mod soundness;
mod source_model;
mod target;

pub(super) use acquisition::{Acquisition, Aim, Outlook, contextual_variance, log_improvement};
pub(super) use blocks::Blocks;
pub(super) use candidates::{Candidates, pool};
pub(super) use distance::{DistanceMetric, Points};
pub(super) use fit::fit;
pub(super) use gaussian_process::GaussianProcess;
pub(super) use history::{History, Targets};
pub(super) use hyperparameters::{Hyperparameters, LengthOf};
pub(super) use mixture::Mixture;
pub(super) use portfolio::{AcquisitionChoice, Portfolio};
pub(super) use predictions::Predictions;
pub(super) use recollection::{Recollection, starts};
pub(super) use scalarisation::Scalarisation;
pub(super) use shape::CorrelationFunction;
pub(super) use soundness::Soundness;
pub(super) use target::target;
