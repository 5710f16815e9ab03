//! Whether all of the last-level cache is visible. Many processors report hundreds of MiB, which
//! all their cores share. A virtual machine gets a part of that, and copies far beyond the whole
//! cache would take minutes to fill.

use device::{Caches, Device, DeviceFault};
use math::median;
use records::CacheProof;

use super::read_ring::{ReadRing, samples};

/// Parts of the cache, and the number of parts in the half that must be visible.
const PARTS: u32 = 16;
const HALF: u32 = PARTS / 2;
/// Share of the free memory that the reads may take.
const SHARE: f64 = 0.25;
const SAMPLES: usize = 9;
/// Least gain of half the cache over memory, as a share of the gain of one part. The gain is at
/// most a fifth if others use most of the cache, and nearly all if nobody else does. Values between
/// these are rare, so that all studies of a machine get the same answer.
const LEAST_GAIN: f64 = 0.5;
/// Half the cache counts as visible above this gain, whatever a part gains: with many cores, their
/// private caches may serve the part.
const ENOUGH: f64 = 1.0;

/// Whether half of the last-level cache is read again about as much faster than memory as a small
/// part is. If so, the other half is visible too. Returns true if there is no memory for the reads.
pub(super) fn shows_whole(
    device: &mut dyn Device,
    (last_cache, free): (u64, u64),
) -> Result<bool, DeviceFault> {
    let part = last_cache / u64::from(PARTS);
    if u64::from(HALF) * part > (free as f64 * SHARE) as u64 {
        return Ok(true);
    }
    let buffer = device.allocate_ring(part, HALF)?;
    let gains = gains(device, &mut ReadRing::new(buffer, HALF));
    device.free(buffer);
    // The flushed reads may fail for lack of memory.
    Ok(gains.map_or(true, judged))
}

/// Whether the whole cache is visible, if one of its parts and half of it are read this many times
/// faster than memory.
fn judged([of_part, of_half]: [f64; 2]) -> bool {
    let shows = |hot| CacheProof { hot, memory: 1.0, ..CacheProof::default() }.shows();
    let enough = (LEAST_GAIN * (of_part - 1.0)).min(ENOUGH);
    shows(of_part) && shows(of_half) && of_half - 1.0 >= enough
}

/// How many times faster than memory one part and half of the cache are read again. Successive
/// reads are compared, since other work slows them alike.
fn gains(device: &mut dyn Device, ring: &mut ReadRing) -> Result<[f64; 2], DeviceFault> {
    let mut gains: [Vec<f64>; 2] = Default::default();
    for _ in samples(SAMPLES) {
        ring.rewind();
        let memory = ring.read(device, HALF, Caches::Flushed)?;
        for (parts, gains) in [1, HALF].into_iter().zip(&mut gains) {
            let mut again = || {
                ring.rewind();
                ring.read(device, parts, Caches::Kept)
            };
            // Two reads before the timed one: a cache that others stream through keeps data that is
            // used again.
            for _ in 0..2 {
                again()?;
            }
            gains.push(memory / again()?.max(1e-12));
        }
    }
    Ok(gains.map(|gains| median(&gains)))
}

#[cfg(test)]
mod tests {
    use super::{super::fake::FakeDevice, *};

    #[test]
    fn all_shows_where_half_is_read_again_as_fast_as_a_part() {
        for (fast_runs, all) in [(0, false), (1, false), (7, false), (8, true)] {
            let mut device = FakeDevice::new(1e-3);
            device.fast_runs = fast_runs;
            assert_eq!(shows_whole(&mut device, (1 << 20, 1 << 30)), Ok(all), "{fast_runs} parts");
            assert!(device.memory.is_empty(), "what is read is given back");
        }
    }

    #[test]
    fn a_part_that_caches_of_its_own_serve_does_not_hide_the_last_one() {
        assert!(judged([2.0, 1.9]) && judged([28.0, 13.0]) && judged([28.0, 2.0]));
        // As measured on a virtual machine, also with noise.
        assert!(!judged([2.0, 1.2]) && !judged([1.8, 1.05]) && !judged([1.1, 1.3]));
    }

    #[test]
    fn without_memory_for_the_reads_all_of_it_shows() {
        let mut device = FakeDevice::default();
        assert_eq!(shows_whole(&mut device, (1 << 20, 1 << 20)), Ok(true));
        assert!(device.calls.is_empty());
    }
}
