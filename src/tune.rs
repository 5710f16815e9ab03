//! `autobench tune BENCHMARK --size N`: tunes the kernel at one size and finds no knee.

use clap::Args as _;
use records::settings::{Goal, SizeSettings, StudySettings, parse_size};

use super::{
    command::{Command, read},
    studies::{self, StudyArgs},
    terminal::Failure,
};

inventory::submit!(Command {
    rank: 2,
    name: "tune",
    about: "Tune the kernel at one size",
    examples: &[
        "tune gemm --size 512 --budget 100",
        "tune gemm --size 512 --restrict 'block_size_x >= 16'",
        "tune kmeans --size 32Ki --thresholds high,medium,1e-2",
        "tune --device replay:space.json.gz --strategy pso --budget 220",
    ],
    augment: TuneArgs::augment_args,
    run: |matches| run(&read::<TuneArgs>(matches)?),
});

/// The arguments of `tune`.
#[derive(Debug, clap::Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// The problem size
    ///
    /// Not needed for a recorded space: it has one size, and of a recorded study the largest is
    /// used.
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
}

impl TuneArgs {
    pub(super) fn study(&self) -> &StudyArgs {
        &self.study
    }

    /// Whether the size is missing and needed.
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

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    #[test]
    fn a_study_from_rust_is_the_one_without_flags() {
        let command = TuneArgs::augment_args(clap::Command::new("tune"));
        let matches = command.get_matches_from(["tune", "gemm", "--size", "512"]);
        let tune = TuneArgs::from_arg_matches(&matches).expect("no other flag is needed");
        let settings = tune.settings().expect("complete");
        let asked = StudySettings { benchmark: "gemm".to_owned(), ..settings };
        assert_eq!(asked, StudySettings::tune("gemm", 512));
    }
}
