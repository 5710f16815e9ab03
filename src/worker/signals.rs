//! The dispositions of signals that processes count on, whatever their parents left them.
#![expect(unsafe_code, reason = "sets dispositions of signals")]

/// For the program: children are waited for, and a file that may not grow is an error of the write.
pub fn of_program() {
    set(libc::SIGCHLD, libc::SIG_DFL);
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

/// For a worker: children are waited for, and whoever writes without end is ended.
pub(super) fn of_worker() {
    set(libc::SIGCHLD, libc::SIG_DFL);
    set(libc::SIGXFSZ, libc::SIG_DFL);
}

fn set(signal: libc::c_int, disposition: libc::sighandler_t) {
    // SAFETY: neither disposition runs any code of this process.
    unsafe { libc::signal(signal, disposition) };
}
