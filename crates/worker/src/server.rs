//! The worker's main function: takes its socket, sets limits, and serves requests until its parent
//! is gone.

use std::{
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    panic::{AssertUnwindSafe, catch_unwind},
};

use device::control;
use rustix::io::Errno;

use super::{
    isolation, limits,
    protocol::{Reply, Request},
    session::Session,
    watchdog, wire,
};

/// Hidden subcommand that turns the program into a worker.
pub(super) const SUBCOMMAND: &str = "__worker";
/// Exit code of a worker that could not start because the machine lacked something.
pub(super) const LACKING: i32 = 71;

/// The first line of `main` in every program that measures: its workers are the program itself,
/// called with the hidden subcommand. In a worker, this function serves and ends the process.
/// Elsewhere it returns.
#[expect(clippy::exit, reason = "a worker's program ends here, whatever its `main` returns")]
pub fn run_if_worker() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == SUBCOMMAND) {
        let rest: Vec<String> = arguments.map(|a| a.to_string_lossy().into_owned()).collect();
        std::process::exit(main(&rest));
    }
    limits::prepare_signals();
}

/// Runs the hidden subcommand, given the arguments after its name. Returns the exit code.
fn main(arguments: &[String]) -> i32 {
    let memory_limit = match arguments {
        [] => None,
        [flag, bytes] if flag == "--memory-limit" && bytes.parse::<u64>().is_ok() => {
            bytes.parse().ok()
        }
        _ => return refuse("its arguments are unknown"),
    };
    let mut channel = match take_channel() {
        Ok(channel) => channel,
        Err(error) if is_no_socket(&error) => {
            return refuse("its standard input is not a socket");
        }
        Err(error) => return lack(&error),
    };
    if let Err(error) = isolation::enter() {
        return lack(&error);
    }
    if let Err(error) = watchdog::start(&channel) {
        return lack(&error);
    }
    limits::take_signals();
    limits::apply(memory_limit);
    let ended = serve(&mut channel);
    // Also after a reply that found no reader: the watchdog may not have restored the devices yet.
    control::restore_held();
    ended.map_or_else(|error| refuse(&error.to_string()), |()| 0)
}

/// Answers requests until the parent is gone or done.
fn serve(channel: &mut UnixStream) -> io::Result<()> {
    let mut session = Session::default();
    loop {
        let request: Request = match wire::receive(channel) {
            Ok(request) => request,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let reply = answer(&mut session, &request);
        if let Err(error) = wire::send(channel, &reply) {
            let told = wire::send(channel, &Reply::Refused(error.to_string()));
            if told.is_err() {
                return Ok(());
            }
        }
    }
}

#[expect(clippy::print_stderr, reason = "a worker's standard error is its log")]
fn refuse(why: &str) -> i32 {
    eprintln!("the worker cannot serve: {why}; autobench starts its workers by itself");
    2
}

#[expect(clippy::print_stderr, reason = "a worker's standard error is its log")]
fn lack(error: &io::Error) -> i32 {
    eprintln!("a worker process cannot begin: {error}");
    LACKING
}

fn is_no_socket(error: &io::Error) -> bool {
    let number = error.raw_os_error();
    [Errno::NOTSOCK, Errno::NOTCONN, Errno::BADF].iter().any(|e| number == Some(e.raw_os_error()))
}

/// Takes the socket off standard input, where plugins and compilers might read it.
fn take_channel() -> io::Result<UnixStream> {
    let channel: OwnedFd = rustix::stdio::stdin().try_clone_to_owned()?;
    let nothing = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(nothing.as_fd())?;
    let channel = UnixStream::from(channel);
    channel.peer_addr()?;
    Ok(channel)
}

/// Serves a request. After a panic the request is refused, and the next one gets a fresh session.
fn answer(session: &mut Session, request: &Request) -> Reply {
    catch_unwind(AssertUnwindSafe(|| session.serve(request))).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        session.close();
        Reply::Refused(format!("the worker panicked: {text}"))
    })
}
