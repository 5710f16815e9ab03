//! `autobench run BENCHMARK`: a whole study, which finds the knee and the best kernel there.

use clap::Args as _;
use records::settings::{DEFAULT_DETECTOR, Goal, KneeFlags, SizeSettings, StudySettings, Without};

use super::{
    command::{Command, read},
    studies::{self, StudyArgs, repeats},
    terminal::Failure,
};

inventory::submit!(Command {
    rank: 1,
    name: "run",
    about: "Find the size that saturates the device, and the best kernel there",
    examples: &[
        "run vecadd                            its knee on this processor",
        "run vecadd gemm --device cuda         two studies in turn, on a GPU",
        "run gemm --detector kneedle,triangle  the first detector decides",
        "run gemm --confirm-by triangle        kneedle proposes, it confirms",
        "run gemm --max-error 1e-3 --time 120  the fastest within an accuracy",
        "run ./mine.yaml --sizes 1k..1M*2 --dry-run",
    ],
    augment: RunArgs::augment_args,
    run: |matches| run(&read::<RunArgs>(matches)?),
});

// Headings of the flags in `--help`.
const KNEE: &str = "Knee";
const SIZES: &str = "Sizes";

/// The arguments of `run`.
#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// The knee detectors, a comma list; the first one decides
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
    /// Make this many independent studies in one folder, and report how far their knees and winners
    /// agree; each has its own seed and its own --time
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

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    #[test]
    fn a_study_from_rust_is_the_one_without_flags() {
        let command = RunArgs::augment_args(clap::Command::new("run"));
        let matches = command.get_matches_from(["run", "vecadd"]);
        let run = RunArgs::from_arg_matches(&matches).expect("no flag is needed");
        let asked = StudySettings { benchmark: "vecadd".to_owned(), ..run.settings() };
        assert_eq!(asked, StudySettings::saturate("vecadd"));
    }
}
