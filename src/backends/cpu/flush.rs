//! Empties the caches before samples.
#![expect(unsafe_code, reason = "reads mapped memory")]

use super::{
    mapping::SpareMappings,
    memory::Region,
    parts::{Address, share},
    pool::{Team, ThreadPool},
    slot::Slot,
};
use crate::backends::DeviceFault;

/// Most bytes to read: no last cache needs more, and reading takes time before every sample.
const LARGEST: u64 = 1 << 30;
const LINE: usize = 64;

/// A buffer that pushes all else out of the caches when it is read.
pub(super) struct Flusher {
    region: Region,
}

impl Flusher {
    pub(super) fn new(cache_bytes: u64, pool: &ThreadPool) -> Result<Self, DeviceFault> {
        let bytes = (cache_bytes * 2).clamp(8 << 20, LARGEST);
        Ok(Self { region: Region::new(bytes, 1, (pool, &mut SpareMappings::default()))? })
    }

    /// Reads, so that the lines left are clean: writing back would be charged to the kernel.
    pub(super) fn flush(&self, team: &Team<'_>) {
        if let Ok(slot) = self.region.slot(0) {
            read(slot, team);
        }
    }
}

pub(super) fn read(slot: Slot<'_>, team: &Team<'_>) {
    let (start, lines, threads) = (Address(slot.start()), slot.bytes() / LINE, team.size());
    team.each(|index| {
        let part = share(lines, index, threads);
        // Four sums, so that reads do not wait for each other.
        let mut sums = [0_u64; 4];
        for line in part {
            // SAFETY: inside the slot, whose pages were all touched.
            let word = unsafe { start.get().add(line * LINE).cast::<u64>().read() };
            sums[line % 4] = sums[line % 4].wrapping_add(word);
        }
        std::hint::black_box(sums);
    });
}
