//! Facts of a Linux host that affect timings. Facts that cannot be read are unknown, never guessed.

use std::path::Path;

use serde::Serialize;

use super::{
    Siblings,
    system_files::{field, groups, list, read},
};

/// Facts of the host.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostFacts {
    /// Cores (hardware threads) that this process may use; empty where unknown.
    pub cores: Vec<usize>,
    /// Frequency governors of these cores, without duplicates.
    pub governors: Option<Vec<String>>,
    /// Whether clocks may rise above their base frequency, and how that is set.
    pub turbo: Option<Turbo>,
    /// Hardware threads that share a core.
    pub siblings: Option<Siblings>,
    /// Whether this is a virtual machine.
    pub virtual_machine: Option<bool>,
    /// Average number of running or waiting programs in the minute before measuring.
    pub load: Option<f64>,
    /// CPU quota of this process's group.
    pub quota: Option<Quota>,
    /// Name of the system's clock source.
    pub clock_source: Option<String>,
    /// Whether the kernel counts how long threads wait for a core.
    pub counts_waiting: bool,
}

/// Whether clocks may rise above their base frequency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Turbo {
    /// Whether clocks may rise.
    pub on: bool,
    /// The file that switches this.
    pub file: String,
    /// The text that turns it off if written to the file.
    pub off: String,
}

/// A CPU quota.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quota {
    /// There is no limit.
    Unlimited,
    /// The time of this many cores.
    Cores(f64),
}

/// Files that allow clocks to rise, with the texts for on and off.
const TURBO: [(&str, &str, &str); 2] = [
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0", "1"),
    ("sys/devices/system/cpu/cpufreq/boost", "1", "0"),
];

impl HostFacts {
    /// Reads all facts under a root folder, which is `/` except in tests.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let status = read(root, "proc/self/status").unwrap_or_default();
        let cores = field(&status, "Cpus_allowed_list").and_then(list).unwrap_or_default();
        Self {
            governors: governors(root, &cores),
            turbo: TURBO.into_iter().find_map(|(file, on, off)| {
                let now = read(root, file)?;
                let known = [on, off].contains(&now.as_str());
                known.then(|| Turbo {
                    on: now == on,
                    file: format!("/{file}"),
                    off: off.to_owned(),
                })
            }),
            siblings: Siblings::read(root, &cores),
            virtual_machine: virtual_machine(root),
            load: read(root, "proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            quota: quota(root),
            clock_source: read(
                root,
                "sys/devices/system/clocksource/clocksource0/current_clocksource",
            ),
            counts_waiting: read(root, "proc/self/schedstat").is_some(),
            cores,
        }
    }
}

/// Returns the governors of these cores, without duplicates; `None` if one is unknown.
fn governors(root: &Path, cores: &[usize]) -> Option<Vec<String>> {
    let of = |core: &usize| {
        read(root, format!("sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"))
    };
    let mut all = cores.iter().map(of).collect::<Option<Vec<String>>>()?;
    all.sort_unstable();
    all.dedup();
    (!all.is_empty()).then_some(all)
}

/// Whether this is a virtual machine, by the CPU's `hypervisor` flag. `None` without listed flags.
fn virtual_machine(root: &Path) -> Option<bool> {
    if read(root, "sys/hypervisor/type").is_some() {
        return Some(true);
    }
    let info = read(root, "proc/cpuinfo")?;
    Some(field(&info, "flags")?.split(' ').any(|flag| flag == "hypervisor"))
}

/// Returns the tightest quota of this process's group and the groups above it.
fn quota(root: &Path) -> Option<Quota> {
    let mut seen = false;
    let mut least = f64::INFINITY;
    for folder in groups(root, "cpu") {
        let number = |name: &str| read(root, format!("{folder}/{name}"));
        let (allowed, period) = match number("cpu.max") {
            Some(text) => {
                let (allowed, period) = text.split_once(' ')?;
                (allowed.to_owned(), period.to_owned())
            }
            None => match (number("cpu.cfs_quota_us"), number("cpu.cfs_period_us")) {
                (Some(allowed), Some(period)) => (allowed, period),
                _ => continue,
            },
        };
        seen = true;
        // `max` and -1 mean no limit.
        if let (Ok(allowed), Ok(period)) = (allowed.parse::<f64>(), period.parse::<f64>())
            && allowed > 0.0
            && period > 0.0
        {
            least = least.min(allowed / period);
        }
    }
    match (seen, least.is_finite()) {
        (_, true) => Some(Quota::Cores(least)),
        (true, false) => Some(Quota::Unlimited),
        // The root of the hierarchy has no limit and no such file.
        (false, false) => read(root, "sys/fs/cgroup/cgroup.controllers").map(|_| Quota::Unlimited),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::system_files::tests::root, *};

    const STATUS: (&str, &str) = ("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-1\n");

    #[test]
    fn a_host_that_says_everything_is_read() {
        let root = root(&[
            STATUS,
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0-1\n"),
            ("sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0-1\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
            ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse hypervisor\n"),
            ("proc/loadavg", "0.52 0.40 0.30 1/100 1234\n"),
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
            ("proc/self/schedstat", "1 2 3\n"),
        ]);
        let host = HostFacts::read(root.path());
        assert_eq!(host.cores, [0, 1]);
        assert_eq!(
            host.governors.as_deref(),
            Some(&["performance".into(), "powersave".into()][..])
        );
        let turbo = host.turbo.expect("it is said");
        assert!(turbo.on && turbo.file.ends_with("/no_turbo") && turbo.off == "1");
        assert_eq!(host.siblings.expect("they are said").together, [vec![0, 1]]);
        assert_eq!((host.virtual_machine, host.load), (Some(true), Some(0.52)));
        assert_eq!(host.quota, Some(Quota::Cores(1.5)));
        assert_eq!(host.clock_source.as_deref(), Some("hpet"));
        assert!(host.counts_waiting);
    }

    #[test]
    fn what_is_not_there_or_makes_no_sense_is_not_known() {
        assert_eq!(HostFacts::read(Path::new("/nowhere")), HostFacts::default());
        let root = root(&[
            STATUS,
            // Only one of the two governors is known.
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpufreq/boost", "perhaps\n"),
            ("proc/cpuinfo", "Features\t: fp asimd\n"),
            ("proc/loadavg", "much\n"),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cpu.max", "nonsense\n"),
        ]);
        let host = HostFacts { cores: vec![0, 1], ..HostFacts::default() };
        assert_eq!(HostFacts::read(root.path()), host);
    }

    #[test]
    fn limits_of_older_groups_are_read_and_roots_have_none() {
        let old = root(&[
            ("proc/self/cgroup", "1:cpu:/\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ]);
        assert_eq!(HostFacts::read(old.path()).quota, Some(Quota::Unlimited));
        let new =
            root(&[("proc/self/cgroup", "0::/"), ("sys/fs/cgroup/cgroup.controllers", "cpu")]);
        assert_eq!(HostFacts::read(new.path()).quota, Some(Quota::Unlimited));
    }
}
