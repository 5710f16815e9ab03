//! Finds and kills all descendants of a worker by a mark in the environment that they inherit. This
//! includes descendants that left its process group and parent.

use std::{
    fs,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

pub(super) const VARIABLE: &str = "AUTOBENCH_WORKER_MARK";

/// A mark that no other worker on this machine has: process number, start time, and a count.
pub(super) fn new_mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let started = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let started = started.rsplit(' ').nth(30).unwrap_or_default().to_owned();
    format!("{}-{started}-{count}", std::process::id())
}

/// Kills every process with the mark, repeatedly, since a process may just have started another.
pub(super) fn kill(mark: &str) {
    /// Limit for processes that are started faster than they are killed. On busy cores a killed
    /// process takes a while to end.
    const KILL_TIMEOUT: Duration = Duration::from_millis(500);
    let began = Instant::now();
    while began.elapsed() < KILL_TIMEOUT {
        let found = marked(mark);
        if found.is_empty() {
            return;
        }
        for pid in found {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{VARIABLE}={mark}");
    let is_marked = |pid: i32| {
        // Unreadable for ended processes and for processes of other users. These are left out.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|pid| is_marked(*pid)).filter_map(Pid::from_raw).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_left_its_group_is_found_by_its_mark() {
        let mark = new_mark();
        let mut shell = Command::new("sh")
            .args(["-c", "setsid sleep 300 & echo started; wait"])
            .env(VARIABLE, &mark)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut said = [0; 8];
        let output = shell.stdout.as_mut().expect("piped");
        std::io::Read::read_exact(output, &mut said).expect("started");
        assert!(!marked(&mark).is_empty());
        kill(&mark);
        let _ = shell.wait();
        assert!(marked(&mark).is_empty());
    }
}
