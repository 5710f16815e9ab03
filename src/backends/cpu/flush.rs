//! Emptying the caches between samples.
#![expect(unsafe_code, reason = "reads mapped memory")]

use super::{
    memory::Region,
    parts::{Address, share},
    pool::{Pool, Team},
    slot::Slot,
};
use crate::backends::DeviceFault;

/// No last cache needs more. Streaming this much before every sample takes its time; samples are
/// flushed only where there is no memory for copies.
const LARGEST: u64 = 1 << 30;
/// A line of the cache.
const LINE: usize = 64;

/// A buffer that pushes everything else out when it is read.
pub(super) struct Flusher {
    region: Region,
}

impl Flusher {
    /// Twice the last cache.
    pub(super) fn new(cache_bytes: u64, pool: &Pool) -> Result<Self, DeviceFault> {
        let bytes = (cache_bytes * 2).clamp(8 << 20, LARGEST);
        Ok(Self { region: Region::new(bytes, 1, pool)? })
    }

    /// Reads everything, so that the lines left behind are clean: writing them back would be
    /// charged to the kernel.
    pub(super) fn flush(&self, team: &Team<'_>) {
        if let Ok(slot) = self.region.slot(0) {
            read(slot, team);
        }
    }
}

/// Reads a word of every line of a slot, on every thread of the team.
pub(super) fn read(slot: Slot<'_>, team: &Team<'_>) {
    let (start, lines, threads) = (Address(slot.start()), slot.bytes() / LINE, team.size());
    team.each(|index| {
        let part = share(lines, index, threads);
        // Four sums, so that a line need not wait for the one before.
        let mut sums = [0_u64; 4];
        for line in part {
            // SAFETY: inside the slot, whose pages were all touched.
            let word = unsafe { start.get().add(line * LINE).cast::<u64>().read() };
            sums[line % 4] = sums[line % 4].wrapping_add(word);
        }
        std::hint::black_box(sums);
    });
}
