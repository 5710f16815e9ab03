//! What every backend offers: `probe` and `open`; and every device: facts, memory, compiling,
//! launching, timing.

pub(super) mod fault;
pub(super) mod work;

use std::{collections::BTreeMap, ops::Range, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};

use self::{
    fault::{CompileFault, DeviceFault, Missing, RunFault},
    work::{BoundLaunch, Buffer, Caches, FillPlan, Kernel, Scan, Seal, Timed, Turns},
};
use super::Controls;
pub use crate::accuracy::Element;
use crate::workload::CompileJob;

/// A kind of device.
pub trait Backend: Sync {
    /// What `--device` calls it.
    fn name(&self) -> &'static str;
    /// One sentence.
    fn about(&self) -> &'static str;
    /// The devices that work here, or why there are none and the cure. Never panics.
    fn probe(&self) -> Result<Vec<DeviceInfo>, Missing>;
    /// Takes a device, by its position in `probe`.
    fn open(&self, ordinal: usize) -> Result<Box<dyn Device>, DeviceFault>;
    /// The clocks and limits of the device at this address (its fact `pci_address`).
    fn controls(&self, address: &str) -> Result<Box<dyn Controls>, DeviceFault> {
        let _ = address;
        Err(DeviceFault(format!("clocks and power of `{}` cannot be set", self.name())))
    }
}

/// What a device says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// The backend's name.
    pub backend: String,
    /// Its position among the backend's devices.
    pub ordinal: usize,
    /// The device's own name ("AMD EPYC 9B45", "NVIDIA H200").
    pub name: String,
    /// The compiler with its version, as it enters the cache key and the records.
    pub compiler: String,
    /// Bytes of memory, and how many of them are free now (under any limit of the process group).
    pub memory: (u64, u64),
    /// The largest number of threads in a block.
    pub block_limit: u32,
    /// Bytes of the last cache, flushed for cold samples.
    pub cache_bytes: u64,
    /// Theoretical bytes per second, where known.
    pub peak_bandwidth: Option<f64>,
    /// Theoretical f32 operations per second, where known.
    pub peak_flops: Option<f64>,
    /// Formats that kernels may use on it.
    pub formats: Vec<Element>,
    /// Everything else worth recording (cores, caches, governor, driver, clocks…), by name.
    pub facts: BTreeMap<String, String>,
    /// Reasons to distrust timings on this machine now (load, governor…), one sentence each.
    pub warnings: Vec<String>,
}

/// What a device's own sensors say now; what it has no sensor for is missing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reading {
    /// Joules spent since a fixed moment.
    pub joules: Option<f64>,
    /// Watts drawn now, or over the sensor's own short window.
    pub watts: Option<f64>,
    /// The clock that kernels run at, in hertz.
    pub clock: Option<f64>,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// Whether heat or a limit of power holds the clock down.
    pub throttled: Option<bool>,
}

/// Sensors beside a device: they are read from any thread, while kernels run.
pub trait Sensors: Send + Sync {
    /// Reads all of them.
    fn read(&self) -> Reading;
}

/// A device in the hands of a worker.
pub trait Device {
    /// What it says of itself now (free memory and warnings are fresh).
    fn info(&mut self) -> DeviceInfo;

    /// Keeps compiled kernels in this folder from now on; `None` is the backend's own place.
    fn set_cache(&mut self, folder: Option<std::path::PathBuf>) -> Result<(), DeviceFault> {
        let _ = folder;
        Ok(())
    }

    /// Compiles on its share of the machine's cores where so many workers are at work.
    fn share_cores(&mut self, workers: usize) {
        let _ = workers;
    }

    /// What the device was lost by, after which it does nothing any more and only a new process can
    /// use it again.
    fn lost(&self) -> Option<DeviceFault> {
        None
    }

    /// The device's own sensors, where it has any.
    fn sensors(&self) -> Option<Arc<dyn Sensors>> {
        None
    }

    /// Starts compiling several jobs beside other work, if that does not disturb measuring, and
    /// says whether it does: a later `compile` waits for what is under way.
    fn compile_ahead(&mut self, jobs: &[CompileJob]) -> bool {
        let _ = jobs;
        false
    }

    /// Compiles several jobs, together where that is faster, from the disk cache where it can.
    fn compile(&mut self, jobs: &[CompileJob]) -> Vec<Result<Kernel, CompileFault>>;
    /// Compiles a job by itself that was compiled together with others, and says whether it was:
    /// what the others do when they are loaded says nothing of it.
    fn compile_alone(&mut self, job: &CompileJob) -> Result<bool, CompileFault> {
        let _ = job;
        Ok(false)
    }
    /// Loads a kernel that was compiled, which may run code of its own.
    fn load(&mut self, kernel: Kernel) -> Result<(), CompileFault> {
        let _ = kernel;
        Ok(())
    }
    /// Whether kernels run in this process, and can change what belongs to it.
    fn runs_here(&self) -> bool {
        false
    }
    /// The command line that all kernels are compiled with, compiler and flags, as a person would
    /// type it; run-time compilers state their options after their name. Without the folders and
    /// files of one compilation: equal lines mean equal code from equal sources.
    fn compile_command(&self) -> String;
    /// Facts of a loaded kernel (registers, spills, fibers…), by name.
    fn kernel_facts(&self, kernel: Kernel) -> BTreeMap<String, f64>;
    /// Drops a kernel.
    fn unload(&mut self, kernel: Kernel);

    /// Takes a ring of so many slots of these bytes and answers the first one. Every slot has guard
    /// zones on both sides; all are touched once, so later fills run at speed.
    fn allocate_ring(&mut self, bytes: u64, slots: u32) -> Result<Buffer, DeviceFault>;
    /// Takes a ring of a single slot.
    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceFault> {
        self.allocate_ring(bytes, 1)
    }
    /// Gives a ring back.
    fn free(&mut self, buffer: Buffer);
    /// From now on kernels may only read this ring, until the device itself writes it again.
    fn seal(&mut self, buffer: Buffer) -> Result<(), DeviceFault>;
    /// Whether a ring still holds what it held when it was sealed.
    fn sealed(&mut self, buffer: Buffer) -> Result<Seal, DeviceFault>;
    /// Fills by a generator; the same bits on every device.
    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault>;
    /// Writes bytes from the host at an offset.
    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault>;
    /// Reads bytes to the host from an offset.
    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault>;
    /// Copies the first `bytes` of one buffer to another.
    fn copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<(), DeviceFault> {
        self.spread(from, to, to.slot..to.slot.saturating_add(1), bytes)
    }
    /// Copies the first `bytes` of a buffer to these slots of a ring, in order; to itself it copies
    /// nothing.
    fn spread(
        &mut self,
        from: Buffer,
        to: Buffer,
        slots: Range<u32>,
        bytes: u64,
    ) -> Result<(), DeviceFault>;
    /// Seconds that such a copy takes, the caches as the copy before left them.
    fn time_copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<f64, DeviceFault> {
        let start = Instant::now();
        self.copy(from, to, bytes)?;
        Ok(start.elapsed().as_secs_f64())
    }
    /// The elements at these indices, widened to f64.
    fn gather(
        &mut self,
        buffer: Buffer,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault>;
    /// Overwrites the first `count` elements with a pattern no kernel writes by accident.
    fn poison(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<(), DeviceFault>;
    /// Looks for poison and NaN among the first `count` elements.
    fn scan(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<Scan, DeviceFault>;
    /// Says which buffer's guard zone was written, if any, and mends it. Looks at the zones of the
    /// slots that runs have used since it looked last.
    fn guards(&mut self) -> Result<(), String>;

    /// One untimed run: all launches in order, waited for.
    fn run(&mut self, kernel: Kernel, launches: &[BoundLaunch]) -> Result<(), RunFault>;
    /// One sample: runs back to back, the timer's own overhead subtracted.
    fn time(
        &mut self,
        kernel: Kernel,
        launches: &[BoundLaunch],
        turns: Turns,
        caches: Caches,
    ) -> Result<Timed, RunFault>;
    /// One sample of reading whole slots of a ring instead of running a kernel: how fast memory is,
    /// and whether cold is cold.
    fn time_read(
        &mut self,
        buffer: Buffer,
        turns: Turns,
        caches: Caches,
    ) -> Result<Timed, DeviceFault>;
    /// The timer's resolution and overhead per sample, in seconds.
    fn timer(&self) -> (f64, f64);
}
