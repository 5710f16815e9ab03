//! Pinned threads with fast dispatch. They spin while work is being led, and sleep otherwise.
#![expect(unsafe_code, reason = "borrowed closures are handed to threads that outlive the borrow")]

use std::{
    any::Any,
    cell::UnsafeCell,
    hint,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use rustix::thread::{CpuSet, sched_setaffinity};

/// Bytes of a thread's stack: kernels keep per-thread values of whole blocks there.
const STACK_BYTES: usize = 64 << 20;
/// Spins before a waiting thread yields its core.
const SPINS_BEFORE_YIELD: u32 = 20_000;

type Task = *const (dyn Fn(usize) + Sync);
type Lead = Box<dyn FnOnce(&Team<'_>) + Send>;

/// Aligned so that the value has its own cache lines.
#[repr(align(128))]
struct Apart<T>(T);

struct Shared {
    /// Increases by one per dispatch.
    epoch: Apart<AtomicU64>,
    done: Apart<AtomicUsize>,
    /// Whether work is being led. Waiting threads spin then.
    armed: Apart<AtomicBool>,
    stop: AtomicBool,
    panicked: AtomicBool,
    task: UnsafeCell<Option<Task>>,
}

// SAFETY: `task` is written by the leader only while no follower runs (all are `done`). Followers
// read it only after they have seen the epoch, which is released after the write.
unsafe impl Sync for Shared {}
// SAFETY: `task` points to a `Sync` closure that the leader keeps alive.
unsafe impl Send for Shared {}

pub(super) struct ThreadPool {
    shared: Arc<Shared>,
    leads: Option<mpsc::Sender<Lead>>,
    threads: Vec<thread::JoinHandle<()>>,
    size: usize,
}

impl ThreadPool {
    pub(super) fn new(cores: &[usize]) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            epoch: Apart(AtomicU64::new(0)),
            done: Apart(AtomicUsize::new(0)),
            armed: Apart(AtomicBool::new(false)),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            task: UnsafeCell::new(None),
        });
        let mut threads = Vec::new();
        for (index, &core) in cores.iter().enumerate().skip(1) {
            let shared = Arc::clone(&shared);
            threads.push(named(index).spawn(move || {
                pin(core);
                follow(&shared, index);
            })?);
        }
        let followers: Vec<_> = threads.iter().map(|handle| handle.thread().clone()).collect();
        let (leads, received) = mpsc::channel::<Lead>();
        let (of_leader, core) = (Arc::clone(&shared), cores.first().copied().unwrap_or(0));
        threads.push(named(0).spawn(move || {
            pin(core);
            for lead in received {
                of_leader.armed.0.store(true, Ordering::Release);
                followers.iter().for_each(thread::Thread::unpark);
                lead(&Team { shared: &of_leader, size: followers.len() + 1 });
                of_leader.armed.0.store(false, Ordering::Release);
            }
            of_leader.stop.store(true, Ordering::Release);
            of_leader.epoch.0.fetch_add(1, Ordering::Release);
            followers.iter().for_each(thread::Thread::unpark);
        })?);
        Ok(Self { shared, leads: Some(leads), threads, size: cores.len().max(1) })
    }

    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// Runs `work` on the first thread, which leads the others, and waits for the result.
    pub(super) fn lead<R: Send>(&self, work: impl FnOnce(&Team<'_>) -> R + Send) -> R {
        let (answer, answers) = mpsc::channel::<Result<R, Box<dyn Any + Send>>>();
        let lead: Box<dyn FnOnce(&Team<'_>) + Send + '_> = Box::new(move |team| {
            let result = panic::catch_unwind(AssertUnwindSafe(|| work(team)));
            // The receiver is gone only if the caller is.
            let _ = answer.send(result);
        });
        // SAFETY: this function returns only once the closure has run or was dropped, since the
        // sender inside it ends the wait below; so its borrows outlive it.
        let lead: Lead = unsafe { std::mem::transmute(lead) };
        let sent = self.leads.as_ref().is_some_and(|leads| leads.send(lead).is_ok());
        match answers.recv() {
            Ok(Ok(result)) => result,
            Ok(Err(cause)) => panic::resume_unwind(cause),
            Err(_) => unreachable!("the leader answers every piece of work (sent: {sent})"),
        }
    }

    pub(super) fn each(&self, work: impl Fn(usize) + Sync) {
        self.lead(|team| team.each(&work));
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.leads = None;
        for handle in self.threads.drain(..) {
            // A thread that panicked outside of work has nothing left to report.
            let _ = handle.join();
        }
        debug_assert!(self.shared.stop.load(Ordering::Acquire));
    }
}

pub(super) struct Team<'a> {
    shared: &'a Shared,
    size: usize,
}

impl Team<'_> {
    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// Runs `work` once on every thread, the leader's included, and waits for all.
    #[inline]
    pub(super) fn each(&self, work: impl Fn(usize) + Sync) {
        if self.size == 1 {
            work(0);
            return;
        }
        let task: &(dyn Fn(usize) + Sync) = &work;
        // SAFETY: only the lifetime changes; `work` lives until every follower is `done` below,
        // also if the leader's share panics (then `Waiting` waits while unwinding).
        let task: Task = unsafe { std::mem::transmute(task) };
        // SAFETY: no follower reads the task now: all are done with the last one.
        unsafe { *self.shared.task.get() = Some(task) };
        self.shared.done.0.store(0, Ordering::Relaxed);
        self.shared.epoch.0.fetch_add(1, Ordering::Release);
        let waiting = Waiting { shared: self.shared, others: self.size - 1 };
        work(0);
        drop(waiting);
        assert!(
            !self.shared.panicked.swap(false, Ordering::Relaxed),
            "a thread of the pool panicked"
        );
    }
}

struct Waiting<'a> {
    shared: &'a Shared,
    others: usize,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut spins = 0;
        while self.shared.done.0.load(Ordering::Acquire) < self.others {
            rest(&mut spins);
        }
    }
}

fn follow(shared: &Shared, index: usize) {
    let mut seen = 0;
    loop {
        let mut spins = 0;
        loop {
            let epoch = shared.epoch.0.load(Ordering::Acquire);
            if epoch != seen {
                seen = epoch;
                break;
            }
            if shared.armed.0.load(Ordering::Acquire) {
                rest(&mut spins);
            } else {
                thread::park();
            }
        }
        if shared.stop.load(Ordering::Acquire) {
            return;
        }
        // SAFETY: the leader wrote the task before it released the epoch seen above, and keeps its
        // closure alive until this thread counts itself `done`.
        let task = unsafe { (*shared.task.get()).map(|task| &*task) };
        if let Some(task) = task
            && panic::catch_unwind(AssertUnwindSafe(|| task(index))).is_err()
        {
            shared.panicked.store(true, Ordering::Relaxed);
        }
        shared.done.0.fetch_add(1, Ordering::Release);
    }
}

fn rest(spins: &mut u32) {
    if *spins < SPINS_BEFORE_YIELD {
        *spins += 1;
        hint::spin_loop();
    } else {
        thread::yield_now();
    }
}

fn named(index: usize) -> thread::Builder {
    thread::Builder::new().name(format!("cpu-{index}")).stack_size(STACK_BYTES)
}

/// Pins the calling thread to a core. If pinning is forbidden, the scheduler decides.
fn pin(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    let _ = sched_setaffinity(None, &set);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_works_once_per_dispatch() {
        let pool = ThreadPool::new(&[0, 1, 0]).expect("threads");
        let counts: Vec<AtomicUsize> = (0..3).map(|_| AtomicUsize::new(0)).collect();
        pool.lead(|team| {
            for _ in 0..100 {
                team.each(|index| {
                    counts[index].fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 100));
    }

    #[test]
    fn a_panic_in_a_piece_of_work_reaches_the_caller_and_the_pool_goes_on() {
        let pool = ThreadPool::new(&[0, 0]).expect("threads");
        let caught = panic::catch_unwind(AssertUnwindSafe(|| {
            pool.each(|index| assert_ne!(index, 1, "on purpose"));
        }));
        assert!(caught.is_err());
        assert_eq!(pool.lead(|team| team.size()), 2);
    }
}
