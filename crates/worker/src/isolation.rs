//! Cuts a worker off from the network and from rights outside its own user namespace, where the
//! system permits it: a kernel runs with the rights of the person who called the program.
#![expect(unsafe_code, reason = "enters namespaces")]

use std::{fs, io, path::Path};

use rustix::process::{getegid, geteuid};

/// Environment variable: `no` never isolates, `yes` isolates root's workers, too.
const VARIABLE: &str = "AUTOBENCH_ISOLATE";
/// Makes NVIDIA's device files when a program needs them. It is setuid root, which has no effect in
/// a user namespace.
const MODPROBE: &str = "/usr/bin/nvidia-modprobe";
/// The device file that is made last.
const UNIFIED_MEMORY: &str = "/dev/nvidia-uvm";

/// Enters namespaces of this process's own, if that is wanted and permitted. Call it before any
/// thread is started.
///
/// # Errors
/// If this process is in a namespace in which it can do nothing.
pub(super) fn enter() -> io::Result<()> {
    let wanted = is_wanted(
        std::env::var(VARIABLE).ok().as_deref(),
        geteuid().is_root(),
        Path::new(MODPROBE).exists() && !Path::new(UNIFIED_MEMORY).exists(),
    );
    if wanted && is_permitted() { unshare() } else { Ok(()) }
}

/// Root has no namespace by default: in one it could no longer read other people's files, nor set
/// clocks.
fn is_wanted(asked: Option<&str>, is_root: bool, lacks_device_files: bool) -> bool {
    match asked {
        Some("no") => false,
        Some("yes") => !lacks_device_files,
        _ => !is_root && !lacks_device_files,
    }
}

/// Whether a child can do it. A process that fails half-way cannot go back.
fn is_permitted() -> bool {
    // SAFETY: this process has one thread, so the child can do what it wants. It only enters
    // namespaces and ends.
    let child = unsafe { libc::fork() };
    match child {
        -1 => false,
        0 => {
            let code = i32::from(unshare().is_err());
            // SAFETY: ends the child without running anything of its parent.
            unsafe { libc::_exit(code) }
        }
        child => {
            let mut status = 0;
            // SAFETY: `status` outlives the call.
            let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
            waited == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
        }
    }
}

fn unshare() -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // SAFETY: no memory of this process changes.
    if unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) } != 0 {
        return Err(io::Error::last_os_error());
    }
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))
}

/// Whether a process has another network than this one.
pub(super) fn is_isolated(process: u32) -> bool {
    let network = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).ok();
    let both = network("self").zip(network(&process.to_string()));
    both.is_some_and(|(own, other)| own != other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_decides_and_root_and_missing_device_files_speak_against_it() {
        for (asked, is_root, lacks, wanted) in [
            (None, false, false, true),
            (None, true, false, false),
            (None, false, true, false),
            (Some("yes"), true, false, true),
            (Some("yes"), true, true, false),
            (Some("no"), false, false, false),
            (Some(""), false, false, true),
        ] {
            assert_eq!(is_wanted(asked, is_root, lacks), wanted, "{asked:?} {is_root} {lacks}");
        }
        assert!(!is_isolated(std::process::id()));
    }
}
