//! `autobench completions SHELL`: prints a completion script with the names known at this moment, or
//! writes the manual pages.

use std::path::{Path, PathBuf};

use batch::suites::built_ins;
use clap::{
    Args as _, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser},
};
use clap_complete::Shell;
use device::BACKENDS;
use knees::DETECTORS;
use records::FileFault;
use report::exporters::EXPORTERS;
use search_api::STRATEGIES;

use super::{
    command::{Command, program, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 42,
    name: "completions",
    about: "Print a completion script for a shell, or write manual pages",
    examples: &[
        "completions bash >> ~/.bash_completion",
        "completions fish > ~/.config/fish/completions/autobench.fish",
        "completions man --to ~/.local/share/man/man1",
    ],
    augment: CompletionsArgs::augment_args,
    run: |matches| run(&read::<CompletionsArgs>(matches)?),
});

/// The arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell to complete for, or `man` for the manual pages
    #[arg(value_name = "SHELL")]
    for_what: Reader,
    /// The folder for the manual pages
    #[arg(long, value_name = "DIR", required_if_eq("for_what", "man"))]
    to: Option<PathBuf>,
}

/// Who reads what is generated.
#[derive(Debug, Clone, Copy)]
enum Reader {
    Shell(Shell),
    Man,
}

impl ValueEnum for Reader {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Shell(Shell::Bash),
            Self::Shell(Shell::Elvish),
            Self::Shell(Shell::Fish),
            Self::Shell(Shell::PowerShell),
            Self::Shell(Shell::Zsh),
            Self::Man,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Shell(shell) => shell.to_possible_value(),
            Self::Man => Some(PossibleValue::new("man")),
        }
    }
}

pub(super) fn run(arguments: &CompletionsArgs) -> Result<(), Failure> {
    match (arguments.for_what, &arguments.to) {
        (Reader::Shell(shell), _) => complete(shell),
        (Reader::Man, Some(folder)) => manual(folder),
        (Reader::Man, None) => Err(Failure::settings("name a folder with --to")),
    }
}

/// Writes a page for the program, and one for each of its commands.
fn manual(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(program("autobench"), folder))
        .map_err(|error| Failure::stored(FileFault::writing(folder)(error)))
}

fn complete(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut program = with_names(program("autobench"), &names());
    clap_complete::generate(shell, &mut program, "autobench", &mut script);
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
