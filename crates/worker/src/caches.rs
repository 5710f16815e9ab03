//! Cold and hot samples, and the proof that cold samples are cold. A buffer that fits the
//! last-level cache is read hot, is read like cold samples, and is read after flushing. These reads
//! are compared with reads of many equal buffers in turn, which no cache can serve. All samples
//! except the flushed ones take equally long, so that other work on the machine disturbs them
//! alike.

use device::{Caches, Device, DeviceFault, DeviceInfo};
use records::{CacheProof, CachesRecord};

use super::{
    read_ring::{ReadRing, samples, undisturbed},
    shown_cache::shows_whole,
};

const SAMPLES: usize = 9;
/// Bytes of the buffers that no cache can serve: `BEYOND` times the last-level cache, but at most
/// `MOST_BYTES`, or four times the cache if that is more.
const BEYOND: u64 = 8;
const MOST_BYTES: u64 = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CachePolicy {
    /// Caches are as the previous run left them: one copy of every argument.
    Hot,
    /// Cold: `budget` other bytes are touched between two uses of the same bytes.
    Rotated {
        budget: u64,
        /// Most bytes that copies may take.
        most: u64,
    },
    /// Cold: caches are flushed before every sample, since there is no memory for enough copies. A
    /// sample uses each of the available copies once.
    Flushed {
        /// Most bytes that copies may take.
        most: u64,
    },
}

impl CachePolicy {
    /// Least bytes between two uses of the same bytes, as a multiple of the last-level cache.
    const CACHES: u64 = 4;
    /// Up to this many bytes, it is not checked how much of the cache is visible.
    const UNASKED: u64 = 128 << 20;
    /// Least bytes between two uses, since devices may have caches that they do not report.
    const LEAST: u64 = 16 << 20;
    /// Bytes of copies that are enough if caches are flushed: a sample of short runs uses a few
    /// MiB.
    const FLUSHED: u64 = 16 << 20;
    /// Share of the free memory that copies may take.
    const SHARE: f64 = 0.25;

    /// The policy of a study on this device. Only on processors it is checked how much of the cache
    /// is visible: a GPU has its whole cache to itself.
    pub(super) fn of(device: &mut dyn Device, cold: bool) -> Result<Self, DeviceFault> {
        let DeviceInfo { cache_bytes, memory: (_, free), .. } = device.info();
        let is_asked = cold && device.runs_here() && Self::CACHES * cache_bytes > Self::UNASKED;
        let shows = !is_asked || shows_whole(device, (cache_bytes, free))?;
        Ok(Self::new(cold, (cache_bytes, shows), free))
    }

    /// Bytes of copies that are wanted, and the most that they may take; `None` if one copy is
    /// enough.
    pub(super) fn of_copies(self) -> Option<(u64, u64)> {
        match self {
            Self::Hot => None,
            Self::Rotated { budget, most } => Some((budget, most)),
            Self::Flushed { most } => Some((Self::FLUSHED.min(most), most)),
        }
    }

    /// The policy for a last-level cache, which is visible as a whole or in part, and the free
    /// memory, in bytes. If others use most of the cache, its whole size is touched once: where two
    /// of many processors shared 300 MiB, reads of 300 MiB in turn were within 2 % of those of 1200
    /// MiB.
    fn new(cold: bool, (cache_bytes, shows_whole): (u64, bool), free: u64) -> Self {
        let all = Self::CACHES * cache_bytes;
        let needed = if shows_whole { all } else { cache_bytes.max(all.min(Self::UNASKED)) };
        let budget = needed.max(Self::LEAST);
        let most = (free as f64 * Self::SHARE) as u64;
        match cold {
            false => Self::Hot,
            true if most < budget => Self::Flushed { most },
            true => Self::Rotated { budget, most },
        }
    }
}

/// Compares reads of buffers of these shares of the last-level cache.
pub(super) fn prove(
    device: &mut dyn Device,
    policy: CachePolicy,
    shares: &[f64],
) -> Result<CachesRecord, DeviceFault> {
    let info = device.info();
    let (last_cache, free) = (info.cache_bytes, info.memory.1);
    let (kind, by, bytes) = match policy {
        CachePolicy::Hot => ("hot", "", 0),
        CachePolicy::Rotated { budget, .. } => ("cold", "rotation", budget),
        CachePolicy::Flushed { .. } => ("cold", "flush", 0),
    };
    let mut record = CachesRecord {
        kind: kind.to_owned(),
        by: by.to_owned(),
        bytes,
        last_cache,
        proof: Vec::new(),
    };
    // If there is no room, there is no proof, and the study goes on.
    let beyond = (BEYOND * last_cache).min(MOST_BYTES.max(CachePolicy::CACHES * last_cache));
    if last_cache == 0 || 3 * beyond > free {
        return Ok(record);
    }
    for share in shares.iter().copied().filter(|share| *share > 0.0 && *share <= 1.0) {
        let size = ((last_cache as f64 * share) as u64).max(4096);
        let slots = match policy {
            CachePolicy::Rotated { budget, .. } => budget.div_ceil(size).max(2) as u32,
            CachePolicy::Hot | CachePolicy::Flushed { .. } => 1,
        };
        let many = beyond.div_ceil(size) as u32;
        let mut taken = Vec::new();
        let mut ring = |slots| -> Result<ReadRing, DeviceFault> {
            let buffer = device.allocate_ring(size, slots)?;
            taken.push(buffer);
            Ok(ReadRing::new(buffer, slots))
        };
        let rings = ring(1).and_then(|single| Ok([single, ring(slots)?, ring(many)?]));
        let proof = rings.and_then(|rings| read(device, rings, size));
        taken.into_iter().for_each(|buffer| device.free(buffer));
        record.proof.push(CacheProof { share, ..proof? });
    }
    Ok(record)
}

fn read(
    device: &mut dyn Device,
    [mut single, mut ring, mut many]: [ReadRing; 3],
    size: u64,
) -> Result<CacheProof, DeviceFault> {
    let mut seconds: [Vec<f64>; 4] = Default::default();
    let runs = ring.slots() / 2 + 1;
    for _ in samples(SAMPLES) {
        // The first hot read brings the buffer into the cache.
        single.read(device, 1, Caches::Kept)?;
        let hot = single.read(device, runs, Caches::Kept)?;
        let flushed = single.read(device, 1, Caches::Flushed)?;
        let memory = many.read(device, runs, Caches::Kept)?;
        let cold = match ring.slots() {
            1 => flushed,
            slots => {
                // A full turn first, so that the reads above leave nothing in the caches.
                ring.read(device, slots, Caches::Kept)?;
                ring.read(device, runs, Caches::Kept)?
            }
        };
        for (list, sample) in seconds.iter_mut().zip([hot, cold, flushed, memory]) {
            list.push(sample);
        }
    }
    let [hot, cold, flushed, memory] = seconds.map(|list| size as f64 / undisturbed(&list));
    Ok(CacheProof { share: 0.0, hot, cold, flushed, memory })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_four_times_a_cache_that_shows_and_once_a_large_one_that_does_not() {
        let mib = |cache: u64, shows| match CachePolicy::new(true, (cache << 20, shows), 1 << 40) {
            CachePolicy::Rotated { budget, .. } => budget >> 20,
            other => panic!("{other:?}"),
        };
        assert_eq!([mib(1, true), mib(32, true), mib(260, true)], [16, 128, 1040]);
        assert_eq!([mib(40, false), mib(96, false), mib(260, false)], [128, 128, 260]);
    }
}
