//! Writes lines, notes and errors to the terminal.

use std::{
    borrow::Cow,
    io::{self, Write},
    os::fd::AsFd,
};

use rustix::termios::tcgetwinsize;

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

/// Prints a line of results, folded to the terminal's width. Text of several lines, such as a
/// document or a source file, is printed unchanged. A closed pipe (`| head`) is not an error.
pub fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let width = width(&out).filter(|_| !text.contains('\n'));
    match writeln!(out, "{}", fitted(&plain(text), width)).and_then(|()| out.flush()) {
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
    let _ = writeln!(to, "{}", fitted(&plain(text), width));
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

/// Replaces control characters: the text may quote plugins, compilers and files.
fn plain(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    match text.contains(obeyed) {
        true => Cow::Owned(text.replace(obeyed, "\u{FFFD}")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_no_words_of_others() {
        assert_eq!(plain("a\u{1b}[31mred\r\u{9b}2J"), "a\u{FFFD}[31mred\u{FFFD}\u{FFFD}2J");
        assert!(matches!(plain("two\n\tlines, µs"), Cow::Borrowed(_)));
    }
}
