//! The commands: one file each. Parsing does nothing else; a command checks, then acts.

mod completions;
mod convert;
mod devices;
mod export;
mod inspect;
mod knee;
mod list;
mod plugin;
mod resume;
mod run;
mod score;
mod show;
mod simulate;
mod space;
mod studies;
mod terminal;
mod tune;
mod workers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use terminal::{Exit, Failure};
use terminal::{output, own_fault};

/// Finds the problem size that saturates a device, and the best variant of a kernel there.
#[derive(Debug, Parser)]
#[command(name = "autobench", version, arg_required_else_help = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 fault of the program or the machine, 2 wrong settings, 3 benchmark, 4 device, 5 nothing valid found, 130 interrupted."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Grow the size until the device is saturated, tuning the kernel at every size
    Run(run::RunArgs),
    /// Tune the kernel at one size
    Tune(tune::TuneArgs),
    /// Find the knee of a curve in a file of two columns
    Knee(knee::KneeArgs),
    /// List benchmarks, detectors, strategies, exporters and observers
    List(list::ListArgs),
    /// Show every device, and for what does not work, why
    Devices(devices::DevicesArgs),
    /// Go on with an interrupted study, or with repeats
    Resume(resume::ResumeArgs),
    /// Show a study: the winner, how it was found, and its exact source; of repeats, how they agree
    Show(show::ShowArgs),
    /// Write a study in another format
    Export(export::ExportArgs),
    /// Write recorded spaces in another format, several merged into one
    Convert(convert::ConvertArgs),
    /// Show what files of recorded spaces hold
    Inspect(inspect::InspectArgs),
    /// Run a strategy on a recorded space, many times, in simulated time
    Simulate(simulate::SimulateArgs),
    /// Score strategies on recorded spaces against random search
    Score(score::ScoreArgs),
    /// Count, inspect and sample a search space without running anything
    Space(space::SpaceArgs),
    /// Make or check a benchmark
    Plugin(plugin::PluginArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
}

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == crate::worker::SUBCOMMAND) {
        let rest = arguments.map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>();
        return ExitCode::from(u8::try_from(crate::worker::main(&rest)).unwrap_or(1));
    }
    crate::worker::prepare_signals();
    let command = match Arguments::try_parse() {
        Ok(arguments) => arguments.command,
        // Help is printed this way, too.
        Err(words) => {
            let printed = words.print();
            let code = if words.exit_code() == 0 && printed.is_err() {
                output::note("error: could not write to standard output");
                Exit::Bug as u8
            } else {
                u8::try_from(words.exit_code()).unwrap_or(Exit::Settings as u8)
            };
            return ExitCode::from(code);
        }
    };
    let result = own_fault::guarded(|| run(command));
    workers::remove_temporary_files();
    match result {
        None => ExitCode::from(Exit::Bug as u8),
        Some(Ok(())) => ExitCode::from(Exit::Done as u8),
        Some(Err(failure)) => {
            output::error(&failure);
            ExitCode::from(failure.exit as u8)
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Knee(arguments) => knee::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Resume(arguments) => resume::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Space(arguments) => space::run(&arguments),
        Command::Plugin(arguments) => plugin::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}
