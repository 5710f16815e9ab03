//! Counts the bytes that a thread takes from memory, so that tests of growth need no clock.
#![allow(dead_code, reason = "every test binary uses its part")]
#![expect(unsafe_code, reason = "an allocator is an unsafe trait")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static ALL: Cell<usize> = const { Cell::new(0) };
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(taken: usize, given: usize) {
    let _ = ALL.try_with(|all| all.set(all.get() + taken));
    let now = NOW.try_with(|now| {
        now.set(now.get() + taken as isize - given as isize);
        now.get()
    });
    if let Ok(now) = now {
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now)));
    }
}

// SAFETY: the system's allocator does all the work; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// What some work took from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Bytes of all allocations.
    pub all: usize,
    /// Most bytes that were held at once.
    pub peak: usize,
}

/// Does the work in this thread, and counts.
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (T, Counted) {
    let (all, now) = (ALL.get(), NOW.get());
    PEAK.set(now);
    let done = work();
    let peak = usize::try_from(PEAK.get() - now).unwrap_or(0);
    (done, Counted { all: ALL.get() - all, peak })
}

/// Asserts that twice as much takes at most about twice the memory, for counts at 1, 2 and 4 times.
pub(crate) fn grows_linearly(what: &str, counts: [Counted; 3]) {
    for of in [|one: Counted| one.all, |one: Counted| one.peak] {
        let [once, twice, four] = counts.map(of);
        // 3 times the difference is linear, 5 times is quadratic. What vectors reserve in advance
        // doubles in steps, and may come early or late.
        let most = once + 18 * (twice.max(once) - once) / 5;
        assert!(four <= most.max(2 * twice) + (1 << 16), "{what}: {counts:?}");
    }
}
