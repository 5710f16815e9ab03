//! The program `autobench`, and an interface to run a study from Rust:
//!
//! ```standalone_crate
#![doc = include_str!("../examples/study.rs")]
//! ```
//!
//! [`run_if_worker`] must be the first call in `main`, because worker processes run the same
//! executable. Where that is not possible, set `AUTOBENCH_WORKER_EXE` to an `autobench` program for
//! the workers. [`Study::resume`] continues an interrupted study, and a [`StudyListener`] is told a
//! study's progress.
//!
//! Each other module is one command. Parsing only reads the arguments; a command checks them, then
//! acts.

pub mod command;
mod compare;
mod completions;
mod convert;
mod devices;
mod export;
mod history;
mod inspect;
mod knee;
pub mod list;
pub mod memory;
mod plugin;
mod profile;
pub mod results;
mod resume;
mod run;
mod schema;
pub mod score;
mod show;
mod simulate;
mod space;
pub mod studies;
mod suite;
pub mod terminal;
mod tune;

use std::process::ExitCode;

// Strategies and devices register themselves; these imports only link them.
use device_cpu as _;
use device_gpu as _;
use search as _;

pub use records::settings::{self, StudySettings};
pub use report::exporters::write_all;
pub use study::{BegunStudy, PrepareFault, Silent, Study, StudyFault, StudyListener, StudyResult};
pub use terminal::{ExitStatus, Failure};
pub use worker::run_if_worker;

use terminal::{output, own_fault};

/// Runs the program, or its worker process. `name` is the program's name in the help.
#[must_use]
pub fn main(name: &'static str) -> ExitCode {
    run_if_worker();
    if let Some(elsewhere) = std::env::args().nth(1).filter(|word| command::is_elsewhere(word)) {
        let failure = Failure::settings(format!("`{elsewhere}` is a command of `autobench-lab`"))
            .hint("build it with `cargo install --path crates/lab`");
        output::error(&failure);
        return ExitCode::from(failure.exit as u8);
    }
    let matches = match command::program(name).try_get_matches() {
        Ok(matches) => matches,
        // clap returns help and version as an error, too.
        Err(words) => {
            let given: Vec<String> =
                std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
            let clearer = command::clearer(&words).or_else(|| command::elsewhere(&words, &given));
            let printed = match clearer {
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
    match result {
        None => ExitCode::from(ExitStatus::Bug as u8),
        Some(Ok(())) => ExitCode::from(ExitStatus::Done as u8),
        Some(Err(failure)) => {
            output::error(&failure);
            ExitCode::from(failure.exit as u8)
        }
    }
}
