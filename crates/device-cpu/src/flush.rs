//! Empties the caches before samples.
#![expect(unsafe_code, reason = "reads mapped memory")]

use std::marker::PhantomData;

use device::DeviceFault;

use super::{
    lines::{self, LINE},
    mapping::SpareMappings,
    memory::Region,
    parts::{Address, share},
    pool::{Team, ThreadPool},
    slot::Slot,
};

/// Most bytes to read. No last-level cache needs more, and reading takes time before every sample.
const LARGEST: u64 = 1 << 30;
/// Bytes to read so that everything else leaves the caches, as a multiple of the last-level cache.
const CACHES: u64 = 2;

/// How a sample's data is removed from the caches.
pub(super) enum Flush<'a> {
    /// Flushes the cache lines that hold the data.
    Lines(UsedLines<'a>),
    /// Reads a large buffer, which pushes everything else out.
    All(&'a Flusher),
}

impl Flush<'_> {
    /// Whether single lines can be flushed, which takes as long as reading them. If not, a
    /// `Flusher` is needed.
    pub(super) fn is_by_line() -> bool {
        lines::go_at_once()
    }

    pub(super) fn run(&self, team: &Team<'_>) {
        match self {
            Self::All(flusher) => flusher.flush(team),
            Self::Lines(used) => team.each(|index| {
                for (first, bytes) in used.share(index, team.size()) {
                    // SAFETY: whole lines of slots whose rings are borrowed. Bytes of the last line
                    // beyond the slot belong to the guard zone behind it.
                    unsafe { lines::put_back(first.get(), bytes) };
                }
                lines::wait();
            }),
        }
    }
}

/// The cache lines of slots.
pub(super) struct UsedLines<'a> {
    slots: Vec<(Address, usize)>,
    rings: PhantomData<&'a ()>,
}

impl<'a> UsedLines<'a> {
    pub(super) fn of(slots: &[Slot<'a>]) -> Self {
        let slots = slots.iter().map(|slot| (Address(slot.start()), slot.bytes())).collect();
        Self { slots, rings: PhantomData }
    }

    /// One thread's share of every slot: address of the first line, and bytes.
    fn share(&self, index: usize, threads: usize) -> impl Iterator<Item = (Address, usize)> {
        self.slots.iter().map(move |(start, bytes)| {
            let part = share(bytes.div_ceil(LINE), index, threads);
            (Address(start.get().wrapping_add(part.start * LINE)), part.len() * LINE)
        })
    }
}

/// A buffer that pushes everything else out of the caches when it is read.
pub(super) struct Flusher {
    region: Region,
}

impl Flusher {
    pub(super) fn new(cache_bytes: u64, pool: &ThreadPool) -> Result<Self, DeviceFault> {
        let bytes = (cache_bytes * CACHES).clamp(8 << 20, LARGEST);
        Ok(Self { region: Region::new(bytes, 1, (pool, &mut SpareMappings::default()))? })
    }

    /// Reads the buffer. Reading leaves clean lines: writing back dirty ones would be charged to
    /// the kernel.
    fn flush(&self, team: &Team<'_>) {
        if let Ok(slot) = self.region.slot(0) {
            read(slot, team);
        }
    }
}

pub(super) fn read(slot: Slot<'_>, team: &Team<'_>) {
    let (start, lines, threads) = (Address(slot.start()), slot.bytes() / LINE, team.size());
    team.each(|index| {
        let part = share(lines, index, threads);
        // Four sums, so that the reads do not wait for each other.
        let mut sums = [0_u64; 4];
        for line in part {
            // SAFETY: inside the slot, whose pages were all touched.
            let word = unsafe { start.get().add(line * LINE).cast::<u64>().read() };
            sums[line % 4] = sums[line % 4].wrapping_add(word);
        }
        std::hint::black_box(sums);
    });
}

#[cfg(test)]
mod tests {
    use device::SampleRuns;

    use super::*;

    #[test]
    fn every_line_of_the_slots_that_runs_use_has_one_thread() {
        let pool = ThreadPool::new(&[0]).expect("threads");
        for (bytes, slots, first, runs) in [(1_u64, 1, 0, 1), (1000, 5, 3, 4), (640, 3, 1, 7)] {
            let ring =
                Region::new(bytes, slots, (&pool, &mut SpareMappings::default())).expect("memory");
            let used = ring.used_by(SampleRuns { runs, first });
            assert_eq!(used.len() as u32, runs.min(slots));
            for threads in [1, 2, 7] {
                let lines = UsedLines::of(&used);
                let parts = (0..threads).flat_map(|index| lines.share(index, threads));
                let line_of = |(first, bytes): (Address, usize)| {
                    (0..bytes).step_by(LINE).map(move |at| first.get().addr() + at)
                };
                let mut found: Vec<usize> = parts.flat_map(line_of).collect();
                found.sort_unstable();
                let of_slot = |slot: &Slot<'_>| {
                    let start = slot.start().addr();
                    (0..slot.bytes()).step_by(LINE).map(move |at| start + at)
                };
                let mut wanted: Vec<usize> = used.iter().flat_map(of_slot).collect();
                wanted.sort_unstable();
                assert_eq!(found, wanted, "{bytes} bytes, {slots} slots, {threads} threads");
            }
        }
    }
}
