//! `autobench tune BENCHMARK --size N`: one size, no knee.

use super::{
    Failure,
    studies::{self, StudyArgs},
};
use crate::settings::{Goal, SizeSettings, parse_size};

/// A study of one size.
#[derive(Debug, clap::Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// The problem size; a recorded space has its own, and of a recorded study the largest counts
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
}

/// Runs it.
pub(super) fn run(arguments: &TuneArgs) -> Result<(), Failure> {
    let recorded = arguments.study.device.recorded().is_some();
    if recorded && arguments.study.benchmark.is_some() {
        return Err(Failure::settings("a recorded space is a benchmark of its own")
            .hint("leave the benchmark out"));
    }
    if arguments.size.is_none() && !recorded {
        return Err(Failure::settings("tuning needs a problem size")
            .hint("name one with --size N, or let `autobench run` find the one that saturates"));
    }
    let settings = arguments.study.settings(Goal::Tune, SizeSettings::only(arguments.size));
    studies::begin(&arguments.study, settings)
}
