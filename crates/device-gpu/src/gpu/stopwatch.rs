//! Takes samples as nvbench does: flush the caches, hold the stream at a gate, queue event, work
//! and event, then open the gate. The time between the events is then the device's alone, however
//! long the host takes to launch.

use device::Caches;

use super::{
    context::{GpuEvent, Stream},
    fault::DriverFault,
    memory::{Mailbox, Memory},
    service::Service,
};

/// Nanoseconds until a gate opens by itself. That happens if the host was held up, or if launching
/// waits for the device (a full queue, a module that is loaded at its first launch).
const GATE_TIMEOUT_NS: u64 = 500_000_000;
/// Late gates in a row after which gates are no longer used: launching seems to wait for the
/// device.
const MOST_LATE: u32 = 3;
/// Resolution of events as documented, in seconds.
const RESOLUTION: f64 = 0.5e-6;
/// Empty samples that are taken to measure the timer's overhead.
const EMPTY_SAMPLES: usize = 51;
/// Bytes read to flush the caches, as a multiple of the last-level cache.
const CACHES: u64 = 2;
const OPEN: usize = 0;
const LATE: usize = 1;

pub(crate) struct Stopwatch {
    start: GpuEvent,
    stop: GpuEvent,
    mailbox: Mailbox,
    zeros: Memory,
    /// Gates in a row that opened by themselves.
    late: u32,
    /// Seconds between two events with nothing between them.
    overhead: f64,
    /// Smallest difference between two samples, in seconds.
    resolution: f64,
    /// Seconds that an empty kernel takes.
    launch: f64,
}

impl Stopwatch {
    /// Allocates memory, then times empty samples to measure the overhead.
    pub(crate) fn new(
        stream: &Stream,
        service: &Service,
        cache_bytes: u64,
    ) -> Result<Self, DriverFault> {
        let context = &stream.context;
        let zeros = Memory::new(context, (cache_bytes * CACHES).max(8 << 20))?;
        zeros.set(stream, 0, 0, zeros.bytes())?;
        stream.wait()?;
        let mut stopwatch = Self {
            start: GpuEvent::new(context)?,
            stop: GpuEvent::new(context)?,
            mailbox: Mailbox::new(context, 2)?,
            zeros,
            late: 0,
            overhead: 0.0,
            resolution: RESOLUTION,
            launch: 0.0,
        };
        let nothing = stopwatch.repeat(stream, service, || Ok(()))?;
        stopwatch.overhead = nothing[nothing.len() / 2];
        let steps = nothing.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0);
        stopwatch.resolution = steps.fold(RESOLUTION, f64::min);
        let empty =
            stopwatch.repeat(stream, service, || service.flush(stream, &stopwatch.zeros, 0))?;
        stopwatch.launch = (empty[empty.len() / 2] - stopwatch.overhead).max(0.0);
        stopwatch.late = 0;
        Ok(stopwatch)
    }

    fn repeat(
        &self,
        stream: &Stream,
        service: &Service,
        queue: impl Fn() -> Result<(), DriverFault>,
    ) -> Result<Vec<f64>, DriverFault> {
        // The first launch of a kind pays for set-up.
        queue()?;
        let sample = |_| self.between(stream, service, true, &queue).map(|(seconds, _)| seconds);
        let mut samples =
            (0..EMPTY_SAMPLES).map(sample).collect::<Result<Vec<f64>, DriverFault>>()?;
        samples.sort_by(f64::total_cmp);
        Ok(samples)
    }

    /// Seconds that the device spends on the work that `queue` queues.
    pub(crate) fn time<F: From<DriverFault>>(
        &mut self,
        stream: &Stream,
        service: &Service,
        caches: Caches,
        mut queue: impl FnMut() -> Result<(), F>,
    ) -> Result<f64, F> {
        loop {
            if caches == Caches::Flushed {
                service.flush(stream, &self.zeros, self.zeros.bytes())?;
            }
            let gated = self.late < MOST_LATE;
            let (seconds, late) = self.between(stream, service, gated, &mut queue)?;
            if !late {
                if gated {
                    self.late = 0;
                }
                return Ok((seconds - self.overhead).max(0.0));
            }
            self.late += 1;
        }
    }

    /// Seconds between the events around some work, and whether the gate opened by itself.
    fn between<F: From<DriverFault>>(
        &self,
        stream: &Stream,
        service: &Service,
        gated: bool,
        queue: impl FnOnce() -> Result<(), F>,
    ) -> Result<(f64, bool), F> {
        stream.wait()?;
        self.mailbox.put(OPEN, 0);
        self.mailbox.put(LATE, 0);
        if gated {
            service.gate(stream, &self.mailbox, GATE_TIMEOUT_NS)?;
        }
        let queued = self
            .start
            .record(stream)
            .map_err(F::from)
            .and_then(|()| queue())
            .and_then(|()| Ok(self.stop.record(stream)?));
        // The gate is opened even after a fault, so that queued work does not wait for ever.
        self.mailbox.put(OPEN, 1);
        let waited = stream.wait();
        queued?;
        waited?;
        Ok((self.stop.since(&self.start)?, self.mailbox.get(LATE) != 0))
    }

    /// Resolution and overhead, in seconds.
    pub(crate) fn timer(&self) -> (f64, f64) {
        (self.resolution, self.overhead)
    }

    pub(crate) fn launch(&self) -> f64 {
        self.launch
    }

    /// Whether samples still wait at the gate.
    pub(crate) fn is_gated(&self) -> bool {
        self.late < MOST_LATE
    }
}
