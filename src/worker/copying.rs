//! How fast a device copies within its own memory: what a kernel bound by memory is compared with,
//! and how rounds see whether the machine is as fast as before.

use std::time::{Duration, Instant};

use super::protocol::Reply;
use crate::backends::{Buffer, Device, DeviceFault};

/// Large enough that no cache holds it and that starting a copy costs nothing beside it: so many
/// last caches, between these bytes.
const CACHES: u64 = 32;
const LEAST_BYTES: u64 = 256 << 20;
const MOST_BYTES: u64 = 4 << 30;
/// Each of the two buffers takes this share of the free memory at most.
const SHARE: u64 = 8;
/// The first pays for what is set up at first use and is not kept.
const COPIES: usize = 21;
/// Where copies are slow, so many do, once this time is over.
const FEWEST: usize = 4;
const LONG: Duration = Duration::from_secs(3);

/// Copies one buffer to another, again and again.
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

/// Bytes of the copy that is timed in every round: the same in all studies on a device.
const SENTINEL_BYTES: u64 = 8 << 20;

/// Two buffers whose copying shows how fast the machine is now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sentinel {
    from: Buffer,
    to: Buffer,
}

impl Sentinel {
    /// Takes its buffers; none where there is no room for them.
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

    /// Seconds of a copy.
    pub(super) fn copy(self, device: &mut dyn Device) -> Option<f64> {
        device.time_copy(self.from, self.to, SENTINEL_BYTES).ok()
    }
}
