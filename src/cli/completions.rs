//! `autobench completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Arguments, Failure, output};

/// Which shell.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell to complete for
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(arguments: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "autobench", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end())
}
