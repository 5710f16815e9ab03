//! Preemptions and page faults while samples were taken. They do not mark samples as disturbed; the
//! seconds that a backend reports as lost do (`device::Disturbance`).
#![expect(unsafe_code, reason = "a system call")]

use std::mem::MaybeUninit;

use records::{Metric, ObjectiveOn};

use super::{Observer, Scene, Scope, Watch};

inventory::submit!(Observer {
    name: "disturbance",
    about: "whether the machine disturbed the samples, where the system counts it",
    scope: Scope::Samples(&["page_faults", "preemptions"]),
    start,
});

inventory::submit!(Metric {
    name: "preemptions",
    unit: "",
    about: "times the processor was taken away",
    better: None,
    objective_on: ObjectiveOn::Devices,
});

inventory::submit!(Metric {
    name: "page_faults",
    unit: "",
    about: "minor page faults",
    better: None,
    objective_on: ObjectiveOn::Devices,
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

/// Involuntary context switches and minor page faults of all threads, including ended ones.
fn counts() -> Option<[f64; 2]> {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the call writes only the structure.
    let failed = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) } != 0;
    // SAFETY: a call that did not fail has filled it.
    let usage = (!failed).then(|| unsafe { usage.assume_init() })?;
    Some([usage.ru_nivcsw as f64, usage.ru_minflt as f64])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_memory_is_seen_as_page_faults() {
        // If nothing is counted, there is nothing to compare.
        let Some(before) = counts() else { return };
        let touched = vec![1u8; 32 << 20];
        let after = counts().expect("counted before");
        assert!(touched.iter().step_by(4096).all(|byte| *byte == 1));
        assert!(after[1] >= before[1] && after[0] >= before[0]);
    }
}
