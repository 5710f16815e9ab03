//! Copy bandwidth of a device within its own memory: the reference for kernels bound by memory.

use std::time::{Duration, Instant};

use device::{Device, DeviceFault};

use super::protocol::Reply;

/// Bytes of a copy: `CACHES` times the last-level cache, within these limits. No cache holds as
/// much, and the time to start a copy is negligible.
const CACHES: u64 = 32;
const LEAST_BYTES: u64 = 256 << 20;
const MOST_BYTES: u64 = 4 << 30;
/// Divisor of the free memory: each of the two buffers takes at most this share.
const SHARE: u64 = 8;
/// Number of copies. The first one pays for set-up and is dropped.
const COPIES: usize = 21;
/// Least number of copies, which is enough once they have taken `LONG`.
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
