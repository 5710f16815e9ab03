//! How a Linux host affects a process, by the difference of counters between two readings.

use std::{fs, path::Path};

use serde::Serialize;

use super::system_files::{field, groups, read};

/// The counters at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counters {
    /// Ticks of the cores in use.
    cores: Option<Ticks>,
    /// Ticks used by the measuring process and this one.
    own: Option<u64>,
    /// How often threads of the measuring process had to leave their cores.
    preemptions: Option<u64>,
    /// Seconds for which a CPU quota held the group back.
    held_back: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ticks {
    all: u64,
    busy: u64,
    stolen: u64,
}

/// What happened between two readings; `None` where nothing counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Meanwhile {
    /// Share of the cores' time that the host of a virtual machine gave to others.
    pub stolen: Option<f64>,
    /// Share of the cores' time that other programs used.
    pub others: Option<f64>,
    /// How often per second a measuring thread left its core, by force or to wait for another.
    pub preemptions: Option<f64>,
    /// Share of the time for which a CPU quota held threads back.
    pub held_back: Option<f64>,
}

impl Counters {
    /// Reads the counters under a root folder, for these cores and the measuring process.
    #[must_use]
    pub fn read(root: &Path, cores: &[usize], process: Option<u32>) -> Self {
        let used = |of: &str| {
            let stat = read(root, format!("proc/{of}/stat"))?;
            // Skips the name, which is in parentheses and may contain spaces.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
            let (user, system): (u64, u64) =
                (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
            Some(user + system)
        };
        let process = process.map(|number| number.to_string());
        Self {
            cores: read(root, "proc/stat").and_then(|text| ticks(&text, cores)),
            own: process.as_deref().and_then(|number| Some(used(number)? + used("self")?)),
            preemptions: process.as_deref().and_then(|number| preemptions(root, number)),
            held_back: held_back(root),
        }
    }

    /// Returns what happened since an earlier reading, `seconds` ago.
    #[must_use]
    pub fn since(&self, before: &Self, seconds: f64) -> Meanwhile {
        let cores = self.cores.zip(before.cores).map(|(after, before)| Ticks {
            all: after.all.saturating_sub(before.all),
            busy: after.busy.saturating_sub(before.busy),
            stolen: after.stolen.saturating_sub(before.stolen),
        });
        let cores = cores.filter(|cores| cores.all > 0);
        // A count that became smaller belongs to a new process and is not used.
        let own = self.own.zip(before.own).and_then(|(after, before)| after.checked_sub(before));
        let switches = self.preemptions.zip(before.preemptions);
        let switches = switches.and_then(|(after, before)| after.checked_sub(before));
        let held_back = self.held_back.zip(before.held_back);
        Meanwhile {
            stolen: cores.map(|cores| cores.stolen as f64 / cores.all as f64),
            others: cores
                .zip(own)
                .map(|(cores, own)| cores.busy.saturating_sub(own) as f64 / cores.all as f64),
            preemptions: switches.map(|switches| switches as f64 / seconds),
            held_back: held_back
                .map(|(after, before)| ((after - before).max(0.0) / seconds).min(1.0)),
        }
    }
}

/// Returns the sum over these cores; `None` if one of them is missing.
fn ticks(text: &str, cores: &[usize]) -> Option<Ticks> {
    let mut sum = Ticks::default();
    for core in cores {
        let name = format!("cpu{core} ");
        let line = text.lines().find_map(|line| line.strip_prefix(name.as_str()))?;
        let numbers: Vec<u64> =
            line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        // user nice system idle iowait irq softirq steal; guest times are part of user and nice.
        let [user, nice, system, idle, waiting, irq, softirq, stolen] = *numbers.first_chunk()?;
        let busy = user + nice + system + irq + softirq;
        sum.all += busy + idle + waiting + stolen;
        sum.busy += busy;
        sum.stolen += stolen;
    }
    (!cores.is_empty()).then_some(sum)
}

/// Sums over all threads of a process.
fn preemptions(root: &Path, process: &str) -> Option<u64> {
    let tasks = fs::read_dir(root.join(format!("proc/{process}/task"))).ok()?;
    let mut sum = None;
    for task in tasks.flatten() {
        // The thread may have ended since the listing.
        let Some(status) = read(&task.path(), "status") else { continue };
        let count = field(&status, "nonvoluntary_ctxt_switches")?.parse::<u64>().ok()?;
        sum = Some(sum.unwrap_or(0) + count);
    }
    sum
}

/// Returns the longest throttled time, in seconds, of this process's group and the groups above it.
fn held_back(root: &Path) -> Option<f64> {
    let stats = groups(root, "cpu").into_iter();
    let stats = stats.filter_map(|folder| read(root, format!("{folder}/cpu.stat")));
    let throttled = stats.filter_map(|stat| {
        stat.lines().find_map(|line| {
            let (name, value) = line.split_once(' ')?;
            let unit = match name {
                "throttled_usec" => 1e-6,
                "throttled_time" => 1e-9,
                _ => return None,
            };
            Some(value.trim().parse::<f64>().ok()? * unit)
        })
    });
    throttled.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::{super::system_files::tests::root, *};

    fn host(cores: [&str; 2], own: u64, switches: [u64; 2], throttled: u64) -> tempfile::TempDir {
        let stat = format!("cpu  9 9 9 9\ncpu0 {}\ncpu1 {}\nintr 5\n", cores[0], cores[1]);
        let of = |used: u64| format!("7 (a) b) S 1 1 1 0 -1 0 0 0 0 0 {used} 1 0 0\n");
        let status = |count: u64| format!("Name:\tx\nnonvoluntary_ctxt_switches:\t{count}\n");
        root(&[
            ("proc/stat", &stat),
            ("proc/77/stat", &of(own)),
            ("proc/self/stat", &of(0)),
            ("proc/77/task/77/status", &status(switches[0])),
            ("proc/77/task/78/status", &status(switches[1])),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cpu.stat", &format!("usage_usec 1\nthrottled_usec {throttled}\n")),
        ])
    }

    #[test]
    fn what_happened_is_the_difference_of_the_counters() {
        let before = host(["100 0 0 500 0 0 0 10 0 0", "0 0 0 0 0 0 0 0 0 0"], 50, [3, 4], 0);
        let after =
            host(["550 50 50 800 50 5 5 40 0 0", "90 0 0 10 0 0 0 0 0 0"], 550, [13, 14], 500_000);
        let read = |root: &tempfile::TempDir| Counters::read(root.path(), &[0, 1], Some(77));
        let meanwhile = read(&after).since(&read(&before), 10.0);
        // 1,040 ticks passed: 650 busy (500 of them ours), 30 stolen.
        let expected = Meanwhile {
            stolen: Some(30.0 / 1040.0),
            others: Some(150.0 / 1040.0),
            preemptions: Some(2.0),
            held_back: Some(0.05),
        };
        assert_eq!(meanwhile, expected);
    }

    #[test]
    fn what_nobody_counts_is_not_known() {
        let nothing = Counters::read(Path::new("/nowhere"), &[0], Some(1));
        assert_eq!(nothing, Counters::default());
        assert_eq!(nothing.since(&nothing, 1.0), Meanwhile::default());
        let root = host(["1 0 0 1 0 0 0 0", "short"], 5, [1, 1], 0);
        let counters = Counters::read(root.path(), &[0, 1], None);
        assert_eq!((counters.cores, counters.own, counters.preemptions), (None, None, None));
    }

    #[test]
    fn a_process_that_was_replaced_is_not_counted() {
        let counters = |own, preemptions| Counters {
            own: Some(own),
            preemptions: Some(preemptions),
            ..Counters::default()
        };
        assert_eq!(counters(3, 1).since(&counters(500, 90), 1.0), Meanwhile::default());
    }
}
