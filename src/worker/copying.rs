//! Copy bandwidth of a device within its own memory: the yardstick of kernels bound by memory, and
//! of rounds that ask whether the machine is as fast as before.

use std::time::{Duration, Instant};

use super::protocol::Reply;
use crate::backends::{Buffer, Device, DeviceFault};

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

/// Two buffers that are copied in every round, to see how fast the machine is now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sentinel {
    from: Buffer,
    to: Buffer,
}

impl Sentinel {
    /// Takes its buffers; `None` if there is no room.
    pub(super) fn new(device: &mut dyn Device) -> Option<Self> {
        let from = device.allocate(SENTINEL_BYTES).ok()?;
        match device.allocate(SENTINEL_BYTES) {
            Ok(to) => Some(Self { from, to }),
            Err(_) => {
                device.free(from);
                None
            }
        }
    }

    pub(super) fn copy(self, device: &mut dyn Device) -> Option<f64> {
        device.time_copy(self.from, self.to, SENTINEL_BYTES).ok()
    }
}
