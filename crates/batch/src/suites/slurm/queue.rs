//! Elements of job arrays that are in SLURM's queue.

use std::collections::BTreeMap;

use super::arrays;

/// An element in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InQueue {
    /// SLURM's name of the element's state: `PENDING`, `RUNNING`.
    pub state: String,
    /// SLURM's reason why the element waits.
    pub reason: String,
    /// Node on which the element runs; empty before it runs.
    pub node: String,
}

impl InQueue {
    /// Describes the element's state.
    #[must_use]
    pub fn in_words(&self) -> String {
        match (self.state.as_str(), self.node.as_str()) {
            ("PENDING", _) => format!("waits in the queue ({})", self.reason),
            (state, "") => format!("is {} in the queue", state.to_lowercase()),
            ("RUNNING", node) => format!("runs on {node}"),
            (state, node) => format!("is {} on {node}", state.to_lowercase()),
        }
    }
}

/// Elements in the queue, by job and index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue(BTreeMap<(String, usize), InQueue>);

impl Queue {
    /// Output format that `squeue` is called with.
    pub(super) const FORMAT: &str = "%F|%K|%T|%r|%N";

    /// Reads the output of `squeue` in [`Queue::FORMAT`]. Lines in other formats are ignored.
    pub(super) fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut parts = line.trim().splitn(5, '|');
            let mut next = || parts.next().map(str::to_owned);
            let key = (next()?, next()?.parse().ok()?);
            let told = |text: String| if text == "(null)" { String::new() } else { text };
            Some((key, InQueue { state: next()?, reason: told(next()?), node: told(next()?) }))
        };
        Self(text.lines().filter_map(line).collect())
    }

    /// The element of a job that runs a study.
    #[must_use]
    pub fn element(&self, job: &str, study: usize) -> Option<&InQueue> {
        self.0.get(&(job.to_owned(), arrays::index(study)))
    }

    /// Whether nothing is in the queue.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_squeue_become_elements() {
        let queue = Queue::parse(
            "12|3|RUNNING|None|node1\n12|4|PENDING|Nodes required for job are DOWN, DRAINED|\n\
             13|N/A|RUNNING|None|node2\nhalf a line\n12|1000|COMPLETING|None|node1\n",
        );
        let words = |job, study| queue.element(job, study).map(InQueue::in_words);
        assert_eq!(words("12", 3).as_deref(), Some("runs on node1"));
        assert_eq!(words("12", 1003).as_deref(), Some("runs on node1"), "by its index");
        let waits = "waits in the queue (Nodes required for job are DOWN, DRAINED)";
        assert_eq!(words("12", 4).as_deref(), Some(waits));
        assert_eq!(words("13", 1), None);
        assert_eq!(words("14", 3), None);
    }
}
