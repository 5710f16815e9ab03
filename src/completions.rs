//! `autobench completions SHELL`: prints a completion script with the names known at this moment.

use batch::suites::built_ins;
use clap::{Args as _, builder::PossibleValuesParser};
use clap_complete::Shell;
use device::BACKENDS;
use knees::DETECTORS;
use report::exporters::EXPORTERS;
use search_api::STRATEGIES;

use super::{
    command::{Command, program, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 42,
    name: "completions",
    about: "Print a completion script for a shell",
    examples: &[
        "completions bash >> ~/.bash_completion",
        "completions fish > ~/.config/fish/completions/autobench.fish",
    ],
    augment: CompletionsArgs::augment_args,
    run: |matches| run(&read::<CompletionsArgs>(matches)?),
});

/// The arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell to complete for
    shell: Shell,
}

pub(super) fn run(arguments: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut program = with_names(program("autobench"), &names());
    clap_complete::generate(arguments.shell, &mut program, "autobench", &mut script);
    output::text(String::from_utf8_lossy(&script).trim_end())
}

/// Pairs of argument identifiers and the names that these arguments accept.
fn names() -> Vec<(&'static [&'static str], Vec<&'static str>)> {
    // Leaking is harmless: the program ends as soon as the script is printed.
    let benchmarks = plugins::all(&plugins::SearchPath::new(&[]));
    let benchmarks = benchmarks.into_iter().map(|(name, _)| &*name.leak()).collect();
    vec![
        (&["benchmarks"], benchmarks),
        (&["detectors", "confirm_by"], DETECTORS.names().collect()),
        (&["strategy", "strategies"], STRATEGIES.names().collect()),
        (&["device", "devices"], BACKENDS.iter().map(|entry| entry.name).collect()),
        (&["format"], EXPORTERS.iter().map(|entry| entry.name).collect()),
        (&["suite"], built_ins().iter().map(|suite| suite.name).collect()),
    ]
}

/// Adds the accepted names to the arguments of all commands.
fn with_names(
    program: clap::Command,
    names: &[(&'static [&'static str], Vec<&'static str>)],
) -> clap::Command {
    let commands: Vec<String> =
        program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    commands.iter().fold(program, |program, command| {
        program.mut_subcommand(command, |command| {
            command.mut_args(|argument| {
                let id = argument.get_id().as_str();
                match names.iter().find(|(ids, names)| ids.contains(&id) && !names.is_empty()) {
                    Some((_, names)) => argument.value_parser(PossibleValuesParser::new(names)),
                    None => argument,
                }
            })
        })
    })
}
