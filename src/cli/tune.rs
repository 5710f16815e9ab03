//! `autobench tune BENCHMARK --size N`: one size, no knee.

use clap::Args as _;

use super::{
    command::{Command, read},
    studies::{self, StudyArgs},
    terminal::Failure,
};
use crate::settings::{Goal, SizeSettings, StudySettings, parse_size};

inventory::submit!(Command {
    rank: 2,
    name: "tune",
    about: "Tune the kernel at one size",
    augment: TuneArgs::augment_args,
    run: |matches| run(&read::<TuneArgs>(matches)?),
});

/// A study of one size.
#[derive(Debug, clap::Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// The problem size; a recorded space has its own, and of a recorded study the largest counts
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
}

impl TuneArgs {
    pub(super) fn study(&self) -> &StudyArgs {
        &self.study
    }

    /// Whether only a size is missing.
    pub(super) fn lacks_size(&self) -> bool {
        self.size.is_none() && self.study.device.recorded().is_none()
    }

    pub(super) fn settings(&self) -> Result<StudySettings, Failure> {
        if self.study.device.recorded().is_some() && self.study.benchmark().is_some() {
            return Err(Failure::settings("a recorded space is a benchmark of its own")
                .hint("leave the benchmark out"));
        }
        if self.lacks_size() {
            return Err(Failure::settings("tuning needs a problem size").hint(
                "name one with --size N, or let `autobench run` find the one that saturates",
            ));
        }
        Ok(self.study.settings(Goal::Tune, SizeSettings::only(self.size)))
    }
}

pub(super) fn run(arguments: &TuneArgs) -> Result<(), Failure> {
    let settings = arguments.settings()?;
    studies::of_each_benchmark(&arguments.study, |study| studies::begin(study, settings.clone()))
}
