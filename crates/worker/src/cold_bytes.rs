//! How many bytes must lie between two uses of the same bytes, so that the second use is cold.
//!
//! A processor may state a cache of hundreds of MiB, of which others use most, and copies of four
//! times as many bytes would take longer to fill than to measure. So larger and larger buffers are
//! read over and over, until this is as slow as reading them after a flush.

use std::time::{Duration, Instant};

use device::{Caches, Device, DeviceFault};

use super::read_ring::{ReadRing, samples, undisturbed};

const SAMPLES: usize = 9;
/// Bytes are cold if reading them over and over is at most this many times as fast as after a
/// flush. With less than half of a cache, the factor is 1.3 and more.
const AS_SLOW: f64 = 1.1;

/// Longest time of looking, up to the buffer that ends it. Beside other work reads differ by more
/// than `AS_SLOW`, and each further buffer takes twice as long to fill.
const LONGEST: Duration = Duration::from_millis(1500);

/// Returns the least bytes, in doublings of `least`, that are cold when they are read over and over,
/// or those at which `LONGEST` ended; `None` if there are none below `most`.
pub(super) fn bytes_that_are_cold(
    device: &mut dyn Device,
    (least, most): (u64, u64),
) -> Result<Option<u64>, DeviceFault> {
    let began = Instant::now();
    let mut slots = 1;
    while u64::from(slots) * least < most {
        let buffer = device.allocate_ring(least, slots)?;
        let faster = faster_when_repeated(device, &mut ReadRing::new(buffer, slots));
        device.free(buffer);
        if faster? <= AS_SLOW || began.elapsed() > LONGEST {
            return Ok(Some(u64::from(slots) * least));
        }
        slots *= 2;
    }
    Ok(None)
}

/// How many times faster a ring is read over and over than after a flush. Both kinds alternate, and
/// other work only makes reads slower, so the fast reads of both are compared.
fn faster_when_repeated(device: &mut dyn Device, ring: &mut ReadRing) -> Result<f64, DeviceFault> {
    let (mut flushed, mut again) = (Vec::new(), Vec::new());
    for _ in samples(SAMPLES) {
        flushed.push(ring.read(device, ring.slots(), Caches::Flushed)?);
        // Two reads before the timed one: a cache that others stream through keeps data that is
        // used again.
        for _ in 0..2 {
            ring.read(device, ring.slots(), Caches::Kept)?;
        }
        again.push(ring.read(device, ring.slots(), Caches::Kept)?);
    }
    Ok(undisturbed(&flushed) / undisturbed(&again))
}

#[cfg(test)]
mod tests {
    use super::{super::fake::FakeDevice, *};

    #[test]
    fn copies_are_as_many_as_are_read_from_memory() {
        for (fast_runs, cold) in [(0, Some(16)), (1, Some(32)), (7, Some(128)), (64, None)] {
            let mut device = FakeDevice::new(1e-3);
            device.fast_runs = fast_runs;
            assert_eq!(bytes_that_are_cold(&mut device, (16, 512)), Ok(cold), "{fast_runs}");
            assert!(device.memory.is_empty(), "what is read is given back");
        }
    }
}
