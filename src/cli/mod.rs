//! Commands, a file each: parsing does nothing else; a command checks, then acts.

mod command;
mod compare;
mod completions;
mod convert;
mod devices;
mod evolve;
mod examples;
mod export;
mod history;
mod inspect;
mod knee;
mod knobs;
mod list;
mod memory;
mod plugin;
mod profile;
mod results;
mod resume;
mod run;
mod score;
mod serve;
mod show;
mod simulate;
mod space;
mod studies;
mod suite;
mod terminal;
mod tune;
mod workers;

use std::process::ExitCode;

pub use terminal::{ExitStatus, Failure};
use terminal::{output, own_fault};

/// Runs the program, or its worker process.
#[must_use]
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == crate::worker::SUBCOMMAND) {
        let rest = arguments.map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>();
        return ExitCode::from(u8::try_from(crate::worker::main(&rest)).unwrap_or(1));
    }
    crate::worker::prepare_signals();
    let matches = match command::program().try_get_matches() {
        Ok(matches) => matches,
        // Help is printed this way, too.
        Err(words) => {
            let printed = match command::clearer(&words) {
                Some(text) => {
                    output::note(text.trim_end());
                    Ok(())
                }
                None => words.print(),
            };
            let code = if words.exit_code() == 0 && printed.is_err() {
                output::note("error: could not write to standard output");
                ExitStatus::Bug as u8
            } else {
                u8::try_from(words.exit_code()).unwrap_or(ExitStatus::Settings as u8)
            };
            return ExitCode::from(code);
        }
    };
    let result = own_fault::guarded(|| command::run(&matches));
    workers::remove_temporary_files();
    match result {
        None => ExitCode::from(ExitStatus::Bug as u8),
        Some(Ok(())) => ExitCode::from(ExitStatus::Done as u8),
        Some(Err(failure)) => {
            output::error(&failure);
            ExitCode::from(failure.exit as u8)
        }
    }
}
