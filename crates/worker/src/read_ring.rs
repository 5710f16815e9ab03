//! Timed reads of equal buffers in turn.

use std::time::{Duration, Instant};

use device::{Buffer, Caches, Device, DeviceFault, SampleRuns};
use math::{quantile, sorted};

const QUARTILE: f64 = 0.25;
/// Least samples, which are enough once they have taken `LONG`. With a last-level cache of hundreds
/// of MiB, each takes a tenth of a second.
const LEAST: usize = 3;
const LONG: Duration = Duration::from_millis(250);

/// Equal slots that are read in turn.
pub(super) struct ReadRing {
    buffer: Buffer,
    slots: u32,
    next: u32,
}

impl ReadRing {
    pub(super) const fn new(buffer: Buffer, slots: u32) -> Self {
        Self { buffer, slots, next: 0 }
    }

    pub(super) const fn slots(&self) -> u32 {
        self.slots
    }

    /// Mean seconds of `runs` reads of one slot each.
    pub(super) fn read(
        &mut self,
        device: &mut dyn Device,
        runs: u32,
        caches: Caches,
    ) -> Result<f64, DeviceFault> {
        let sample_runs = SampleRuns { runs, first: self.next };
        self.next = (self.next + runs) % self.slots;
        device.time_read(self.buffer, sample_runs, caches).map(|sample| sample.seconds)
    }
}

/// Sample numbers: as many as wanted, but fewer if they take long.
pub(super) fn samples(wanted: usize) -> impl Iterator<Item = usize> {
    let began = Instant::now();
    (0..wanted).take_while(move |at| *at < LEAST || began.elapsed() < LONG)
}

/// Seconds of a read as if nothing else ran. This is the lower quartile, since other work only
/// makes reads slower.
pub(super) fn undisturbed(seconds: &[f64]) -> f64 {
    quantile(&sorted(seconds), QUARTILE).max(1e-12)
}
