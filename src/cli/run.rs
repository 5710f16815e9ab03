//! `autobench run BENCHMARK`: a whole study.

use clap::Args as _;

use super::{
    command::{Command, read},
    studies::{self, StudyArgs, repeats},
    terminal::Failure,
};
use crate::settings::{DEFAULT_DETECTOR, Goal, KneeFlags, SizeSettings, StudySettings, Without};

inventory::submit!(Command {
    rank: 1,
    name: "run",
    about: "Grow the size until the device is saturated, tuning the kernel at every size",
    augment: RunArgs::augment_args,
    run: |matches| run(&read::<RunArgs>(matches)?),
});

// Headings of the flags in `--help`.
const KNEE: &str = "Knee";
const SIZES: &str = "Sizes";

/// A whole study.
#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// The knee detectors; the first one decides (repeatable, or a comma list)
    #[arg(
        long = "detector",
        value_delimiter = ',',
        default_value = DEFAULT_DETECTOR,
        value_name = "NAME",
        help_heading = KNEE
    )]
    detectors: Vec<String>,
    #[command(flatten, next_help_heading = KNEE)]
    knee: KneeFlags,
    #[command(flatten, next_help_heading = SIZES)]
    sizes: SizeSettings,
    #[command(flatten, next_help_heading = SIZES)]
    without: Without,
    /// So many independent studies of this plan in one folder, and how far their knees and winners
    /// agree; each has its own seed, and --time for itself
    #[arg(
        long,
        default_value_t = 1,
        value_name = "N",
        hide_default_value = true,
        help_heading = KNEE
    )]
    repeat: u32,
}

impl RunArgs {
    pub(super) fn study(&self) -> &StudyArgs {
        &self.study
    }

    pub(super) fn settings(&self) -> StudySettings {
        let mut settings = self.study.settings(Goal::Saturate, self.sizes.clone());
        settings.without = self.without;
        settings.detectors.clone_from(&self.detectors);
        settings.knee = self.knee.settings();
        settings
    }
}

pub(super) fn run(arguments: &RunArgs) -> Result<(), Failure> {
    let settings = arguments.settings();
    studies::of_each_benchmark(&arguments.study, |study| match arguments.repeat {
        1 => studies::begin(study, settings.clone()),
        studies => repeats::begin(study, settings.clone(), studies),
    })
}
