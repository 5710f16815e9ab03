//! Cuts a worker off from the network and from rights outside its own user namespace, where that is
//! asked for and the system permits it: a kernel runs with the rights of the person who called the
//! program.
#![expect(unsafe_code, reason = "enters namespaces")]

use std::{fs, io, path::Path};

use rustix::process::{getegid, geteuid};

/// Environment variable: `yes` isolates. It is not the default: in a namespace a worker has no
/// capabilities, which counters and priorities may need, and no GPU was tried yet.
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
    let is_wanted = std::env::var(VARIABLE).is_ok_and(|asked| asked == "yes");
    let lacks_device_files = Path::new(MODPROBE).exists() && !Path::new(UNIFIED_MEMORY).exists();
    if is_wanted && !lacks_device_files && is_permitted() { unshare() } else { Ok(()) }
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
