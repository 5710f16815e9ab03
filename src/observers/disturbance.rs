//! Preemptions and page faults while samples were taken. They mark no sample as disturbed; the
//! seconds that a backend sees lost do (`backends::Disturbance`).

use std::fs::read_to_string;

use super::{Observer, Scene, Scope, Watch};
use crate::records::{Metric, MetricSource};

inventory::submit!(Observer {
    name: "disturbance",
    about: "whether the machine disturbed the samples, where the system counts it",
    scope: Scope::Samples,
    start,
});

inventory::submit!(Metric {
    name: "preemptions",
    unit: "",
    about: "times the processor was taken away",
    better: None,
    source: MetricSource::Live,
});

inventory::submit!(Metric {
    name: "page_faults",
    unit: "",
    about: "minor page faults",
    better: None,
    source: MetricSource::Live,
});

fn start(_scene: &Scene) -> Option<Box<dyn Watch>> {
    Some(Box::new(Counts(counts()?)))
}

struct Counts([f64; 2]);

impl Watch for Counts {
    fn stop(self: Box<Self>, _runs: u64) -> Vec<(String, f64)> {
        let Some(now) = counts() else { return Vec::new() };
        let names = ["preemptions", "page_faults"];
        names
            .into_iter()
            .zip(now.iter().zip(self.0))
            .map(|(name, (after, before))| (name.to_owned(), after - before))
            .collect()
    }
}

/// Involuntary context switches of all threads, since others than the main one run kernels, and minor
/// page faults of the process.
fn counts() -> Option<[f64; 2]> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    // A thread may have ended meanwhile.
    let statuses = threads.filter_map(|thread| read_to_string(thread.path().join("status")).ok());
    let switches = |status: String| -> Option<f64> {
        let mut lines = status.lines();
        lines.find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?.trim().parse().ok()
    };
    let switches = statuses.map(switches).sum::<Option<f64>>()?;
    let stat = read_to_string("/proc/self/stat").ok()?;
    // Fields are counted after the name, which is in parentheses and may hold spaces.
    let faults = stat.rsplit_once(')')?.1.split_whitespace().nth(7)?.parse().ok()?;
    Some([switches, faults])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_memory_is_seen_as_page_faults() {
        // Where nothing is counted there is nothing to compare.
        let Some(before) = counts() else { return };
        let touched = vec![1u8; 32 << 20];
        let after = counts().expect("counted before");
        assert!(touched.iter().step_by(4096).all(|byte| *byte == 1));
        assert!(after[1] >= before[1] && after[0] >= before[0]);
    }
}
