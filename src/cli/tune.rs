//! `autobench tune BENCHMARK --size N`: one size, no knee.

use super::{
    Failure,
    launch::{self, Screen},
    study_arguments::{StudyArgs, parse_size},
};
use crate::records::{Goal, SizeSettings};

/// A study of one size.
#[derive(Debug, clap::Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// The problem size; a recorded space has its own, and of a recorded study the largest counts
    #[arg(long, value_name = "N")]
    size: Option<String>,
}

/// Runs it.
pub(super) fn run(arguments: &TuneArgs) -> Result<(), Failure> {
    let mut settings = arguments.study.settings(Goal::Tune)?;
    if arguments.study.device == "replay" {
        return Err(Failure::settings("a replay needs a recorded space")
            .hint("name it: `autobench tune --device replay:FILE`"));
    }
    let recorded = arguments.study.device.starts_with("replay:");
    if recorded && arguments.study.benchmark.is_some() {
        return Err(Failure::settings("a recorded space is a benchmark of its own")
            .hint("leave the benchmark out"));
    }
    let list = match arguments.size.as_deref() {
        Some(text) => Some(vec![parse_size(text)?]),
        None if recorded => None,
        None => {
            return Err(Failure::settings("tuning needs a problem size").hint(
                "name one with --size N, or let `autobench run` find the one that saturates",
            ));
        }
    };
    settings.sizes = SizeSettings { list, ..SizeSettings::default() };
    launch::begin(&arguments.study, settings, &Screen::of(&arguments.study))
}
