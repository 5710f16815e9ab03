//! Limits on what a worker may take from the machine, so that a greedy plugin or kernel harms only
//! itself. Also sets how signals are handled.

use rustix::process::{Resource, Rlimit, getpid, getrlimit, set_child_subreaper, setrlimit};

/// Longest file that a worker may write, in bytes. It stops endless printing.
const LONGEST_FILE: u64 = 64 << 20;

/// Sets the limits. A limit that the system refuses is skipped, since the limits only protect
/// others.
pub(super) fn apply(memory: Option<u64>) {
    // Descendants stay below this process, where they can be found.
    let _ = set_child_subreaper(Some(getpid()));
    lower(Resource::Core, 0);
    lower(Resource::Fsize, LONGEST_FILE);
    if let Some(bytes) = memory.or_else(machine_memory) {
        // Private writable memory, not address space: drivers reserve far more address space.
        lower(Resource::Data, bytes);
    }
    // If memory still runs out, the system kills the worker first.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

fn lower(resource: Resource, to: u64) {
    let Rlimit { current, maximum } = getrlimit(resource);
    let least = |limit: Option<u64>| Some(limit.map_or(to, |limit| limit.min(to)));
    let _ = setrlimit(resource, Rlimit { current: least(current), maximum: least(maximum) });
}

fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Sets the program's signals, whatever it inherited: children can be waited for, and writing to a
/// file that may not grow is an error.
pub(super) fn prepare_signals() {
    set(libc::SIGCHLD, libc::SIG_DFL);
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

/// Sets a worker's signals: children can be waited for, and endless writing kills the process.
pub(super) fn take_signals() {
    set(libc::SIGCHLD, libc::SIG_DFL);
    set(libc::SIGXFSZ, libc::SIG_DFL);
}

#[expect(unsafe_code, reason = "sets dispositions of signals")]
fn set(signal: libc::c_int, disposition: libc::sighandler_t) {
    // SAFETY: neither disposition runs code of this process.
    unsafe { libc::signal(signal, disposition) };
}
