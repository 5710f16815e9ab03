//! Compiles in the background: threads take jobs from a queue and keep the kernels. While the GPU
//! measures, one core is left to the thread that launches. While that thread waits for a kernel,
//! all threads compile.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use device::CompileFault;

use super::queue::{QueueState, Queued};

/// Bytes of a thread's stack: compilers recurse deeply in deeply nested sources.
const STACK_BYTES: usize = 32 << 20;

pub(crate) trait Compile<Job>: Send + Sync {
    /// Jobs with the same group may be compiled together. A job without a group is compiled alone.
    fn group(&self, job: &Job) -> Option<String>;
    fn together(&self) -> usize;
    /// Compiles jobs and keeps them under their keys. Returns `None` if several jobs fail together.
    fn compile(&self, jobs: &[(String, Job)]) -> Option<Vec<Result<(), CompileFault>>>;
}

pub(crate) struct CompilePool<Job> {
    shared: Arc<Shared<Job>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<Job> {
    state: Mutex<QueueState<Job>>,
    changed: Condvar,
    compiler: Arc<dyn Compile<Job>>,
    threads: usize,
}

impl<Job: Send + 'static> CompilePool<Job> {
    /// Starts `threads` threads. One of them works only while a kernel is awaited.
    pub(crate) fn new(threads: usize, compiler: &Arc<dyn Compile<Job>>) -> std::io::Result<Self> {
        let state = QueueState {
            queue: VecDeque::new(),
            taken: HashMap::new(),
            awaited: Vec::new(),
            stop: false,
        };
        let threads = threads.max(1);
        let (state, compiler) = (Mutex::new(state), Arc::clone(compiler));
        let shared = Arc::new(Shared { state, changed: Condvar::new(), compiler, threads });
        let mut pool = Self { shared, threads: Vec::new() };
        for number in 0..threads {
            let shared = Arc::clone(&pool.shared);
            let thread = std::thread::Builder::new()
                .name(format!("compiler-{number}"))
                .stack_size(STACK_BYTES);
            pool.threads.push(thread.spawn(move || shared.serve(number == 0))?);
        }
        Ok(pool)
    }

    /// Queues a job, unless it is queued or taken already.
    pub(crate) fn start(&self, key: &str, job: Job) {
        let group = self.shared.compiler.group(&job);
        let mut state = self.shared.lock();
        let known = state.taken.contains_key(key) || state.queue.iter().any(|q| q.key == key);
        if !known {
            state.queue.push_back(Queued { key: key.to_owned(), job, group });
            self.shared.changed.notify_all();
        }
    }

    /// Waits until these queued jobs are compiled, and forgets them.
    pub(crate) fn finish(&self, keys: &[String]) -> Vec<Result<(), CompileFault>> {
        let mut state = self.shared.lock();
        let (mut first, rest): (VecDeque<_>, VecDeque<_>) =
            state.queue.drain(..).partition(|queued| keys.contains(&queued.key));
        first.extend(rest);
        state.queue = first;
        state.awaited = keys.to_vec();
        self.shared.changed.notify_all();
        let missing = |state: &mut QueueState<Job>| {
            keys.iter().any(|key| match state.taken.get(key) {
                Some(result) => result.is_none(),
                None => state.queue.iter().any(|queued| queued.key == *key),
            })
        };
        let waited = self.shared.changed.wait_while(state, missing);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.awaited.clear();
        let results: Vec<_> =
            keys.iter().map(|key| state.taken.get(key).cloned().flatten()).collect();
        keys.iter().for_each(|key| drop(state.taken.remove(key)));
        let lost = || Err(CompileFault::Machine("the compilation was lost".to_owned()));
        results.into_iter().map(|result| result.unwrap_or_else(lost)).collect()
    }
}

impl<Job> Shared<Job> {
    fn lock(&self) -> MutexGuard<'_, QueueState<Job>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, only_when_awaited: bool) {
        loop {
            let idle = |state: &mut QueueState<Job>| {
                let held_back = only_when_awaited && state.awaited.is_empty();
                !state.stop && (state.queue.is_empty() || held_back)
            };
            let waited = self.changed.wait_while(self.lock(), idle);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            if state.stop {
                return;
            }
            let jobs = state.take(self.compiler.together(), self.threads);
            drop(state);
            let results = self.compiler.compile(&jobs);
            let mut state = self.lock();
            match results {
                Some(results) => {
                    let done = jobs.into_iter().zip(results);
                    state.taken.extend(done.map(|((key, _), result)| (key, Some(result))));
                }
                None => state.put_back(jobs),
            }
            drop(state);
            self.changed.notify_all();
        }
    }
}

impl<Job> Drop for CompilePool<Job> {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compiler that records which jobs were compiled together, and fails odd ones.
    struct Parity {
        together: usize,
        seen: Mutex<Vec<Vec<String>>>,
    }

    impl Parity {
        fn seen(&self) -> Vec<Vec<String>> {
            self.seen.lock().expect("sound").clone()
        }
    }

    impl Compile<u32> for Parity {
        fn group(&self, job: &u32) -> Option<String> {
            (*job < 100).then(String::new)
        }

        fn together(&self) -> usize {
            self.together
        }

        fn compile(&self, jobs: &[(String, u32)]) -> Option<Vec<Result<(), CompileFault>>> {
            let keys: Vec<String> = jobs.iter().map(|(key, _)| key.clone()).collect();
            self.seen.lock().expect("sound").push(keys);
            if jobs.len() > 1 && jobs.iter().any(|(_, job)| *job == 13) {
                return None;
            }
            let result = |(key, job): &(String, u32)| match job.is_multiple_of(2) {
                true => Ok(()),
                false => Err(CompileFault::Failed(key.clone())),
            };
            Some(jobs.iter().map(result).collect())
        }
    }

    fn pool(cores: usize, together: usize) -> (CompilePool<u32>, Arc<Parity>) {
        let parity = Arc::new(Parity { together, seen: Mutex::new(Vec::new()) });
        let compiler: Arc<dyn Compile<u32>> = Arc::<Parity>::clone(&parity);
        (CompilePool::new(cores, &compiler).expect("threads"), parity)
    }

    #[test]
    fn every_job_is_compiled_once_and_answered_in_order() {
        for (cores, together) in [(1, 1), (2, 1), (3, 1), (1, 8), (2, 3), (3, 8)] {
            let (pool, parity) = pool(cores, together);
            let keys: Vec<String> = (0..20).map(|n| format!("job {n}")).collect();
            for (key, job) in keys.iter().zip(0..) {
                pool.start(key, job);
                pool.start(key, job);
            }
            for (result, key) in pool.finish(&keys).into_iter().zip(&keys) {
                let odd = key.ends_with(['1', '3', '5', '7', '9']);
                assert_eq!(result.is_err(), odd, "{key}");
            }
            let seen = parity.seen();
            // If 13 was compiled with others, they were compiled again.
            let alone = |key: &str| seen.iter().filter(|jobs| jobs[..] == [key]).count();
            assert_eq!(alone("job 13"), 1, "{seen:?}");
            assert!(seen.iter().all(|jobs| jobs.len() <= together), "{seen:?}");
        }
    }

    #[test]
    fn what_is_waited_for_overtakes_what_is_not() {
        let (pool, parity) = pool(1, 1);
        for (key, job) in [("a", 0), ("b", 2), ("c", 4)] {
            pool.start(key, job);
        }
        // A single thread compiles only what is awaited.
        assert!(parity.seen().is_empty());
        assert_eq!(pool.finish(&["c".to_owned()]), [Ok(())]);
        assert_eq!(parity.seen()[0], ["c"]);
    }

    #[test]
    fn a_job_that_nobody_started_is_said_to_be_lost() {
        let (pool, _) = pool(2, 1);
        assert!(pool.finish(&["never".to_owned()])[0].is_err());
    }

    #[test]
    fn neighbours_in_the_queue_go_together_where_both_may() {
        let (pool, parity) = pool(1, 3);
        let all = [("a", 0), ("b", 2), ("c", 100), ("d", 4), ("e", 6), ("f", 8), ("g", 10)];
        all.iter().for_each(|(key, job)| pool.start(key, *job));
        let keys = all.map(|(key, _)| key.to_owned());
        assert!(pool.finish(&keys).iter().all(Result::is_ok));
        let seen = parity.seen();
        assert_eq!(seen, [vec!["a", "b"], vec!["c"], vec!["d", "e", "f"], vec!["g"]]);
    }

    #[test]
    fn nobody_waits_for_the_kernels_of_others() {
        let (pool, parity) = pool(1, 8);
        [("a", 0), ("b", 2), ("c", 4)].iter().for_each(|(key, job)| pool.start(key, *job));
        assert_eq!(pool.finish(&["b".to_owned()]), [Ok(())]);
        assert_eq!(parity.seen()[0], ["b"]);
    }
}
