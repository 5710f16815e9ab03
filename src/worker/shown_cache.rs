//! How much of the last cache shows. Many processors name hundreds of MiB, which all their cores share: a
//! virtual machine has a small part of it, and copies far beyond the whole would take minutes to fill.

use super::read_ring::{ReadRing, samples, undisturbed};
use crate::{
    backends::{Caches, Device, DeviceFault},
    records::CacheProof,
};

/// Parts of the cache, and those that are read again, most first.
const PARTS: u32 = 16;
const AGAIN: [u32; 4] = [8, 4, 2, 1];
const ALL: u32 = AGAIN[0];
/// Share of the free memory that the reads may take.
const SHARE: f64 = 0.25;
const SAMPLES: usize = 5;

/// Bytes of a last cache that show: twice the largest power of two of its parts that is read again clearly
/// faster than memory, and one part where none is. All of it where there is no memory for the reads.
pub(super) fn shown(
    device: &mut dyn Device,
    (last_cache, free): (u64, u64),
) -> Result<u64, DeviceFault> {
    let part = last_cache / u64::from(PARTS);
    if u64::from(ALL) * part > (free as f64 * SHARE) as u64 {
        return Ok(last_cache);
    }
    let buffer = device.allocate_ring(part, ALL)?;
    let mut ring = ReadRing::new(buffer, ALL);
    let rates = rates(device, &mut ring);
    device.free(buffer);
    // What reads past the caches may need memory of its own.
    let Ok((again, memory)) = rates else { return Ok(last_cache) };
    let shows = |hot| CacheProof { hot, memory, ..CacheProof::default() }.shows();
    let largest = AGAIN.into_iter().zip(again).find(|(_, hot)| shows(*hot));
    Ok(largest.map_or(part, |(parts, _)| 2 * u64::from(parts) * part))
}

/// Parts read in a second: of those that were just read, by their number, and of those that no cache holds.
fn rates(
    device: &mut dyn Device,
    ring: &mut ReadRing,
) -> Result<([f64; AGAIN.len()], f64), DeviceFault> {
    let mut again: [Vec<f64>; AGAIN.len()] = Default::default();
    let mut memory = Vec::new();
    for _ in samples(SAMPLES) {
        memory.push(ring.read(device, ALL, Caches::Flushed)?);
        for (parts, seconds) in AGAIN.into_iter().zip(&mut again) {
            // Twice before: caches that others stream through keep what comes again.
            for _ in 0..2 {
                ring.rewind();
                ring.read(device, parts, Caches::Kept)?;
            }
            ring.rewind();
            seconds.push(ring.read(device, parts, Caches::Kept)?);
        }
        ring.rewind();
    }
    let rate = |seconds: &Vec<f64>| 1.0 / undisturbed(seconds);
    Ok((again.each_ref().map(rate), rate(&memory)))
}

#[cfg(test)]
mod tests {
    use super::{super::fake::FakeDevice, *};

    fn shown_where(fast_runs: u32) -> u64 {
        let mut device = FakeDevice::new(1e-3);
        device.fast_runs = fast_runs;
        let shown = shown(&mut device, (1 << 20, 1 << 30)).expect("no fault");
        assert!(device.memory.is_empty(), "what is read is given back");
        shown
    }

    #[test]
    fn as_much_shows_as_is_read_again_faster_than_memory() {
        assert_eq!(shown_where(8), 1 << 20);
        assert_eq!(shown_where(7), 1 << 19);
        assert_eq!(shown_where(1), 1 << 17);
        assert_eq!(shown_where(0), 1 << 16);
    }

    #[test]
    fn without_memory_for_the_reads_all_of_it_counts() {
        let mut device = FakeDevice::default();
        assert_eq!(shown(&mut device, (1 << 20, 1 << 20)), Ok(1 << 20));
        assert!(device.calls.is_empty());
    }
}
