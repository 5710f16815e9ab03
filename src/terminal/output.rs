//! Writes lines, notes and errors to the terminal.

use std::{
    borrow::Cow,
    env,
    io::{self, Write},
    os::fd::AsFd,
    path::Path,
};

use rustix::termios::tcgetwinsize;

use records::sinks;

use super::{Failure, colour, folding::folded};

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
    let out = io::stdout();
    print(&coloured(&out, fitted(&sinks::line(text), width(&out))))
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

/// Prints a line of results. On terminals that follow links, its first word opens a page.
pub fn linked(text: &str, page: Option<&Path>) -> Result<(), Failure> {
    let follows = colour::are_on(&io::stdout()) && env::var_os("TERM").is_none_or(|t| t != "linux");
    let page = page.filter(|_| follows).and_then(|page| page.canonicalize().ok());
    let Some(page) = page else { return line(text) };
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    print(&with_link(&fitted(&sinks::line(text), columns()), &host, &page))
}

/// Makes the first word of a text a link to a file of this host, in the way of
/// <https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda>.
fn with_link(text: &str, host: &str, page: &Path) -> String {
    let end = text.find(' ').unwrap_or(text.len());
    let path = page.as_os_str().as_encoded_bytes().iter();
    let address: String = host.as_bytes().iter().chain(path).map(|b| escaped(*b)).collect();
    format!("\u{1b}]8;;file://{address}\u{1b}\\{}\u{1b}]8;;\u{1b}\\{}", &text[..end], &text[end..])
}

/// A byte of a path in an address.
fn escaped(byte: u8) -> String {
    match byte {
        b'/' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    }
}

/// Prints a note on progress to standard error.
pub fn note(text: &str) {
    let mut to = io::stderr().lock();
    let width = width(&to);
    let text = coloured(&to, fitted(&sinks::terminal(text), width));
    let _ = writeln!(to, "{text}");
}

/// The width of standard output in columns; `None` if it is not a terminal.
pub fn columns() -> Option<usize> {
    width(&io::stdout())
}

fn coloured(stream: &impl io::IsTerminal, text: String) -> String {
    if colour::are_on(stream) { colour::painted(&text) } else { text }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_a_page_of_any_name() {
        let linked = with_link("one  two", "host-1", Path::new("/a b/\u{1b}[1mé.html"));
        let address = "file://host-1/a%20b/%1B%5B1m%C3%A9.html";
        assert_eq!(linked, format!("\u{1b}]8;;{address}\u{1b}\\one\u{1b}]8;;\u{1b}\\  two"));
    }
}
