//! Cold and hot samples, and the proof that cold samples are cold. A buffer that fits the
//! last-level cache is read hot, is read like cold samples, and is read after flushing. These reads
//! are compared with reads of many equal buffers in turn, which no cache can serve. All samples
//! except the flushed ones take equally long, so that other work on the machine disturbs them
//! alike.

use device::{Caches, Device, DeviceFault, DeviceInfo};
use records::{CacheProof, CachesRecord};

use super::{
    cold_bytes::bytes_that_are_cold,
    read_ring::{ReadRing, samples, undisturbed},
};

const SAMPLES: usize = 9;
/// Bytes of the buffers that no cache can serve, as a multiple of those between two cold uses.
const BEYOND: u64 = 2;
/// A buffer that is read hot has at most this part of the bytes between two cold uses: others may
/// use the rest of a cache.
const HOT: u64 = 8;

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
    /// Cold: the device keeps its own data, and was asked to keep it cold.
    Own,
}

impl CachePolicy {
    /// Bytes between two uses of the same bytes that are enough for every cache, as a multiple of
    /// the last-level cache.
    const CACHES: u64 = 4;
    /// Bytes between two uses, as a multiple of those that are found to be cold: others may use less
    /// of the cache later.
    const SPARE: u64 = 2;
    /// Least bytes between two uses, since devices may have caches that they do not report.
    const LEAST: u64 = 16 << 20;
    /// Bytes of copies that are enough if caches are flushed: a sample of short runs uses a few
    /// MiB.
    const FLUSHED: u64 = 16 << 20;
    /// Share of the free memory that copies may take.
    const SHARE: f64 = 0.25;

    /// The policy of a study on this device. On processors it is measured how many bytes are enough:
    /// others may use a large part of the cache. A GPU has its whole cache to itself.
    pub(super) fn of(device: &mut dyn Device, cold: bool) -> Result<Self, DeviceFault> {
        let DeviceInfo { cache_bytes, memory: (_, free), .. } = device.info();
        if !cold {
            return Ok(Self::Hot);
        }
        if device.keeps_own_data() {
            return Ok(Self::Own);
        }
        let most = (free as f64 * Self::SHARE) as u64;
        let limits = (Self::LEAST, (Self::CACHES * cache_bytes).max(Self::LEAST));
        let budget = match device.runs_here() {
            true => {
                let cold = bytes_that_are_cold(device, (limits.0, limits.1.min(most)))?;
                let enough =
                    cold.map(|cold| (Self::SPARE * cold).min(limits.1).min(most).max(cold));
                enough.unwrap_or(limits.1)
            }
            false => limits.1,
        };
        Ok(match most < budget {
            true => Self::Flushed { most },
            false => Self::Rotated { budget, most },
        })
    }

    /// Bytes of copies that are wanted, and the most that they may take; `None` if one copy is
    /// enough.
    pub(super) fn of_copies(self) -> Option<(u64, u64)> {
        match self {
            Self::Hot | Self::Own => None,
            Self::Rotated { budget, most } => Some((budget, most)),
            Self::Flushed { most } => Some((Self::FLUSHED.min(most), most)),
        }
    }
}

/// Compares reads of buffers of these shares of the last-level cache. With `small`, no buffer is
/// larger than a part of the bytes between two cold uses.
pub(super) fn prove(
    device: &mut dyn Device,
    policy: CachePolicy,
    (shares, small): (&[f64], bool),
) -> Result<CachesRecord, DeviceFault> {
    let info = device.info();
    let (last_cache, free) = (info.cache_bytes, info.memory.1);
    let (kind, by, bytes) = match policy {
        CachePolicy::Hot => ("hot", "", 0),
        CachePolicy::Rotated { budget, .. } => ("cold", "rotation", budget),
        CachePolicy::Flushed { .. } => ("cold", "flush", 0),
        CachePolicy::Own => ("cold", CachesRecord::BY_GUEST, 0),
    };
    let mut record = CachesRecord {
        kind: kind.to_owned(),
        by: by.to_owned(),
        bytes,
        last_cache,
        proof: Vec::new(),
    };
    // A study with hot samples needs no proof. If there is no room, there is none, and the study goes
    // on.
    let apart = if bytes > 0 { bytes } else { CachePolicy::CACHES * last_cache };
    let largest = if small { 0 } else { last_cache };
    let beyond = BEYOND * apart.max(largest);
    let needless = small && policy == CachePolicy::Hot;
    if needless || last_cache == 0 || 3 * beyond > free {
        return Ok(record);
    }
    for share in shares.iter().copied().filter(|share| *share > 0.0 && *share <= 1.0) {
        let most = if small { apart / HOT } else { u64::MAX };
        let size = ((last_cache as f64 * share) as u64).min(most).max(4096);
        let share = size as f64 / last_cache as f64;
        let slots = match policy {
            CachePolicy::Rotated { budget, .. } => budget.div_ceil(size).max(2) as u32,
            CachePolicy::Hot | CachePolicy::Own | CachePolicy::Flushed { .. } => 1,
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
