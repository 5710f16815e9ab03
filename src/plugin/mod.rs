//! `autobench plugin`: creates or checks a benchmark.

mod at_size;
mod creation;
mod inspection;
mod sampled;

use std::path::PathBuf;

use clap::{Args as _, Subcommand};
use creation::Language;

use super::{
    command::{Command, read},
    terminal::Failure,
};

inventory::submit!(Command {
    rank: 30,
    name: "plugin",
    about: "Make or check a benchmark",
    examples: &[
        "plugin new mine  a crate in Rust",
        "plugin new mine --language yaml",
        "plugin check mine.yaml",
    ],
    augment: PluginArgs::augment_args,
    run: |matches| run(&read::<PluginArgs>(matches)?),
});

/// The arguments of `plugin`.
#[derive(Debug, clap::Args)]
pub(super) struct PluginArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write a benchmark that builds and runs at once, as a start for your own
    New {
        /// Its name: lower-case letters, digits, `-` and `_`, a letter first
        name: String,
        /// What to write it in
        #[arg(long, value_enum, default_value_t = Language::Rust)]
        language: Language,
        /// The folder to write it into
        #[arg(long, value_name = "DIR", default_value = ".")]
        dir: PathBuf,
    },
    /// Load a benchmark, check all its declarations, and run and verify its default configuration
    /// and random ones
    Check(inspection::CheckArgs),
}

pub(super) fn run(arguments: &PluginArgs) -> Result<(), Failure> {
    match &arguments.action {
        Action::New { name, language, dir } => creation::create(name, *language, dir),
        Action::Check(arguments) => inspection::check(arguments),
    }
}
