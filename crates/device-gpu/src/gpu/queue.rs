//! Jobs that wait or are being compiled, and the choice of jobs to compile together.

use std::collections::{HashMap, VecDeque};

use device::CompileFault;

pub(super) struct QueueState<Job> {
    /// Waiting jobs, in the order they will be taken.
    pub(super) queue: VecDeque<Queued<Job>>,
    /// Results of jobs that were taken; `None` while being compiled.
    pub(super) taken: HashMap<String, Option<Result<(), CompileFault>>>,
    /// Keys of the kernels that are awaited.
    pub(super) awaited: Vec<String>,
    pub(super) stop: bool,
}

pub(super) struct Queued<Job> {
    pub(super) key: String,
    pub(super) job: Job,
    /// Jobs with the same group may be compiled together. A job without a group is compiled alone.
    pub(super) group: Option<String>,
}

impl<Job> QueueState<Job> {
    /// Takes the next jobs to compile together, at least one. The queue must not be empty. Other
    /// threads keep their share of jobs, and awaited jobs are not mixed with others.
    pub(super) fn take(&mut self, together: usize, threads: usize) -> Vec<(String, Job)> {
        let is_awaited = |queued: &Queued<Job>| self.awaited.contains(&queued.key);
        let first = self.queue.front().is_some_and(is_awaited);
        let group = self.queue.front().and_then(|queued| queued.group.clone());
        let share = self.queue.iter().filter(|queued| is_awaited(queued) == first).count();
        let most = together.min(share.div_ceil(threads)).max(1);
        let (mut jobs, mut rest) = (Vec::new(), VecDeque::new());
        // Jobs of other groups are skipped. A job that cannot be compiled with others ends the
        // search.
        let mut goes_on = true;
        for queued in std::mem::take(&mut self.queue) {
            let is_first = jobs.is_empty();
            if !is_first {
                let is_alike = queued.group.is_some() && is_awaited(&queued) == first;
                goes_on &= is_alike && group.is_some() && jobs.len() < most;
            }
            if is_first || (goes_on && queued.group == group) {
                jobs.push((queued.key, queued.job));
            } else {
                rest.push_back(queued);
            }
        }
        self.queue = rest;
        self.taken.extend(jobs.iter().map(|(key, _)| (key.clone(), None)));
        jobs
    }

    /// Puts back jobs that failed together, to be compiled one by one.
    pub(super) fn put_back(&mut self, jobs: Vec<(String, Job)>) {
        for (key, job) in jobs.into_iter().rev() {
            self.taken.remove(&key);
            let queued = Queued { key, job, group: None };
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

    fn of_group(key: &str, group: &str) -> Queued<u32> {
        Queued { key: key.to_owned(), job: 0, group: Some(group.to_owned()) }
    }

    #[test]
    fn jobs_of_one_group_go_together_wherever_they_wait() {
        let mut state = QueueState {
            queue: [("a", "x"), ("b", "y"), ("c", "x"), ("d", "x")]
                .map(|(key, group)| of_group(key, group))
                .into(),
            taken: HashMap::new(),
            awaited: Vec::new(),
            stop: false,
        };
        let mut taken =
            || -> Vec<String> { state.take(2, 1).into_iter().map(|(key, _)| key).collect() };
        assert_eq!([taken(), taken(), taken()], [vec!["a", "c"], vec!["b"], vec!["d"]]);
    }

    #[test]
    fn what_does_not_go_together_is_put_back_behind_what_is_waited_for() {
        let queued = |key: &str| of_group(key, "");
        let mut state = QueueState {
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
