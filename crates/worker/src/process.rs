//! A worker process as its parent holds it. Its standard input is a socket, and its output goes to
//! a log. It gets one request at a time, and is killed with all descendants when it is late. It has
//! its own process group, so that Ctrl-C at a terminal reaches only the program and compilers die
//! with the worker.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{
            net::UnixStream,
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open},
};

use super::{
    descendants,
    fault::{FROM_OUTSIDE, WorkerFault},
    protocol::{Reply, Request},
    server::{LACKING, SUBCOMMAND},
    wire,
};

/// Longest wait for a process that closed its socket, since unmapping its memory takes time.
const GONE_WITHIN: Duration = Duration::from_secs(10);
/// Longest log, in bytes. A longer log is cut before the next request.
const LONGEST_LOG: u64 = 16 << 20;
/// Limits of the last words: bytes read from the log's end, lines kept, and characters kept.
const TAIL: u64 = 4096;
const LAST_LINES: usize = 3;
const LAST_WORDS: usize = 400;

/// How workers are started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Log of everything that the worker, its plugins and its kernels print.
    pub log: PathBuf,
    /// Folder for temporary files of the worker, its compilers and its kernels; `None` means the
    /// system's.
    pub temporary: Option<PathBuf>,
    /// Most bytes of memory a worker may take; `None` means all of the machine's.
    pub memory_limit: Option<u64>,
    /// Program to start as a worker; `None` means this program (or `AUTOBENCH_WORKER_EXE`).
    pub executable: Option<PathBuf>,
}

impl ClientSettings {
    /// Settings for workers of this program, without a memory limit.
    #[must_use]
    pub fn new(log: &Path) -> Self {
        Self { log: log.to_owned(), temporary: None, memory_limit: None, executable: None }
    }
}

#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    channel: UnixStream,
    log: PathBuf,
    /// Length of the log when the request began.
    log_start: u64,
    /// Pidfd: readable once the process has ended, even if other processes hold its socket.
    end: Option<OwnedFd>,
    /// Value of the mark in the environment of the process and of all its descendants.
    mark: String,
    answered: bool,
}

impl Process {
    pub(super) fn start(settings: &ClientSettings) -> Result<Self, WorkerFault> {
        let fault = |error: io::Error| WorkerFault::Start(error.to_string());
        let executable = executable(settings).map_err(fault)?;
        let log =
            OpenOptions::new().create(true).append(true).open(&settings.log).map_err(|error| {
                WorkerFault::Start(format!("cannot write `{}`: {error}", settings.log.display()))
            })?;
        let (ours, theirs) = UnixStream::pair().map_err(fault)?;
        let mark = descendants::new_mark();
        let mut command = Command::new(&executable);
        command
            .arg(SUBCOMMAND)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(log.try_clone().map_err(fault)?)
            .stderr(log)
            .env("RUST_BACKTRACE", "0")
            .env(descendants::VARIABLE, &mark)
            .process_group(0);
        if let Some(folder) = &settings.temporary {
            command.env("TMPDIR", folder);
        }
        if let Some(bytes) = settings.memory_limit {
            command.arg("--memory-limit").arg(bytes.to_string());
        }
        let child = command.spawn().map_err(|error| {
            WorkerFault::Start(format!("cannot run `{}`: {error}", executable.display()))
        })?;
        let log = settings.log.clone();
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let end = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        Ok(Self { child, channel: ours, log, log_start: 0, end, mark, answered: false })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request and waits for its reply. After any fault the process is gone.
    pub(super) fn exchange(
        &mut self,
        request: &Request,
        timeout: Duration,
    ) -> Result<Reply, WorkerFault> {
        self.log_start = trim_log(&self.log);
        let waited_before = waiting(self.id());
        let deadline = Instant::now() + timeout;
        let mut channel = Deadline { channel: &self.channel, end: self.end.as_ref(), deadline };
        let reply = channel
            .remaining()
            .and_then(|left| self.channel.set_write_timeout(Some(left)))
            .and_then(|()| wire::send(&mut &self.channel, request))
            .and_then(|()| wire::receive(&mut channel));
        self.answered |= reply.is_ok();
        reply.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                let waited = waited_longest(&waited_before, &waiting(self.id()));
                self.kill();
                WorkerFault::TimedOut { after: timeout, waited, last_words: self.last_words() }
            }
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                self.kill();
                WorkerFault::Protocol(error.to_string())
            }
            _ => self.ended(),
        })
    }

    /// The fault of a process that closed its socket: how it ended, and its last words.
    fn ended(&mut self) -> WorkerFault {
        let deadline = Instant::now() + GONE_WITHIN;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => break None,
            }
        };
        self.kill();
        let last_words = self.last_words();
        if !self.answered && status.is_some_and(|status| status.code() == Some(LACKING)) {
            return WorkerFault::Machine(last_words);
        }
        let how = status.map_or_else(|| "stopped answering".to_owned(), in_words);
        WorkerFault::Crashed { how, last_words }
    }

    /// Kills the process and all descendants, and waits for the process.
    pub(super) fn kill(&mut self) {
        // The group exists while any member runs. Its number cannot be given to a new process
        // before then, nor before the leader is waited for.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // An error means that the group is empty.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        descendants::kill(&self.mark);
    }

    fn last_words(&self) -> String {
        read_tail(&self.log, self.log_start).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn executable(settings: &ClientSettings) -> io::Result<PathBuf> {
    if let Some(path) = &settings.executable {
        return Ok(path.clone());
    }
    if let Some(path) = std::env::var_os("AUTOBENCH_WORKER_EXE") {
        return Ok(path.into());
    }
    // `/proc/self/exe` also works if the program was rebuilt while it runs.
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

/// How long each thread of a process has waited for a core. Empty where the system does not count.
fn waiting(process: u32) -> BTreeMap<OsString, Duration> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return BTreeMap::new();
    };
    let of_thread = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanoseconds = text.split_whitespace().nth(1)?.parse().ok()?;
        Some((thread.file_name(), Duration::from_nanos(nanoseconds)))
    };
    threads.flatten().filter_map(of_thread).collect()
}

/// The longest wait of a thread between two counts.
fn waited_longest(
    before: &BTreeMap<OsString, Duration>,
    after: &BTreeMap<OsString, Duration>,
) -> Duration {
    let since = |(thread, waited): (&OsString, &Duration)| {
        waited.saturating_sub(before.get(thread).copied().unwrap_or_default())
    };
    after.iter().map(since).max().unwrap_or_default()
}

/// Cuts a log that is too long. Returns its length.
fn trim_log(log: &Path) -> u64 {
    let length = std::fs::metadata(log).map_or(0, |about| about.len());
    if length <= LONGEST_LOG {
        return length;
    }
    match OpenOptions::new().write(true).open(log).and_then(|file| file.set_len(0)) {
        Ok(()) => 0,
        Err(_) => length,
    }
}

/// The last lines of a file after the offset `start`, joined into one line.
fn read_tail(log: &Path, start: u64) -> io::Result<String> {
    let mut file = File::open(log)?;
    let end = file.metadata()?.len();
    file.seek(SeekFrom::Start(start.max(end.saturating_sub(TAIL))))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| line.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned())
        .filter(|line| !line.is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE"))
        .collect();
    lines.drain(..lines.len().saturating_sub(LAST_LINES));
    let words = lines.join(" | ");
    Ok(words.chars().take(LAST_WORDS).collect())
}

fn in_words(status: ExitStatus) -> String {
    if status.code() == Some(guest::ENDED) {
        return format!("lost its guest, which was ended {FROM_OUTSIDE}");
    }
    let Some(signal) = status.signal() else {
        return format!("ended with exit code {}", status.code().unwrap_or(-1));
    };
    let known = [
        (Signal::SEGV, "a segmentation fault (SIGSEGV)"),
        (Signal::BUS, "a bus error (SIGBUS)"),
        (Signal::ILL, "an illegal instruction (SIGILL)"),
        (Signal::FPE, "an arithmetic fault (SIGFPE)"),
        (Signal::ABORT, "an abort (SIGABRT)"),
        (Signal::TRAP, "a trap (SIGTRAP)"),
        (Signal::XFSZ, "the limit on the length of files it may write (SIGXFSZ)"),
    ];
    let outside = [
        (Signal::KILL, "a kill", "(SIGKILL), most likely for lack of memory"),
        (Signal::TERM, "a request", "(SIGTERM)"),
        (Signal::INT, "an interruption", "(SIGINT)"),
        (Signal::HUP, "a hang-up", "(SIGHUP)"),
    ];
    if let Some((_, what, which)) = outside.iter().find(|(of, ..)| of.as_raw() == signal) {
        return format!("was ended by {what} {FROM_OUTSIDE} {which}");
    }
    known.iter().find(|(number, _)| number.as_raw() == signal).map_or_else(
        || format!("was ended by signal {signal}"),
        |(_, name)| format!("was ended by {name}"),
    )
}

/// Reads from a socket until a deadline or until the process has ended.
struct Deadline<'a> {
    channel: &'a UnixStream,
    end: Option<&'a OwnedFd>,
    deadline: Instant,
}

impl Deadline<'_> {
    fn remaining(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Deadline<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.remaining()?;
        if let Some(end) = self.end {
            let mut both = [
                PollFd::from_borrowed_fd(self.channel.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(end.as_fd(), PollFlags::IN),
            ];
            let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut both, Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => return Err(io::ErrorKind::Interrupted.into()),
                ready => ready?,
            };
            if both[0].revents().is_empty() {
                // Descendants may hold the socket for longer, so the end of the process counts as
                // end of file.
                let ended = !both[1].revents().is_empty();
                return if ended { Ok(0) } else { Err(io::ErrorKind::TimedOut.into()) };
            }
        }
        self.channel.set_read_timeout(Some(left))?;
        self.channel.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_the_last_lines_after_the_request_began() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        let before = "old news\n";
        std::io::Write::write_all(
            &mut file,
            format!("{before}one\n\ntwo\x1b\nthree\nfour\nnote: run with `RUST_BACKTRACE=1`\n")
                .as_bytes(),
        )
        .expect("writable");
        let start = before.len() as u64;
        assert_eq!(read_tail(file.path(), start).expect("readable"), "two | three | four");
    }

    #[test]
    fn ends_are_said_in_words() {
        assert_eq!(in_words(ExitStatus::from_raw(3 << 8)), "ended with exit code 3");
        assert!(in_words(ExitStatus::from_raw(11)).contains("segmentation fault (SIGSEGV)"));
        assert_eq!(in_words(ExitStatus::from_raw(64)), "was ended by signal 64");
    }

    #[test]
    fn a_program_that_is_no_worker_is_a_fault_not_a_hang() {
        let log = tempfile::NamedTempFile::new().expect("a temporary file");
        let settings = ClientSettings {
            executable: Some("/bin/false".into()),
            ..ClientSettings::new(log.path())
        };
        let mut process = Process::start(&settings).expect("it starts");
        let fault = process.exchange(&Request::Devices, Duration::from_secs(20));
        assert_eq!(
            fault,
            Err(WorkerFault::Crashed {
                how: "ended with exit code 1".to_owned(),
                last_words: String::new()
            })
        );
    }

    #[test]
    fn a_worker_that_never_answers_is_killed_with_its_children() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/worker/deaf");
        let settings = ClientSettings {
            executable: Some(script),
            ..ClientSettings::new(&folder.path().join("log"))
        };
        let mut process = Process::start(&settings).expect("it starts");
        let fault = process.exchange(&Request::Devices, Duration::from_secs(4));
        let Err(WorkerFault::TimedOut { last_words, .. }) = fault else { panic!("{fault:?}") };
        let (said, child) = last_words.split_once(" | ").expect("two lines");
        assert_eq!(said, "waiting");
        // The child's death is polled, since this process is not the child's parent. The kernel
        // delivers the signal when it next schedules the child.
        let patience = Instant::now() + Duration::from_secs(60);
        loop {
            let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            if state.is_empty() || state.contains(") Z ") {
                break;
            }
            assert!(Instant::now() < patience, "its child still runs: {state}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
