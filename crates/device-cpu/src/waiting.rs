//! Time that a sample lost: its threads waited for cores, or the hypervisor took the cores away.

use std::{
    cell::RefCell,
    fs::File,
    os::unix::fs::FileExt as _,
    time::{Duration, Instant},
};

thread_local! {
    /// The scheduler's statistics of this thread: nanoseconds on a core, nanoseconds waiting for
    /// one.
    static ACCOUNT: Option<File> = File::open("/proc/thread-self/schedstat").ok();
}

/// Nanoseconds that this thread has waited for a core since it started; 0 where not counted.
pub(super) fn so_far() -> u64 {
    ACCOUNT
        .with(|file| {
            let mut text = [0; 64];
            let length = file.as_ref()?.read_at(&mut text, 0).ok()?;
            let text = std::str::from_utf8(text.get(..length)?).ok()?;
            text.split(' ').nth(1)?.parse().ok()
        })
        .unwrap_or(0)
}

/// Least time between readings: stolen time is counted in hundredths of a second.
const READING_INTERVAL: Duration = Duration::from_millis(20);
/// Seconds per tick.
const TICK: f64 = 0.01;

/// Time in which a virtual machine's cores were given to others.
pub(super) struct Stolen {
    cores: Vec<String>,
    seen: RefCell<(Instant, u64)>,
}

impl Stolen {
    pub(super) fn new(cores: &[usize]) -> Self {
        let cores = cores.iter().map(|core| format!("cpu{core} ")).collect();
        let stolen = Self { cores, seen: RefCell::new((Instant::now(), 0)) };
        let now = stolen.ticks();
        stolen.seen.borrow_mut().1 = now;
        stolen
    }

    /// Seconds stolen since the last reading; 0 if that was a moment ago.
    pub(super) fn since_last(&self) -> f64 {
        let mut seen = self.seen.borrow_mut();
        if seen.0.elapsed() < READING_INTERVAL {
            return 0.0;
        }
        let now = self.ticks();
        let stolen = now.saturating_sub(seen.1);
        *seen = (Instant::now(), now);
        stolen as f64 * TICK
    }

    fn ticks(&self) -> u64 {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let of = |line: &str| line.split_whitespace().nth(8)?.parse::<u64>().ok();
        let ours = |line: &&str| self.cores.iter().any(|core| line.starts_with(core.as_str()));
        text.lines().filter(ours).filter_map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_shares_its_core_waits_for_it() {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        if File::open("/proc/thread-self/schedstat").is_err() {
            return;
        }
        let allowed = sched_getaffinity(None).expect("an affinity");
        let core = (0..CpuSet::MAX_CPU).find(|core| allowed.is_set(*core)).expect("a core");
        let spin = move || {
            let mut one = CpuSet::new();
            one.set(core);
            sched_setaffinity(None, &one).expect("allowed");
            let (start, before) = (Instant::now(), so_far());
            while start.elapsed() < Duration::from_millis(200) {
                std::hint::spin_loop();
            }
            so_far() - before
        };
        let other = std::thread::spawn(spin);
        let own = std::thread::spawn(spin);
        let waited = own.join().expect("spins") + other.join().expect("spins");
        assert!(waited > 50_000_000, "{waited} ns");
    }
}
