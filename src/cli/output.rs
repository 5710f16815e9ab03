//! The only place that writes to the terminal.

use std::io::{self, Write};

use super::Failure;

/// Prints a line of results. A reader that went away (`| head`) ends the program quietly.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::bug(format!("could not write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a word on what is going on, to standard error.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints the one error.
pub(super) fn error(failure: &Failure) {
    note(&failure.to_string());
}
