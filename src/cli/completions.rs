//! `autobench completions SHELL`.

use clap::Args as _;
use clap_complete::Shell;

use super::{
    command::{Command, program, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 18,
    name: "completions",
    about: "Print a completion script for a shell",
    augment: CompletionsArgs::augment_args,
    run: |matches| run(&read::<CompletionsArgs>(matches)?),
});

/// Which shell.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell to complete for
    shell: Shell,
}

pub(super) fn run(arguments: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program(), "autobench", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end())
}
