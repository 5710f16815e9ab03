//! Compiling beside other work: threads that take jobs from a queue and keep what they make. While
//! the GPU measures, one core is left to the thread that launches; while that thread waits for a
//! kernel, all of them compile.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use crate::backends::CompileFault;

/// Compilers recurse deeply into deeply nested sources.
const STACK_BYTES: usize = 32 << 20;

/// What a thread does with a job under its key.
pub(crate) trait Compile<Job>: Send + Sync {
    /// Compiles the job and keeps the kernel where the key finds it.
    fn compile(&self, key: &str, job: &Job) -> Result<(), CompileFault>;
}

/// Threads and their queue.
pub(crate) struct Pool<Job> {
    shared: Arc<Shared<Job>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<Job> {
    state: Mutex<State<Job>>,
    changed: Condvar,
}

struct State<Job> {
    queue: VecDeque<(String, Job)>,
    /// Jobs that were taken up: missing while one is compiled.
    taken: HashMap<String, Option<Result<(), CompileFault>>>,
    /// Whether somebody waits for a kernel.
    awaited: bool,
    stop: bool,
}

impl<Job: Send + 'static> Pool<Job> {
    /// A thread for every core, one of which works only while a kernel is waited for.
    pub(crate) fn new(cores: usize, compiler: &Arc<dyn Compile<Job>>) -> std::io::Result<Self> {
        let state =
            State { queue: VecDeque::new(), taken: HashMap::new(), awaited: false, stop: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let mut pool = Self { shared, threads: Vec::new() };
        for number in 0..cores.max(1) {
            let (shared, compiler) = (Arc::clone(&pool.shared), Arc::clone(compiler));
            let thread = std::thread::Builder::new()
                .name(format!("compiler-{number}"))
                .stack_size(STACK_BYTES);
            pool.threads.push(thread.spawn(move || shared.serve(&*compiler, number == 0))?);
        }
        Ok(pool)
    }

    /// Queues a job, unless it was queued before.
    pub(crate) fn start(&self, key: &str, job: Job) {
        let mut state = self.shared.lock();
        let known = state.taken.contains_key(key) || state.queue.iter().any(|(k, _)| k == key);
        if !known {
            state.queue.push_back((key.to_owned(), job));
            self.shared.changed.notify_all();
        }
    }

    /// Waits until all of these jobs, which were started, are compiled; then they are forgotten.
    pub(crate) fn finish(&self, keys: &[String]) -> Vec<Result<(), CompileFault>> {
        let mut state = self.shared.lock();
        // What is waited for goes first, in order.
        let (mut first, rest): (VecDeque<_>, VecDeque<_>) =
            state.queue.drain(..).partition(|(key, _)| keys.contains(key));
        first.extend(rest);
        state.queue = first;
        state.awaited = true;
        self.shared.changed.notify_all();
        let missing = |state: &mut State<Job>| {
            keys.iter().any(|key| match state.taken.get(key) {
                Some(result) => result.is_none(),
                None => state.queue.iter().any(|(other, _)| other == key),
            })
        };
        let waited = self.shared.changed.wait_while(state, missing);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.awaited = false;
        let results: Vec<_> =
            keys.iter().map(|key| state.taken.get(key).cloned().flatten()).collect();
        keys.iter().for_each(|key| drop(state.taken.remove(key)));
        let lost = || Err(CompileFault::Failed("the compilation was lost".to_owned()));
        results.into_iter().map(|result| result.unwrap_or_else(lost)).collect()
    }
}

impl<Job> Shared<Job> {
    fn lock(&self) -> MutexGuard<'_, State<Job>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, compiler: &dyn Compile<Job>, only_when_awaited: bool) {
        loop {
            let idle = |state: &mut State<Job>| {
                let held_back = only_when_awaited && !state.awaited;
                !state.stop && (state.queue.is_empty() || held_back)
            };
            let waited = self.changed.wait_while(self.lock(), idle);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            if state.stop {
                return;
            }
            let Some((key, job)) = state.queue.pop_front() else { continue };
            state.taken.insert(key.clone(), None);
            drop(state);
            let result = compiler.compile(&key, &job);
            self.lock().taken.insert(key, Some(result));
            self.changed.notify_all();
        }
    }
}

impl<Job> Drop for Pool<Job> {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing left to say.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remembers the order, and fails what is odd.
    struct Parity(Mutex<Vec<String>>);

    impl Compile<u32> for Parity {
        fn compile(&self, key: &str, job: &u32) -> Result<(), CompileFault> {
            self.0.lock().expect("sound").push(key.to_owned());
            if job.is_multiple_of(2) { Ok(()) } else { Err(CompileFault::Failed(key.to_owned())) }
        }
    }

    fn pool(cores: usize) -> (Pool<u32>, Arc<Parity>) {
        let parity = Arc::new(Parity(Mutex::new(Vec::new())));
        let compiler: Arc<dyn Compile<u32>> = Arc::<Parity>::clone(&parity);
        (Pool::new(cores, &compiler).expect("threads"), parity)
    }

    #[test]
    fn every_job_is_compiled_once_and_answered_in_order() {
        for cores in 1..4 {
            let (pool, parity) = pool(cores);
            let keys: Vec<String> = (0..20).map(|n| format!("job {n}")).collect();
            for (key, job) in keys.iter().zip(0..) {
                pool.start(key, job);
                pool.start(key, job);
            }
            for (result, key) in pool.finish(&keys).into_iter().zip(&keys) {
                let odd = key.ends_with(['1', '3', '5', '7', '9']);
                assert_eq!(result.is_err(), odd, "{key}");
            }
            assert_eq!(parity.0.lock().expect("sound").len(), 20);
        }
    }

    #[test]
    fn what_is_waited_for_overtakes_what_is_not() {
        let (pool, parity) = pool(1);
        for (key, job) in [("a", 0), ("b", 2), ("c", 4)] {
            pool.start(key, job);
        }
        // A single core compiles nothing before somebody waits.
        assert!(parity.0.lock().expect("sound").is_empty());
        assert_eq!(pool.finish(&["c".to_owned()]), [Ok(())]);
        assert_eq!(parity.0.lock().expect("sound")[0], "c");
    }

    #[test]
    fn a_job_that_nobody_started_is_said_to_be_lost() {
        let (pool, _) = pool(2);
        assert!(pool.finish(&["never".to_owned()])[0].is_err());
    }
}
