//! The thread that ends a worker whose parent is gone, whatever the main thread is doing.

use std::{io, os::unix::net::UnixStream};

use device::control;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process},
};

/// How often the parent's process number is checked, in case another process holds the parent's end
/// of the socket.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Watches the socket. When the other end closes, which the kernel does for a killed parent, this
/// process and everything it started are killed.
pub(super) fn start(channel: &UnixStream) -> io::Result<()> {
    let channel = channel.try_clone()?;
    let parent = getppid();
    std::thread::Builder::new().name("watchdog".to_owned()).stack_size(64 << 10).spawn(
        move || {
            loop {
                let mut watched = [PollFd::new(&channel, PollFlags::RDHUP)];
                let woken = poll(&mut watched, Some(&LOOK_EVERY));
                let closed = woken.is_ok_and(|count| count > 0);
                if closed || getppid() != parent {
                    end();
                }
            }
        },
    )?;
    Ok(())
}

/// Restores device settings. Then kills the process group if it is the worker's own, else this
/// process.
fn end() {
    control::restore_held();
    if getpgrp() == getpid() {
        let _ = kill_current_process_group(Signal::KILL);
    }
    let _ = kill_process(getpid(), Signal::KILL);
}
