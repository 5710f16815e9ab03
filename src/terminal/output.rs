//! Writes lines, notes and errors to the terminal.

use std::{
    borrow::Cow,
    io::{self, Write},
    os::fd::AsFd,
};

use rustix::termios::tcgetwinsize;

use records::sinks;

use super::{Failure, folding::folded};

/// Which output the user asked for.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Screen {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors and, with --json, the result
    #[arg(long, short)]
    pub quiet: bool,
}

/// Prints one line of results, folded to the terminal's width.
pub fn line(text: &str) -> Result<(), Failure> {
    let width = width(&io::stdout());
    print(&fitted(&sinks::line(text), width))
}

/// Prints text of several lines that are not folded, such as a table or a source file.
pub fn text(text: &str) -> Result<(), Failure> {
    print(&sinks::terminal(text))
}

/// Prints JSON.
pub fn json(json: &str) -> Result<(), Failure> {
    print(&sinks::json(json))
}

/// A closed pipe (`| head`) is not an error.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::bug(format!("could not write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a note on progress to standard error.
pub fn note(text: &str) {
    let mut to = io::stderr().lock();
    let width = width(&to);
    let _ = writeln!(to, "{}", fitted(&sinks::terminal(text), width));
}

/// The width of a terminal in columns; `None` if the stream is not a terminal.
fn width(stream: &(impl AsFd + io::IsTerminal)) -> Option<usize> {
    let size = stream.is_terminal().then(|| tcgetwinsize(stream))?.ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

fn fitted(text: &str, width: Option<usize>) -> String {
    let fit = |line| width.map_or(Cow::Borrowed(line), |width| folded(line, width));
    text.split('\n').map(fit).collect::<Vec<_>>().join("\n")
}

/// Prints an error.
pub fn error(failure: &Failure) {
    note(&failure.to_string());
}
