//! How fast a device copies within its own memory: what a kernel bound by memory is compared with.

use std::time::{Duration, Instant};

use super::protocol::Reply;
use crate::backends::{Device, DeviceFault};

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
