//! What this process may use: cores by affinity and quota, memory by control groups and limits.

use std::{fs, io, path::Path};

use rustix::{
    process::{Resource, getrlimit},
    thread::{CpuSet, sched_getaffinity},
};

/// Cores this process may run on, at most as many as its control group has processor time for.
pub(super) fn cores() -> Vec<usize> {
    let allowed: Vec<usize> = match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect(),
        Err(_) => Vec::new(),
    };
    let allowed = if allowed.is_empty() { vec![0] } else { allowed };
    // The standard library knows the quotas of both kinds of control groups.
    let share = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    allowed.into_iter().take(share.max(1)).collect()
}

/// Total bytes of memory, and bytes that this process can still take.
pub(super) fn memory() -> io::Result<(u64, u64)> {
    let info = fs::read_to_string("/proc/meminfo")?;
    let mut total = kibibytes(&info, "MemTotal:").unwrap_or(0);
    let mut free = kibibytes(&info, "MemAvailable:").unwrap_or(0);
    for (limit, used) in groups() {
        total = total.min(limit);
        free = free.min(limit.saturating_sub(used));
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    for (resource, used) in [(Resource::As, "VmSize:"), (Resource::Data, "VmData:")] {
        if let Some(limit) = getrlimit(resource).current {
            total = total.min(limit);
            free = free.min(limit.saturating_sub(kibibytes(&status, used).unwrap_or(0)));
        }
    }
    Ok((total, free))
}

/// Parses a line `NAME   123 kB` to bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|n| n * 1024)
}

/// Limit and use of every memory control group above this process.
fn groups() -> Vec<(u64, u64)> {
    let mine = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut found = Vec::new();
    for line in mine.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let path = path.trim_start_matches('/');
        let (root, limit, used, cache) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")
        } else if controllers.split(',').any(|name| name == "memory") {
            let names = ("memory.limit_in_bytes", "memory.usage_in_bytes");
            ("/sys/fs/cgroup/memory", names.0, names.1, "total_inactive_file")
        } else {
            continue;
        };
        // In a container the path may name a group that is not visible, but its root is.
        for folder in Path::new(path).ancestors() {
            found.extend(group(&Path::new(root).join(folder), limit, used, cache));
        }
    }
    found
}

fn group(folder: &Path, limit: &str, used: &str, cache: &str) -> Option<(u64, u64)> {
    let number = |name| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number(limit)?;
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let reclaimable = stat
        .lines()
        .find_map(|line| line.strip_prefix(cache)?.trim().parse::<u64>().ok())
        .unwrap_or(0);
    Some((limit, number(used)?.saturating_sub(reclaimable)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_core_and_some_memory() {
        let (total, free) = memory().expect("known");
        assert!(!cores().is_empty());
        assert!(free > 0 && free <= total, "{free} of {total}");
    }

    #[test]
    fn kibibytes_are_read_by_name() {
        let text = "MemTotal:       2048 kB\nMemAvailable:   1024 kB\n";
        assert_eq!(kibibytes(text, "MemAvailable:"), Some(1024 * 1024));
        assert_eq!(kibibytes(text, "Swap:"), None);
    }
}
