//! Replaces huge pages that are slower than others. The slow pages are held unused.
//!
//! The host of a virtual machine may back some of its memory in another way than the rest. A kernel
//! whose ring has a quarter of such pages is an eighth slower at this size than at neighbouring
//! sizes, in every round of a study. No number of rounds can tell that from a property of the size.
//! `scripts/slow-places` shows whether a machine has such memory.
//!
//! All checks of a process together take about two seconds. Rings have hundreds of pages if the
//! last-level cache is large, and flushing one page takes 0.1 ms, or 7 ms with an older
//! instruction.
#![expect(unsafe_code, reason = "reads memory past the caches, and moves pages of this process")]

use std::{
    fs,
    ops::RangeInclusive,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::mm::{self, Advice, MremapFlags};

use super::{
    facts, limits,
    mapping::{HUGE, Mapping},
};

/// Bytes of a page.
const PAGE: usize = 4096;
/// Rings with this many huge pages are checked. Larger rings would take too long.
const LOOKED_AT: RangeInclusive<usize> = 1..=256;
/// Least number of pages to compare, so that normal ones are among them. Smaller rings are compared
/// with additional pages. Also the least number of replacement pages to map at once.
const ENOUGH: usize = 16;
/// Readings of a page that seemed slow at first. The fastest reading counts, since other programs
/// can slow a reading down.
const READINGS: usize = 3;
/// Most time that all checks of this process take. A check is estimated by the time of its first
/// page, with `READINGS_OF_ALL` readings per page: one of all pages, three more of a third of them,
/// and readings of the pages they are compared with.
const MOST_TIME: Duration = Duration::from_secs(2);
const READINGS_OF_ALL: u32 = 3;
/// A page is slow if it takes this many times the normal time. Slow pages took 1.4 to 1.7 times as
/// long.
const SLOW: f64 = 1.2;
/// Divisor of the pages: the normal time is that of the slowest page in the fastest quarter.
const USUAL: usize = 4;
/// How often replacement pages are mapped, since slow pages lie next to each other.
const TRIES: usize = 3;
/// Most bytes of slow pages to hold, and the divisor of the free memory that limits them too.
const MOST_HELD: u64 = 1 << 30;
const SHARE: u64 = 32;

/// Bytes of slow pages that this process holds.
static HELD: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds that checks have taken so far.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Replaces slow pages among the whole huge pages of a range that begins with a huge page. The
/// range must be touched and not in use yet. Does so only on virtual machines with one NUMA node:
/// with several nodes, pages of other nodes are slower for this thread and lie where they should.
pub(super) fn pass_over(first: *mut u8, bytes: usize) {
    static IS_OF_USE: OnceLock<bool> = OnceLock::new();
    let has_one_node = || {
        let nodes = fs::read_to_string("/sys/devices/system/node/online");
        nodes.is_ok_and(|nodes| nodes.trim() == "0")
    };
    let count = bytes / HUGE;
    if !clock::READS_MEMORY
        || !*IS_OF_USE.get_or_init(|| facts::is_virtual() && has_one_node())
        || !LOOKED_AT.contains(&count)
    {
        return;
    }
    let began = Instant::now();
    clock::read(first);
    let taken = Duration::from_nanos(TAKEN.load(Ordering::Relaxed));
    if is_in_time(taken, began.elapsed(), count) {
        let free = limits::memory().map_or(0, |(_, free)| free);
        let may_hold = MOST_HELD.min(free / SHARE).saturating_sub(HELD.load(Ordering::Relaxed));
        let held = replace_slow(&clock::read, (first, count), may_hold as usize / HUGE).1;
        HELD.fetch_add((held * HUGE) as u64, Ordering::Relaxed);
    }
    TAKEN.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
}

/// Whether there is time to check `count` pages, after checks that took `taken`. Reading a page
/// takes `page`.
fn is_in_time(taken: Duration, page: Duration, count: usize) -> bool {
    taken + page * count as u32 * READINGS_OF_ALL <= MOST_TIME
}

/// Replaces the slow ones of `count` huge pages from `first` on, holding at most `may_hold` pages.
/// Returns how many slow pages were replaced, and how many pages are held.
fn replace_slow(
    clock: &dyn Fn(*mut u8) -> f64,
    (first, count): (*mut u8, usize),
    may_hold: usize,
) -> (usize, usize) {
    let (mut replaced, mut holds) = (0, 0);
    let Some(beside) = Others::new(ENOUGH.saturating_sub(count)) else { return (0, 0) };
    let pages: Vec<*mut u8> = pages(first, count).chain(beside.pages()).collect();
    let (mut usual, suspects) = told_apart((clock, 1), &pages, &[]);
    usual.truncate(ENOUGH);
    // Noise makes a third of pages seem slow in one reading, one in 27 of these in three readings,
    // and few of those again.
    let (_, suspects) = told_apart((clock, READINGS), &suspects, &usual);
    let (_, mut slow) = told_apart((clock, READINGS), &suspects, &usual);
    slow.retain(|page| pages[..count].contains(page));
    for _ in 0..TRIES {
        let asked = (2 * slow.len()).max(ENOUGH);
        if slow.is_empty() || holds + asked > may_hold {
            break;
        }
        let Some(others) = Others::new(asked) else { break };
        let looked_at: Vec<*mut u8> = others.pages().collect();
        let (fast, suspects) = told_apart((clock, READINGS), &looked_at, &usual);
        let (_, mut held) = told_apart((clock, READINGS), &suspects, &usual);
        let missing = slow.len();
        for page in fast.into_iter().take(missing) {
            if slow.pop_if(|old| exchange(*old, page)).is_none() {
                // This kernel cannot exchange pages.
                return (replaced, holds);
            }
            held.push(page);
        }
        replaced += missing - slow.len();
        holds += held.len();
        others.hold(&held);
    }
    (replaced, holds)
}

/// Divides pages into (fast, slow) by the fastest of several readings. The normal time is that of
/// `usual`, or of the pages themselves if `usual` is empty.
fn told_apart(
    (clock, readings): (&dyn Fn(*mut u8) -> f64, usize),
    pages: &[*mut u8],
    usual: &[*mut u8],
) -> (Vec<*mut u8>, Vec<*mut u8>) {
    if pages.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let all = [pages, usual].concat();
    let mut times = vec![f64::INFINITY; all.len()];
    for _ in 0..readings {
        for (page, time) in all.iter().zip(&mut times) {
            *time = time.min(clock(*page));
        }
    }
    let (times, of_usual) = times.split_at(pages.len());
    let mut known = if usual.is_empty() { times.to_vec() } else { of_usual.to_vec() };
    known.sort_unstable_by(f64::total_cmp);
    let limit = SLOW * known.get(known.len() / USUAL).copied().unwrap_or(f64::INFINITY);
    let (slow, fast) = pages.iter().zip(times).partition::<Vec<_>, _>(|(_, time)| **time > limit);
    let only = |of: Vec<(&*mut u8, &f64)>| of.into_iter().map(|(page, _)| *page).collect();
    (only(fast), only(slow))
}

/// Addresses of huge pages in a row.
fn pages(first: *mut u8, count: usize) -> impl Iterator<Item = *mut u8> {
    (0..count).map(move |at| first.wrapping_add(at * HUGE))
}

/// Exchanges the memory of two huge pages. Returns whether it succeeded. All addresses stay mapped
/// throughout: otherwise another thread's memory might come to lie there.
fn exchange(one: *mut u8, other: *mut u8) -> bool {
    let Some((_between, between)) = huge_pages(1) else { return false };
    let moves = [(one, between), (other, one), (between, other)];
    let moved = moves.into_iter().all(|(from, to)| {
        let how = MremapFlags::MAYMOVE | MremapFlags::DONTUNMAP;
        // SAFETY: unused pages of this process, moved to addresses that it owns.
        unsafe { mm::mremap_fixed(from.cast(), HUGE, HUGE, how, to.cast()) }.is_ok()
    });
    if !moved {
        touch(one, 1);
    }
    moved
}

/// Writes to every page of `count` unused huge pages of this process.
fn touch(first: *mut u8, count: usize) {
    for at in (0..count * HUGE).step_by(PAGE) {
        // SAFETY: inside the pages, which are mapped.
        unsafe { first.add(at).write_volatile(0) };
    }
}

/// Maps `count` huge pages in a row. Returns the mapping and its first huge page.
fn huge_pages(count: usize) -> Option<(Mapping, *mut u8)> {
    let mapping = Mapping::new((count + 1) * HUGE).ok()?;
    let start = mapping.start();
    let first = start.wrapping_add(start.addr().next_multiple_of(HUGE) - start.addr());
    Some((mapping, first))
}

/// Huge pages that are touched and not in use yet.
struct Others {
    mapping: Mapping,
    first: *mut u8,
    count: usize,
}

impl Others {
    fn new(count: usize) -> Option<Self> {
        let (mapping, first) = huge_pages(count)?;
        // SAFETY: inside the mapping. A refusal costs only speed.
        let _ = unsafe { mm::madvise(first.cast(), count * HUGE, Advice::LinuxHugepage) };
        touch(first, count);
        Some(Self { mapping, first, count })
    }

    fn pages(&self) -> impl Iterator<Item = *mut u8> + use<> {
        pages(self.first, self.count)
    }

    /// Unmaps all pages except `held`, which stay mapped until this process ends.
    fn hold(self, held: &[*mut u8]) {
        let Self { mapping, first, count } = self;
        let (start, all) = (mapping.start(), mapping.bytes());
        let before = first.addr() - start.addr();
        let behind = before + count * HUGE;
        let ends = [(start, before), (start.wrapping_add(behind), all - behind)];
        let rest = pages(first, count).filter(|page| !held.contains(page)).map(|page| (page, HUGE));
        for (start, bytes) in rest.chain(ends).filter(|(_, bytes)| *bytes > 0) {
            // SAFETY: a part of the mapping that nobody uses.
            let _ = unsafe { mm::munmap(start.cast(), bytes) };
        }
        std::mem::forget(mapping);
    }
}

/// Times reads from memory that no cache holds.
#[cfg(target_arch = "x86_64")]
mod clock {
    use std::time::Instant;

    use super::{
        super::lines::{self, LINE},
        HUGE,
    };

    pub(super) const READS_MEMORY: bool = true;

    /// Reads a huge page from memory. Returns the seconds.
    pub(super) fn read(page: *mut u8) -> f64 {
        // SAFETY: the page is mapped.
        unsafe { lines::put_back(page, HUGE) };
        lines::wait();
        let began = Instant::now();
        let mut sums = [0_u64; LINE / 8];
        for line in (0..HUGE).step_by(LINE) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                // SAFETY: inside the page, which was touched.
                *sum = sum.wrapping_add(unsafe { *page.add(line).cast::<u64>().add(lane) });
            }
        }
        std::hint::black_box(sums);
        began.elapsed().as_secs_f64()
    }
}

/// It is unknown how to read memory past the caches on this architecture.
#[cfg(not(target_arch = "x86_64"))]
mod clock {
    pub(super) const READS_MEMORY: bool = false;

    pub(super) fn read(_: *mut u8) -> f64 {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Reports pages that begin with a mark as slow, wherever they are.
    fn by_mark(page: *mut u8) -> f64 {
        // SAFETY: a page of the test.
        if unsafe { page.read() } == 0 { 1.0 } else { 1.5 }
    }

    /// Huge pages, marked at these positions.
    fn marked(count: usize, at: &[usize]) -> Others {
        let part = Others::new(count).expect("memory");
        // SAFETY: inside the part.
        at.iter().for_each(|at| unsafe { part.first.add(at * HUGE).write(7) });
        part
    }

    fn marks(part: &Others) -> usize {
        part.pages().filter(|page| by_mark(*page) > 1.0).count()
    }

    #[test]
    fn slow_pages_leave_their_places_to_others() {
        for (count, slow) in [(40, vec![0, 3, 39]), (2, vec![1]), (3, vec![0, 1, 2]), (24, vec![])]
        {
            let part = marked(count, &slow);
            assert_eq!(marks(&part), slow.len());
            let found = replace_slow(&by_mark, (part.first, count), 100);
            assert_eq!((found, marks(&part)), ((slow.len(), slow.len()), 0));
        }
    }

    #[test]
    fn others_that_are_slow_are_held_and_more_are_asked_for() {
        let part = marked(20, &[4, 9]);
        // The first `ENOUGH` pages that are mapped are slow in all readings.
        let met = RefCell::new(Vec::new());
        let clock = |page: *mut u8| {
            let is_of_part = part.pages().any(|own| own == page);
            let mut met = met.borrow_mut();
            if !is_of_part && !met.contains(&page) && met.len() < ENOUGH {
                met.push(page);
            }
            if met.contains(&page) { 1.5 } else { by_mark(page) }
        };
        let found = replace_slow(&clock, (part.first, 20), 100);
        assert_eq!((found, marks(&part)), ((2, ENOUGH + 2), 0));
    }

    #[test]
    fn no_more_is_held_than_may_be() {
        let part = marked(20, &[4]);
        assert_eq!(replace_slow(&by_mark, (part.first, 20), ENOUGH - 1), (0, 0));
        assert_eq!(marks(&part), 1);
    }

    #[test]
    fn what_seems_slow_once_is_not() {
        let part = marked(20, &[]);
        let once = RefCell::new(1 + READINGS);
        let clock = |page: *mut u8| {
            let left = *once.borrow();
            let is_slow = page == part.first && left > 0;
            *once.borrow_mut() -= usize::from(is_slow);
            if is_slow { 1.5 } else { 1.0 }
        };
        assert_eq!(replace_slow(&clock, (part.first, 20), 100), (0, 0));
        assert_eq!(*once.borrow(), 0);
    }

    #[test]
    fn where_most_pages_are_alike_none_is_slow() {
        let part = marked(20, &(0..18).collect::<Vec<_>>());
        assert_eq!(replace_slow(&by_mark, (part.first, 20), 100), (0, 0));
    }

    #[test]
    fn looks_end_where_their_time_does() {
        let is_in_time = |taken: u64, page: u64, count: usize| {
            is_in_time(Duration::from_millis(taken), Duration::from_millis(page), count)
        };
        assert!(is_in_time(0, 1, 256) && is_in_time(1500, 1, 64));
        assert!(!is_in_time(0, 7, 100) && !is_in_time(1500, 1, 256) && !is_in_time(2000, 1, 1));
    }

    #[test]
    fn two_pages_change_places_with_all_that_they_hold() {
        let two = marked(2, &[0]);
        let [one, other] = [two.first, two.first.wrapping_add(HUGE)];
        // SAFETY: inside the page.
        unsafe { other.add(HUGE - 1).write(2) };
        assert!(exchange(one, other));
        // SAFETY: inside both pages.
        let found = unsafe { [one.read(), one.add(HUGE - 1).read(), other.read()] };
        assert_eq!(found, [0, 2, 7]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_page_is_read_in_some_time() {
        let part = marked(1, &[]);
        let time = clock::read(part.first);
        assert!(time > 0.0 && time < 1.0, "{time} s");
    }
}
