//! Emptying the caches between samples.
#![expect(unsafe_code, reason = "reads mapped memory")]

use super::{
    memory::{Region, share},
    pool::{Pool, Team},
};
use crate::backends::DeviceFault;

/// Streaming more than this before every sample would take most of a study's time; a last cache
/// of more than half of it (servers share such ones) is emptied only as far as this goes.
const LARGEST: u64 = 128 << 20;

/// A buffer that pushes everything else out when it is read.
pub(super) struct Flusher {
    region: Region,
}

impl Flusher {
    /// Twice the last cache.
    pub(super) fn new(cache_bytes: u64, pool: &Pool) -> Result<Self, DeviceFault> {
        let bytes = (cache_bytes * 2).clamp(8 << 20, LARGEST);
        let region = Region::new(bytes, pool)?;
        Ok(Self { region })
    }

    /// Reads everything, so that the lines left behind are clean: writing them back would be
    /// charged to the kernel.
    pub(super) fn flush(&self, team: &Team<'_>) {
        let threads = team.size();
        team.each(|index| {
            let part = share(self.region.bytes() / 64, index, threads);
            let mut sum = 0_u64;
            for line in part {
                // SAFETY: inside the region, whose pages were all touched.
                sum = sum.wrapping_add(unsafe {
                    self.region.start().add(line * 64).cast::<u64>().read()
                });
            }
            std::hint::black_box(sum);
        });
    }
}
