//! What a worker may take of the machine, so that a plugin or kernel that asks for too much costs
//! itself and nothing else; and how processes of ours meet signals.

use rustix::process::{Resource, Rlimit, getpid, getrlimit, set_child_subreaper, setrlimit};

/// The longest file a worker may write: endless printing ends here.
const LONGEST_FILE: u64 = 64 << 20;

/// Sets the limits; one that the system refuses is left out, since it guards against others only.
pub(super) fn apply(memory: Option<u64>) {
    // What a kernel starts stays below this process, where it is seen.
    let _ = set_child_subreaper(Some(getpid()));
    lower(Resource::Core, 0);
    lower(Resource::Fsize, LONGEST_FILE);
    if let Some(bytes) = memory.or_else(machine_memory) {
        // Private writable memory; not address space, of which drivers reserve far more.
        lower(Resource::Data, bytes);
    }
    // When memory runs out in spite of it, the worker goes first.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

fn lower(resource: Resource, to: u64) {
    let Rlimit { current, maximum } = getrlimit(resource);
    let least = |limit: Option<u64>| Some(limit.map_or(to, |limit| limit.min(to)));
    let _ = setrlimit(resource, Rlimit { current: least(current), maximum: least(maximum) });
}

/// The machine's memory in bytes, where the system tells.
fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The dispositions that the program counts on, whatever its parents left: children are waited for,
/// and a file that may not grow is an error of the write.
pub fn prepare_signals() {
    set(libc::SIGCHLD, libc::SIG_DFL);
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

/// Those of a worker: children are waited for, and whoever writes without end is ended.
pub(super) fn take_signals() {
    set(libc::SIGCHLD, libc::SIG_DFL);
    set(libc::SIGXFSZ, libc::SIG_DFL);
}

#[expect(unsafe_code, reason = "sets dispositions of signals")]
fn set(signal: libc::c_int, disposition: libc::sighandler_t) {
    // SAFETY: neither disposition runs any code of this process.
    unsafe { libc::signal(signal, disposition) };
}
