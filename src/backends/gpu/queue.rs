//! What is to be compiled, what is being compiled, and which of it goes together.

use std::collections::{HashMap, VecDeque};

use crate::backends::CompileFault;

/// The jobs of a pool.
pub(super) struct State<Job> {
    /// In the order they will be taken.
    pub(super) queue: VecDeque<Queued<Job>>,
    /// Jobs that were taken up: missing while one is compiled.
    pub(super) taken: HashMap<String, Option<Result<(), CompileFault>>>,
    /// The kernels that somebody waits for.
    pub(super) awaited: Vec<String>,
    /// Whether the threads shall end.
    pub(super) stop: bool,
}

/// A job that nobody took yet.
pub(super) struct Queued<Job> {
    pub(super) key: String,
    pub(super) job: Job,
    /// Whether it may be compiled together with others.
    pub(super) may_share: bool,
}

impl<Job> State<Job> {
    /// The next jobs, of which there must be one, that go together, but none that another thread
    /// could do meanwhile; nobody who waits has to wait for others' kernels.
    pub(super) fn take(&mut self, together: usize, threads: usize) -> Vec<(String, Job)> {
        let is_awaited = |queued: &Queued<Job>| self.awaited.contains(&queued.key);
        let first = self.queue.front().is_some_and(is_awaited);
        let alike = |queued: &&Queued<Job>| queued.may_share && is_awaited(queued) == first;
        let share = self.queue.iter().filter(|queued| is_awaited(queued) == first).count();
        let most = together.min(share.div_ceil(threads));
        let count = self.queue.iter().take(most).take_while(alike).count().max(1);
        let jobs = self.queue.drain(..count);
        let jobs: Vec<(String, Job)> = jobs.map(|queued| (queued.key, queued.job)).collect();
        self.taken.extend(jobs.iter().map(|(key, _)| (key.clone(), None)));
        jobs
    }

    /// Puts jobs back that did not go together, to be compiled one by one.
    pub(super) fn put_back(&mut self, jobs: Vec<(String, Job)>) {
        for (key, job) in jobs.into_iter().rev() {
            self.taken.remove(&key);
            let queued = Queued { key, job, may_share: false };
            if self.awaited.contains(&queued.key) {
                self.queue.push_front(queued);
            } else {
                let behind =
                    self.queue.iter().take_while(|q| self.awaited.contains(&q.key)).count();
                self.queue.insert(behind, queued);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_together_is_put_back_behind_what_is_waited_for() {
        let queued = |key: &str| Queued { key: key.to_owned(), job: 0, may_share: true };
        let mut state = State {
            queue: ["a", "b", "c"].map(queued).into(),
            taken: HashMap::new(),
            awaited: vec!["c".to_owned(), "d".to_owned()],
            stop: false,
        };
        let jobs = state.take(8, 1);
        assert_eq!(jobs, [("a".to_owned(), 0), ("b".to_owned(), 0)]);
        state.queue.push_back(queued("d"));
        state.put_back(jobs);
        assert!(state.taken.is_empty());
        let order: Vec<&str> = state.queue.iter().map(|queued| queued.key.as_str()).collect();
        assert_eq!(order, ["c", "d", "a", "b"]);
        assert_eq!(state.take(8, 1).len(), 2);
        assert_eq!(state.take(8, 1), [("a".to_owned(), 0)]);
    }
}
