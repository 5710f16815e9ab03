//! `autobench run BENCHMARK`: the main job.

use super::{
    Failure,
    studies::{self, StudyArgs, repeats},
};
use crate::settings::{Goal, SizeSettings, Without};

/// A whole study.
#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// The knee detectors; the first one decides (repeatable, or a comma list)
    #[arg(
        long = "detector",
        value_delimiter = ',',
        default_value = "kneedle",
        value_name = "NAME"
    )]
    detectors: Vec<String>,
    /// The sensitivity of kneedle
    #[arg(long, default_value_t = 1.0, value_name = "S", allow_negative_numbers = true)]
    sensitivity: f64,
    /// Show detectors the points as they are, without preparation
    #[arg(long)]
    raw_curve: bool,
    #[command(flatten)]
    sizes: SizeSettings,
    #[command(flatten)]
    without: Without,
    /// So many independent studies of this plan in one folder, and how far their knees and winners
    /// agree; each has its own seed, and --time for itself
    #[arg(long, default_value_t = 1, value_name = "N", hide_default_value = true)]
    repeat: u32,
}

/// Runs it.
pub(super) fn run(arguments: &RunArgs) -> Result<(), Failure> {
    let mut settings = arguments.study.settings(Goal::Saturate, arguments.sizes.clone());
    settings.without = arguments.without;
    if !(arguments.sensitivity >= 0.0 && arguments.sensitivity.is_finite()) {
        return Err(Failure::settings("--sensitivity is a number from 0"));
    }
    settings.detectors.clone_from(&arguments.detectors);
    settings.detector_options.insert("sensitivity".to_owned(), arguments.sensitivity.to_string());
    if arguments.raw_curve {
        settings.detector_options.insert("raw-curve".to_owned(), "true".to_owned());
    }
    match arguments.repeat {
        1 => studies::begin(&arguments.study, settings),
        studies => repeats::begin(&arguments.study, settings, studies),
    }
}
