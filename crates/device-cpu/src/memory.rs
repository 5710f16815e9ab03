//! Rings: mapped memory for equal slots, with guard zones of a known pattern between them.
#![expect(unsafe_code, reason = "memory that kernels of another language write to")]

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use autobench_sdk::inputs::bits;
use device::{
    DeviceFault, SampleRuns, Seal,
    arguments::{guards::Pattern, parameters::RingAddress},
};
use rustix::mm::{self, Advice};

use super::{
    limits,
    mapping::{HUGE, Mapping, SpareMappings},
    parts::{Address, share},
    pool::ThreadPool,
    seals,
    slot::Slot,
};

/// Bytes of the guard zone on each side of a ring. Zones between its slots have at most as many.
const GUARD: usize = 4096;
/// Least bytes of a guard zone between slots. Every slot starts at a multiple of this.
const LEAST_GUARD: usize = 256;
/// A large ring begins at a random page of its first huge page. A kernel reads and writes the same
/// element of several rings at a time. If all rings were aligned alike, a few percent of them would
/// share memory banks throughout, and the kernel would be half as fast through no fault of its own.
/// `scripts/places-in-memory` shows the effect. Rounds exchange the memory of rings, so that what is
/// left of it averages out.
const PLACES: usize = HUGE / GUARD;
/// Bytes of a mapping for a large ring beyond its slots, so that it can begin at any place.
const SLACK: usize = 2 * HUGE;
/// Mappings for large rings are rounded up to this many parts of a power of two, so that one ring's
/// mapping serves another's.
const PARTS: usize = 8;
/// Time after which pages are touched again before kernels are timed on them. On a virtual machine,
/// the first use of a page that rested long costs 0.3 µs to 1.5 µs, since the host took it for
/// unused. That happened after 25 s and not after 10 s (AMD EPYC, Firecracker).
const RESTED: Duration = Duration::from_secs(5);
/// Bytes of memory always left to the rest of the machine.
const RESERVE: u64 = 64 << 20;

/// A ring of equal slots in one mapping, with guard zones before, between and behind the slots.
///
/// Each slot lies below the one before it. So the first slot, whose results are checked, has the
/// widest guard zone behind it, and a run does not prefetch what the next run reads.
pub(super) struct Region {
    /// First byte of the lowest slot, which is the last slot.
    start: *mut u8,
    bytes: usize,
    /// Bytes from the start of a slot to the start of the one above.
    stride: usize,
    /// Bytes of the guard zone before every slot, and behind all but the highest.
    guard: usize,
    /// What fills all guard zones.
    pattern: Pattern,
    /// Slots that runs have used since the guard zones were checked.
    used: Vec<bool>,
    /// When the pages were last touched by `new` or `wake`; `None` for a reused mapping.
    woken_at: Option<Instant>,
    /// Present while kernels may only read. Dropped before the memory is unmapped.
    seal: Option<seals::Seal>,
    mapping: Mapping,
}

// SAFETY: plain memory that this value owns; its user decides who writes where.
unsafe impl Send for Region {}
// SAFETY: as above; shared access reads, or writes disjoint parts through raw pointers.
unsafe impl Sync for Region {}

impl Region {
    /// Makes a ring from a spare mapping, or else maps fresh memory, unless the ring needs more
    /// than is free. Every fresh page is touched on the pool's threads, also where later rings may
    /// begin in this mapping.
    pub(super) fn new(
        bytes: u64,
        slots: u32,
        parts: (&ThreadPool, &mut SpareMappings),
    ) -> Result<Self, DeviceFault> {
        Self::at_place(next_place(), bytes, slots, parts)
    }

    fn at_place(
        place: usize,
        bytes: u64,
        slots: u32,
        (pool, spare): (&ThreadPool, &mut SpareMappings),
    ) -> Result<Self, DeviceFault> {
        let count = usize::try_from(slots.max(1)).map_err(|_| too_large(bytes))?;
        let length = usize::try_from(bytes).map_err(|_| too_large(bytes))?;
        // Guard zones of small slots are small too. Otherwise copies would take many times their
        // own memory.
        let guard = match count {
            1 => GUARD,
            _ => (length / 4).next_multiple_of(LEAST_GUARD).clamp(LEAST_GUARD, GUARD),
        };
        let stride = length
            .checked_add(2 * guard)
            .map(|least| (least - 1) / guard * guard)
            .ok_or_else(|| too_large(bytes))?;
        let all = stride.checked_mul(count).ok_or_else(|| too_large(bytes))?;
        let is_large = all >= HUGE;
        let (aligned, slack, shift) = match is_large {
            true => (HUGE, SLACK, place * GUARD),
            false => (GUARD, GUARD, 0),
        };
        let least = all.checked_add(2 * GUARD + slack).ok_or_else(|| too_large(bytes))?;
        // Where memory is short, a ring gets no more than it needs.
        let may_round = is_large && has_room(rounded(least));
        let map_bytes = if may_round { rounded(least) } else { least };
        let (mapping, is_fresh) = match spare.take(map_bytes) {
            Some(mapping) => (mapping, false),
            None => {
                let fits = has_room(map_bytes) || (spare.clear() && has_room(map_bytes));
                if !fits {
                    let what = match count {
                        1 => format!("a buffer of {bytes} bytes"),
                        _ => format!("a ring of {count} buffers of {bytes} bytes"),
                    };
                    let free = limits::memory().map_or(0, |(_, free)| free);
                    return Err(DeviceFault(format!(
                        "{what} does not fit: {free} bytes of memory are free"
                    )));
                }
                (Mapping::new(map_bytes)?, true)
            }
        };
        let map = mapping.start();
        let first = (map.addr() + GUARD).next_multiple_of(aligned) - map.addr();
        // SAFETY: `first` is at most `GUARD + aligned`, and the mapping has more bytes.
        let first = unsafe { map.add(first) };
        // SAFETY: `place` is less than `PLACES`, and behind the last place there is room for the
        // ring.
        let start = unsafe { first.add(shift) };
        let used = vec![false; count];
        let pattern = Pattern::next();
        let region = Self {
            mapping,
            start,
            bytes: length,
            stride,
            guard,
            pattern,
            used,
            woken_at: is_fresh.then(Instant::now),
            seal: None,
        };
        if is_large && is_fresh {
            // SAFETY: the mapping is ours. A refusal costs only speed.
            let _ = unsafe { mm::madvise(map.cast(), map_bytes, Advice::LinuxHugepage) };
        }
        if is_fresh {
            let end = map.addr() + map_bytes - GUARD;
            touch(first, if is_large { end - first.addr() } else { all }, pool);
        }
        (0..slots.max(1)).flat_map(|slot| region.slot(slot)).for_each(Slot::mend);
        Ok(region)
    }

    pub(super) fn slot(&self, slot: u32) -> Result<Slot<'_>, DeviceFault> {
        let above = self.used.len().checked_sub(1 + slot as usize);
        let above = above.ok_or_else(|| DeviceFault("a ring has fewer slots".to_owned()))?;
        let guards = [self.guard, if slot == 0 { GUARD } else { self.guard }];
        // SAFETY: every slot lies inside the mapping, with guard zones on both sides.
        Ok(unsafe {
            Slot::new(self.start.add(above * self.stride), self.bytes, guards, self.pattern.byte())
        })
    }

    /// The first byte of the lowest slot, which is the last slot.
    pub(super) const fn start(&self) -> *mut u8 {
        self.start
    }

    pub(super) fn place(&self, slot: u32) -> Result<RingAddress, DeviceFault> {
        self.slot(slot)?;
        let first = self.slot(0)?.start().addr() as u64;
        let (stride, slots) = (-(self.stride as i64), self.used.len() as u32);
        Ok(RingAddress { first, stride, slots, slot })
    }

    pub(super) fn seal(&mut self) -> Result<(), DeviceFault> {
        self.seal = None;
        // SAFETY: the mapping is this region's own and outlives the seal; the device unseals before
        // it writes here itself.
        self.seal = Some(unsafe { seals::Seal::new(self.mapping.start(), self.mapping.bytes()) }?);
        Ok(())
    }

    pub(super) fn unseal(&mut self) {
        self.seal = None;
    }

    /// Whether a kernel has written to the ring since `seal`, and where.
    pub(super) fn sealed(&self) -> Seal {
        let Some(hit) = self.seal.as_ref().and_then(seals::Seal::broken) else {
            return Seal::Whole;
        };
        let at = hit.wrapping_sub(self.start.addr());
        let (above, offset) = (at / self.stride, at % self.stride);
        let slot = self.used.len().checked_sub(1 + above).filter(|_| offset < self.bytes);
        Seal::Broken(slot.map(|slot| (slot as u32, offset as u64)))
    }

    pub(super) fn slots(&self) -> usize {
        self.used.len()
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reads a byte of every page, unless the pages were touched shortly before. Returns whether it
    /// did. Runs alone may come to some slots of a ring rarely.
    pub(super) fn wake(&mut self, pool: &ThreadPool) -> bool {
        let rested = self.woken_at.is_none_or(|at| at.elapsed() >= RESTED);
        if rested {
            let (start, bytes) = (self.start, self.stride * self.used.len());
            // SAFETY: the slots are part of the mapping.
            each_page(start, bytes, pool, |page| unsafe {
                page.read_volatile();
            });
            self.woken_at = Some(Instant::now());
        }
        rested
    }

    pub(super) fn note_use(&mut self, sample_runs: SampleRuns) {
        for slot in turns(sample_runs, self.used.len()) {
            self.used[slot] = true;
        }
    }

    /// The slots that runs use.
    pub(super) fn used_by(&self, sample_runs: SampleRuns) -> Vec<Slot<'_>> {
        turns(sample_runs, self.used.len()).flat_map(|slot| self.slot(slot as u32)).collect()
    }

    /// Returns the first used slot whose guard zones were written, and where. Repairs all zones.
    pub(super) fn trespass(&mut self) -> Option<(usize, String)> {
        let mut first = None;
        let single = self.used.len() == 1;
        for at in 0..self.used.len() {
            if !single && !std::mem::take(&mut self.used[at]) {
                continue;
            }
            let Ok(slot) = self.slot(at as u32) else { continue };
            if let Some(what) = slot.trespass() {
                slot.mend();
                first.get_or_insert((at, what));
            }
        }
        first
    }

    pub(super) fn spread(
        &self,
        from: Slot<'_>,
        slots: std::ops::Range<u32>,
        bytes: u64,
        pool: &ThreadPool,
    ) -> Result<(), DeviceFault> {
        let length = usize::try_from(bytes).map_err(|_| too_large(bytes))?;
        let to: Vec<Address> = slots
            .map(|slot| Ok(Address(self.slot(slot)?.range(0, length)?)))
            .collect::<Result<_, DeviceFault>>()?;
        let source = Address(from.range(0, length)?);
        let threads = pool.size();
        pool.each(|index| {
            // The bytes of all copies in a row, divided among the threads.
            let part = share(to.len() * length, index, threads);
            let mut at = part.start;
            while at < part.end {
                let (slot, offset) = (at / length, at % length);
                let count = (length - offset).min(part.end - at);
                // SAFETY: ranges were checked and parts are disjoint; a slot may be copied onto
                // itself.
                unsafe {
                    to[slot].get().add(offset).copy_from(source.get().add(offset), count);
                }
                at += count;
            }
        });
        Ok(())
    }
}

impl Region {
    /// Returns the mapping for use by another ring.
    pub(super) fn into_mapping(self) -> Mapping {
        drop(self.seal);
        self.mapping
    }
}

/// Numbers of the slots that runs use, in a ring of `count` slots.
fn turns(sample_runs: SampleRuns, count: usize) -> impl Iterator<Item = usize> + use<> {
    let first = sample_runs.first as usize % count;
    (0..count.min(sample_runs.runs as usize)).map(move |run| (first + run) % count)
}

/// Writes to every page of a part of a fresh mapping, on the pool's threads.
fn touch(first: *mut u8, bytes: usize, pool: &ThreadPool) {
    // SAFETY: inside the mapping, and each page is written by one thread.
    each_page(first, bytes, pool, |page| unsafe { page.write_volatile(0) });
}

/// Runs `work` on the first byte of every page, on the pool's threads if there are many pages.
fn each_page(first: *mut u8, bytes: usize, pool: &ThreadPool, work: impl Fn(*mut u8) + Sync) {
    let pages = bytes.div_ceil(GUARD);
    let (first, threads) = (Address(first), pool.size());
    let part = |index: usize| {
        for page in share(pages, index, threads) {
            // SAFETY: less than `bytes` behind `first`, as the caller guarantees.
            work(unsafe { first.get().add(page * GUARD) });
        }
    };
    if pages > 64 { pool.each(part) } else { (0..threads).for_each(part) }
}

/// A random place for the next large ring.
fn next_place() -> usize {
    static RINGS: AtomicU64 = AtomicU64::new(0);
    let ring = RINGS.fetch_add(1, Ordering::Relaxed);
    bits(0, 0, ring) as usize % PLACES
}

/// Rounds bytes of a large ring up.
fn rounded(bytes: usize) -> usize {
    bytes.next_multiple_of((bytes.next_power_of_two() / PARTS).max(HUGE))
}

/// Whether this many bytes are free beyond the reserve for others. If that cannot be read, assumes
/// so.
fn has_room(bytes: usize) -> bool {
    let (_, free) = limits::memory().unwrap_or((u64::MAX, u64::MAX));
    let slack = (2 * GUARD + SLACK) as u64;
    (bytes as u64).saturating_add(slack).saturating_add(RESERVE) <= free
}

fn too_large(bytes: u64) -> DeviceFault {
    DeviceFault(format!("{bytes} bytes are more than this machine can address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_past_the_end_of_any_slot_is_seen_and_mended() {
        let pool = ThreadPool::new(&[0]).expect("threads");
        for (bytes, slots) in [(1_u64, 1), (4095, 3), (4096, 2), (5000, 7), ((2 << 20) + 12, 2)] {
            let mut region =
                Region::new(bytes, slots, (&pool, &mut SpareMappings::default())).expect("memory");
            for at in 0..slots {
                region.note_use(SampleRuns { runs: 1, first: at });
                assert_eq!(region.trespass(), None);
                let slot = region.slot(at).expect("a slot");
                let (start, end) = (slot.start(), slot.bytes());
                // SAFETY: the guard zones around the slot belong to its ring.
                unsafe { start.add(end + 3).write(0) };
                region.note_use(SampleRuns { runs: 1, first: at });
                let told = (at as usize, "4 bytes past its end".to_owned());
                assert_eq!(region.trespass(), Some(told));
                // SAFETY: as above.
                unsafe { start.sub(8).write(1) };
                region.note_use(SampleRuns { runs: 1, first: at });
                let told = (at as usize, "8 bytes before its start".to_owned());
                assert_eq!(region.trespass(), Some(told));
                assert_eq!(region.trespass(), None);
            }
        }
    }

    #[test]
    fn what_rested_is_woken_once_though_it_is_sealed() {
        let pool = ThreadPool::new(&[0, 1]).expect("threads");
        let mut spare = SpareMappings::within(1 << 34);
        let bytes = (1 << 20) + 1;
        let mut fresh = Region::new(bytes, 3, (&pool, &mut spare)).expect("memory");
        assert!(!fresh.wake(&pool), "its pages have just been touched");
        spare.keep(fresh.into_mapping());
        let mut region = Region::new(bytes, 3, (&pool, &mut spare)).expect("memory");
        region.seal().expect("read-only");
        assert!(region.wake(&pool) && !region.wake(&pool));
        assert_eq!((region.sealed(), region.trespass()), (Seal::Whole, None));
        let before = Instant::now().checked_sub(RESTED);
        region.woken_at = before;
        assert!(before.is_none() || region.wake(&pool));
    }

    /// Whether all pages of this range are present in memory.
    fn are_there(start: *mut u8, bytes: usize) -> bool {
        use std::os::unix::fs::FileExt as _;
        let pages = std::fs::File::open("/proc/self/pagemap").expect("this process's pages");
        let mut entries = vec![0_u8; (start.addr() % GUARD + bytes).div_ceil(GUARD) * 8];
        pages.read_exact_at(&mut entries, (start.addr() / GUARD * 8) as u64).expect("entries");
        // The highest bit means present.
        entries.chunks_exact(8).all(|entry| entry[7] & 0x80 != 0)
    }

    #[test]
    fn a_large_ring_may_begin_at_any_place_of_any_mapping() {
        let pool = ThreadPool::new(&[0]).expect("threads");
        let mut spare = SpareMappings::within(1 << 34);
        for (first, bytes, slots) in [(0, HUGE, 1), (9, 5 * HUGE + 12, 1), (3, HUGE / 3, 40)] {
            let ring = |place, bytes: usize, slots, spare: &mut SpareMappings| {
                let had = spare.bytes();
                let parts = (&pool, &mut *spare);
                let ring = Region::at_place(place, bytes as u64, slots, parts).expect("memory");
                let all = ring.stride * ring.used.len();
                let (start, mapped) = (ring.start.addr(), ring.mapping.start().addr());
                assert_eq!(start % HUGE, place * GUARD);
                assert!(start >= mapped + GUARD, "place {place}: a zone before it");
                assert!(start + all + GUARD <= mapped + ring.mapping.bytes(), "and behind it");
                assert!(are_there(ring.start, all), "place {place} of {bytes} bytes");
                (ring, spare.bytes() < had)
            };
            let fresh = ring(first, bytes, slots, &mut spare).0;
            spare.keep(fresh.into_mapping());
            for place in (0..PLACES).step_by(73) {
                let (again, is_spare) = ring(place, bytes, slots, &mut spare);
                assert!(is_spare, "the mapping serves again");
                spare.keep(again.into_mapping());
            }
            // Also tests parts of a mapping, if the mapping is large.
            if bytes * slots as usize / 3 < HUGE {
                continue;
            }
            let parts = [PLACES - 1, 0].map(|place| ring(place, bytes / 3, slots, &mut spare).0);
            parts.into_iter().for_each(|part| spare.keep(part.into_mapping()));
            spare.clear();
        }
    }

    #[test]
    fn a_slot_is_spread_over_others_and_only_used_slots_are_looked_at() {
        let pool = ThreadPool::new(&[0, 0]).expect("threads");
        let mut region = Region::new(6, 5, (&pool, &mut SpareMappings::default())).expect("memory");
        let first = region.slot(0).expect("a slot");
        first.write(0, b"abcdef").expect("fits");
        region.spread(first, 1..4, 5, &pool).expect("spread");
        for (slot, expected) in [(1, b"abcde\0"), (3, b"abcde\0"), (4, b"\0\0\0\0\0\0")] {
            let mut found = [0; 6];
            region.slot(slot).expect("a slot").read(0, &mut found).expect("fits");
            assert_eq!(&found, expected, "slot {slot}");
        }
        assert!(region.spread(first, 3..6, 5, &pool).is_err());
        region.note_use(SampleRuns { runs: 3, first: 4 });
        assert_eq!(region.used, [true, true, false, false, true]);
        region.note_use(SampleRuns { runs: 100, first: 0 });
        assert_eq!(region.used, [true; 5]);
    }

    #[test]
    fn more_than_is_free_is_refused_with_both_figures() {
        let pool = ThreadPool::new(&[0]).expect("threads");
        let fault = Region::new(1 << 60, 1, (&pool, &mut SpareMappings::default()))
            .err()
            .expect("no machine has an exbibyte");
        assert!(fault.0.contains("1152921504606846976") && fault.0.contains("free"), "{fault}");
        let fault = Region::new(1 << 40, 1 << 20, (&pool, &mut SpareMappings::default()))
            .err()
            .expect("nor so much");
        assert!(fault.0.contains("ring of 1048576"), "{fault}");
    }
}
