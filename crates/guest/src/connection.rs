//! The line to a guest: a started program's pipes, or a socket.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::{fs::FileTypeExt, net::UnixStream, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::Signal;
use serde::de::DeserializeOwned;

use super::messages::{AnyFault, Fault, FaultKind, Nothing, Request};

/// Exit code of a worker whose guest is gone or no longer understood. The next request starts a new
/// worker with a new guest.
const LOST: i32 = 72;
/// Exit code of a worker whose guest was ended from outside: by a signal such as SIGKILL, or, as far
/// as can be known, if it closed its socket without a word.
pub const ENDED: i32 = 73;

/// Longest line in bytes.
const LONGEST: u64 = 64 << 20;
/// Most characters of a wrong answer that are shown.
const SHOWN: usize = 120;
/// Signals that a program does not cause by its own faults.
const FROM_OUTSIDE: [Signal; 4] = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP];
/// A guest has this long to end after its input is closed.
const END_WITHIN: Duration = Duration::from_secs(2);

pub(super) struct Connection {
    name: String,
    from: BufReader<Box<dyn Read + Send>>,
    /// `None` once closed.
    to: Option<Box<dyn Write + Send>>,
    child: Option<Child>,
    line: Vec<u8>,
}

impl Connection {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let fault = |what: &str, error: io::Error| format!("`{}` {what}: {error}", path.display());
        let is_socket = std::fs::metadata(path)
            .map_err(|error| fault("cannot be opened", error))?
            .file_type()
            .is_socket();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let (from, to, child): (Box<dyn Read + Send>, Box<dyn Write + Send>, _) = if is_socket {
            let stream = UnixStream::connect(path)
                .map_err(|error| fault("is a socket where no guest listens", error))?;
            let reader = stream.try_clone().map_err(|error| fault("cannot be used", error))?;
            (Box::new(reader), Box::new(stream), None)
        } else {
            let mut child = start(path).map_err(|error| fault("cannot be started", error))?;
            let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
                return Err(format!("`{}` has no pipes", path.display()));
            };
            (Box::new(from), Box::new(to), Some(child))
        };
        Ok(Self { name, from: BufReader::new(from), to: Some(to), child, line: Vec::new() })
    }

    /// Sends a request and returns the reply, or the fault that the guest replied. If the guest is
    /// gone or makes no sense, this ends the process: its parent reports that, and starts another.
    pub(super) fn ask<T: DeserializeOwned>(&mut self, request: &Request<'_>) -> Result<T, Fault> {
        self.send(request);
        self.receive();
        if let Ok(fault) = serde_json::from_slice::<Fault>(&self.line) {
            if fault.fault == FaultKind::Lost {
                self.lose(&format!("lost its device: {}", fault.reason));
            }
            return Err(fault);
        }
        // An unknown fault is no reply, though all fields of the reply may be left out.
        let is_fault = serde_json::from_slice::<AnyFault>(&self.line).is_ok();
        match serde_json::from_slice(&self.line) {
            Ok(reply) if !is_fault => Ok(reply),
            Ok(_) => self.lose(&format!("answered with an unknown fault: `{}`", shown(&self.line))),
            Err(error) => {
                let asked = serde_json::to_string(request).unwrap_or_default();
                let said = format!(
                    "answered `{}` to `{}`: {error}",
                    shown(&self.line),
                    shown(asked.as_bytes())
                );
                self.lose(&said)
            }
        }
    }

    /// Sends a request that must not fail.
    pub(super) fn order(&mut self, request: &Request<'_>) {
        if let Err(fault) = self.ask::<Nothing>(request) {
            self.lose(&format!("refused to close: {}", fault.reason));
        }
    }

    fn send(&mut self, request: &Request<'_>) {
        let Ok(mut line) = serde_json::to_vec(request) else { self.lose("got no request") };
        line.push(b'\n');
        let sent = self.to.as_mut().map(|to| to.write_all(&line).and_then(|()| to.flush()));
        if !matches!(sent, Some(Ok(()))) {
            self.say_how_it_ended();
        }
    }

    /// Reads a line into `self.line`.
    fn receive(&mut self) {
        self.line.clear();
        let read = self.from.by_ref().take(LONGEST).read_until(b'\n', &mut self.line);
        match read {
            Ok(_) if self.line.ends_with(b"\n") => {}
            Ok(count) if count as u64 == LONGEST => {
                self.lose(&format!("answered with more than {LONGEST} bytes in a line"));
            }
            Ok(_) | Err(_) => self.say_how_it_ended(),
        }
    }

    fn say_how_it_ended(&mut self) -> ! {
        let Some(child) = &mut self.child else {
            self.end("closed its socket", ENDED);
        };
        let Some(status) = wait(child) else { self.lose("closed its output") };
        let Some(signal) = status.signal() else {
            self.lose(&format!("ended with exit code {}", status.code().unwrap_or(-1)));
        };
        let named = Signal::from_named_raw(signal);
        let name = named.map_or_else(|| signal.to_string(), |named| format!("{named:?}"));
        let is_from_outside = named.is_some_and(|named| FROM_OUTSIDE.contains(&named));
        let code = if is_from_outside { ENDED } else { LOST };
        self.end(&format!("was ended by the signal {name}"), code);
    }

    /// Ends this process, because nothing more can be said to the guest.
    fn lose(&mut self, why: &str) -> ! {
        self.end(why, LOST)
    }

    #[expect(clippy::print_stderr, reason = "a worker's last words are in its log")]
    fn end(&mut self, why: &str, code: i32) -> ! {
        eprintln!("the guest `{}` {why}", self.name);
        self.close();
        std::process::exit(code);
    }

    fn close(&mut self) {
        self.to = None;
        if let Some(mut child) = self.child.take()
            && wait(&mut child).is_none()
        {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}

fn start(path: &Path) -> io::Result<Child> {
    // A path without a separator would be looked for elsewhere.
    let path: PathBuf = std::path::absolute(path)?;
    Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

fn wait(child: &mut Child) -> Option<std::process::ExitStatus> {
    let begin = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if begin.elapsed() > END_WITHIN {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
