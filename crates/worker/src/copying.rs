//! Copy bandwidth of a device within its own memory: the yardstick of kernels bound by memory, and
//! of rounds that ask whether the machine is as fast as before.

use std::time::{Duration, Instant};

use device::{Buffer, Device, DeviceFault};

use super::protocol::Reply;

/// Bytes of a copy: this many last caches, within these limits, so that no cache holds them and
/// starting the copy costs nothing beside it.
const CACHES: u64 = 32;
const LEAST_BYTES: u64 = 256 << 20;
const MOST_BYTES: u64 = 4 << 30;
/// Divisor of the free memory: each of the two buffers takes this share at most.
const SHARE: u64 = 8;
/// Copies, of which the first pays for set-up at first use and is dropped.
const COPIES: usize = 21;
/// Least copies, enough once they have taken `LONG`.
const FEWEST: usize = 4;
const LONG: Duration = Duration::from_secs(3);

pub(super) fn measure(device: &mut dyn Device) -> Result<Reply, DeviceFault> {
    let info = device.info();
    let enough = (CACHES * info.cache_bytes).clamp(LEAST_BYTES, MOST_BYTES);
    let bytes = (info.memory.1 / SHARE).min(enough).max(1 << 20);
    let (from, to) = (device.allocate(bytes)?, device.allocate(bytes)?);
    let start = Instant::now();
    let goes_on = |at: &usize| *at < FEWEST || start.elapsed() < LONG;
    let copies = (0..COPIES).take_while(goes_on).map(|_| device.time_copy(from, to, bytes));
    let seconds = copies.collect::<Result<Vec<f64>, DeviceFault>>();
    device.free(from);
    device.free(to);
    Ok(Reply::Copied { bytes, seconds: seconds?.split_off(1) })
}

/// Bytes of the sentinel's copy, the same in all studies on a device.
const SENTINEL_BYTES: u64 = 8 << 20;
/// Bytes of all its buffers: more than the last cache has, within these limits, and this share of the memory at most.
const SENTINEL_CACHES: f64 = 1.25;
const SENTINEL_LEAST: u64 = 128 << 20;
const SENTINEL_MOST: u64 = 1 << 30;
const SENTINEL_SHARE: u64 = 16;

/// Buffers of which two are copied in every round, to see how fast the machine's memory is now. They take turns, or a
/// large cache would hold them in a study of a few small sizes, and not beside the others of a long one: the one would
/// have found memory twice as fast.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sentinel {
    from: Buffer,
    to: Buffer,
    slots: u32,
    next: u32,
}

impl Sentinel {
    /// Takes its buffers; `None` if there is no room.
    pub(super) fn new(device: &mut dyn Device) -> Option<Self> {
        let info = device.info();
        let slots = Self::slots(info.cache_bytes, info.memory.0);
        let from = device.allocate_ring(SENTINEL_BYTES, slots).ok()?;
        match device.allocate_ring(SENTINEL_BYTES, slots) {
            Ok(to) => Some(Self { from, to, slots, next: 0 }),
            Err(_) => {
                device.free(from);
                None
            }
        }
    }

    /// Buffers on each side, with a last cache and a memory of so many bytes: what is free now tells nothing of the device.
    fn slots(cache: u64, memory: u64) -> u32 {
        let bytes = ((SENTINEL_CACHES * cache as f64) as u64).clamp(SENTINEL_LEAST, SENTINEL_MOST);
        (bytes.min(memory / SENTINEL_SHARE) / (2 * SENTINEL_BYTES)).max(1) as u32
    }

    /// Copies the next buffer, and says how many seconds that took.
    pub(super) fn copy(&mut self, device: &mut dyn Device) -> Option<f64> {
        let slot = self.next;
        self.next = (slot + 1) % self.slots;
        device.time_copy(self.from.at(slot), self.to.at(slot), SENTINEL_BYTES).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fake::FakeDevice, *};

    #[test]
    fn the_sentinel_copies_its_buffers_in_turn() {
        let mut device = FakeDevice::new(1e-3);
        let mut ring = || device.allocate_ring(SENTINEL_BYTES, 2).expect("memory");
        let mut sentinel = Sentinel { from: ring(), to: ring(), slots: 2, next: 0 };
        device.calls.clear();
        (0..3).for_each(|_| assert!(sentinel.copy(&mut device).is_some()));
        assert_eq!(device.calls, ["restore 0..1", "restore 1..2", "restore 0..1"]);
    }

    #[test]
    fn no_cache_holds_the_buffers_of_the_sentinel_and_they_leave_the_memory_to_others() {
        let bytes = |cache: u64, memory: u64| {
            let slots = Sentinel::slots(cache << 20, memory << 20);
            (2 * SENTINEL_BYTES * u64::from(slots)) >> 20
        };
        for cache in [0, 1, 32, 100, 300, 500, 768] {
            let bytes = bytes(cache, 1 << 14);
            assert!(bytes > cache && (128..=1024).contains(&bytes), "{cache}: {bytes}");
        }
        assert_eq!([bytes(4096, 1 << 15), bytes(300, 1 << 10), bytes(300, 16)], [1024, 64, 16]);
    }
}
