//! Whether cold is cold: a buffer that the last cache would hold is read hot, as cold samples are,
//! after flushing, and compared with a read of one that no cache holds.

use super::arena::Copies;
use crate::{
    backends::{Buffer, Caches, Device, DeviceFault, Turns},
    numeric::median,
    records::{CacheProof, CachesRecord},
};

/// Samples of every kind, taken in turn.
const SAMPLES: usize = 9;
/// The buffer that no cache holds, in last caches.
const BEYOND: u64 = 8;
/// The largest buffer that is taken for it.
const MOST_BYTES: u64 = 2 << 30;

/// Reads buffers of these shares of the last cache.
pub(super) fn prove(
    device: &mut dyn Device,
    copies: Copies,
    shares: &[f64],
) -> Result<CachesRecord, DeviceFault> {
    let info = device.info();
    let (last_cache, free) = (info.cache_bytes, info.memory.1);
    let (kind, by, bytes) = match copies {
        Copies::Hot => ("hot", "", 0),
        Copies::Rotated { budget, .. } => ("cold", "rotation", budget),
        Copies::Flushed => ("cold", "flush", 2 * last_cache),
    };
    let mut record = CachesRecord {
        kind: kind.to_owned(),
        by: by.to_owned(),
        bytes,
        last_cache,
        proof: Vec::new(),
    };
    // Without room there is no proof, and nothing is lost by that.
    let beyond = (BEYOND * last_cache).min(MOST_BYTES);
    if last_cache == 0 || 3 * beyond > free {
        return Ok(record);
    }
    let large = device.allocate(beyond)?;
    for share in shares.iter().copied().filter(|share| *share > 0.0 && *share <= 1.0) {
        let size = ((last_cache as f64 * share) as u64).max(4096);
        let slots = match copies {
            Copies::Rotated { budget, .. } => budget.div_ceil(size).max(2) as u32,
            Copies::Hot | Copies::Flushed => 1,
        };
        let ring = device.allocate_ring(size, slots)?;
        let proof = read(device, ring, size, slots, (large, beyond));
        device.free(ring);
        record.proof.push(CacheProof { share, ..proof? });
    }
    device.free(large);
    Ok(record)
}

fn read(
    device: &mut dyn Device,
    ring: Buffer,
    size: u64,
    slots: u32,
    (large, beyond): (Buffer, u64),
) -> Result<CacheProof, DeviceFault> {
    let mut seconds: [Vec<f64>; 4] = Default::default();
    let mut next = 0;
    for _ in 0..SAMPLES {
        // The first of two hot reads brings the buffer in.
        device.time_read(ring, Turns::of(1), Caches::Kept)?;
        let first = |ring| Turns { runs: 1, first: ring };
        let hot = device.time_read(ring, first(0), Caches::Kept)?;
        let flushed = device.time_read(ring, first(0), Caches::Flushed)?;
        let memory = device.time_read(large, first(0), Caches::Kept)?;
        // Once round, so that what the reads above left does not count.
        let cold = match slots {
            1 => flushed,
            _ => {
                let turns = Turns { runs: slots, first: next };
                device.time_read(ring, turns, Caches::Kept)?;
                let turns = Turns { runs: slots / 2 + 1, first: next };
                next = (next + turns.runs) % slots;
                device.time_read(ring, turns, Caches::Kept)?
            }
        };
        for (list, sample) in seconds.iter_mut().zip([hot, cold, flushed, memory]) {
            list.push(sample.seconds);
        }
    }
    let rate = |bytes: u64, list: &[f64]| bytes as f64 / median(list).max(1e-12);
    Ok(CacheProof {
        share: 0.0,
        hot: rate(size, &seconds[0]),
        cold: rate(size, &seconds[1]),
        flushed: rate(size, &seconds[2]),
        memory: rate(beyond, &seconds[3]),
    })
}
