//! Whether other programs share the cores.

use std::{fs, iter, sync::OnceLock, thread, time::Duration};

/// Values from `/proc/loadavg`.
pub struct Load {
    /// Load average of the last minute.
    pub average: f64,
    /// Threads that run or want to, including the reader itself. Threads of other containers, and
    /// on cores that this process may not use, count too.
    running: usize,
}

impl Load {
    /// The load now, where the system tells.
    #[must_use]
    pub fn now() -> Option<Self> {
        Self::read(&fs::read_to_string("/proc/loadavg").ok()?)
    }

    /// Parses `2.05 1.96 1.94 3/165 4242`.
    fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let average = words.next()?.parse().ok()?;
        let running = words.nth(2)?.split_once('/')?.0.parse().ok()?;
        Some(Self { average, running })
    }
}

/// A warning if other programs share these cores. The load is read only once, when a device is
/// opened: later it is this program's own.
#[must_use]
pub fn warning(cores: usize) -> Option<String> {
    static SHARED: OnceLock<Option<f64>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let average = Load::now().map(|load| load.average);
        average.filter(|&average| is_high(average, cores) && run_now(cores, looks()))
    });
    let average = (*shared)?;
    Some(format!("the load average is {average} on {cores} cores: other programs share them"))
}

fn is_high(average: f64, cores: usize) -> bool {
    average > 0.5 * cores as f64
}

/// Counts running threads over a fifth of a second: programs run in bursts, and the average also
/// counts programs that have just ended, such as the previous study.
fn looks() -> impl Iterator<Item = usize> {
    const APART: Duration = Duration::from_millis(10);
    iter::repeat_with(|| thread::sleep(APART)).take(20).map_while(|()| Some(Load::now()?.running))
}

/// Whether threads other than the reader wanted a quarter of the cores, on average over these
/// counts.
fn run_now(cores: usize, looks: impl Iterator<Item = usize>) -> bool {
    let others: Vec<usize> = looks.map(|running| running.saturating_sub(1)).collect();
    others.iter().sum::<usize>() as f64 >= 0.25 * (others.len() * cores) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_the_kernel_writes_it() {
        let load = Load::read("2.05 1.96 1.94 3/165 4242\n").expect("all there");
        assert_eq!((load.average.to_string().as_str(), load.running), ("2.05", 3));
        assert!(Load::read("2.05 1.96 1.94").is_none());
    }

    #[test]
    fn what_has_ended_shares_no_core_and_bursts_do() {
        assert!(is_high(1.1, 2) && !is_high(1.0, 2));
        assert!(!run_now(2, iter::repeat_n(1, 20)), "the reader alone");
        assert!(run_now(2, iter::repeat_n(2, 20)), "and one more");
        assert!(run_now(2, (0..20).map(|at| 1 + at % 2)), "which runs every other time");
        assert!(!run_now(64, iter::repeat_n(2, 20)), "or is one of many");
    }
}
