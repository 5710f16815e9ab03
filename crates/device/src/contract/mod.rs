//! The contract of devices: what backends offer (`probe`, `open`), and what an open device does
//! (facts, memory, compiling, launching, timing).

pub(super) mod fault;
pub(super) mod work;

use std::{collections::BTreeMap, ops::Range, sync::Arc, time::Instant};

use serde::{Deserialize, Serialize};
use space::accuracy::Element;

use self::{
    fault::{CompileFault, DeviceFault, Missing, RunFault},
    work::{
        BoundLaunch, Buffer, Caches, FillPlan, Kernel, OwnResults, SampleRuns, Scan, Seal, Timed,
    },
};
use super::Controls;
use crate::workload::CompileJob;

/// Opens the controls (clocks and limits) of the device at an address.
pub type OpenControls = fn(&str) -> Result<Box<dyn Controls>, DeviceFault>;

/// A kind of device.
pub struct Backend {
    /// What `--device` calls it.
    pub name: &'static str,
    /// One sentence about the backend.
    pub about: &'static str,
    /// Lists the devices that work here, or says why there are none and what to do. Never panics.
    pub probe: fn() -> Result<Vec<DeviceInfo>, Missing>,
    /// Opens a device by its position in `probe`.
    pub open: fn(usize) -> Result<Box<dyn Device>, DeviceFault>,
    /// Opens the controls of the device at an address (its fact `pci_address`). `None` if clocks
    /// and limits cannot be set.
    pub controls: Option<OpenControls>,
}

/// A device's facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Name of the backend.
    pub backend: String,
    /// Position among the backend's devices.
    pub ordinal: usize,
    /// The device's own name ("AMD EPYC 9B45", "NVIDIA H200").
    pub name: String,
    /// Compiler with version, as in the cache key and the records.
    pub compiler: String,
    /// Total bytes of memory, and bytes free now (under any limit of the process group).
    pub memory: (u64, u64),
    /// Most threads in a block.
    pub block_limit: u32,
    /// Bytes of the last-level cache. Cold samples must find nothing in this cache.
    pub cache_bytes: u64,
    /// Theoretical memory bandwidth in bytes per second, where known.
    pub peak_bandwidth: Option<f64>,
    /// Theoretical f32 operations per second, where known.
    pub peak_flops: Option<f64>,
    /// Formats that kernels may use on it.
    pub formats: Vec<Element>,
    /// All other facts worth recording (cores, caches, governor, driver, clocks…), by name.
    pub facts: BTreeMap<String, String>,
    /// Reasons to distrust timings now (load, governor…), one sentence each.
    pub warnings: Vec<String>,
}

/// A reading of a device's own sensors; `None` where it has no sensor.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SensorReading {
    /// Joules spent since a fixed moment.
    pub joules: Option<f64>,
    /// Watts drawn now, or over the sensor's own short window.
    pub watts: Option<f64>,
    /// The clock that kernels run at, in hertz.
    pub clock: Option<f64>,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// Whether heat or the power limit holds the clock down.
    pub throttled: Option<bool>,
}

/// Sensors of a device, which any thread may read while kernels run.
pub trait Sensors: Send + Sync {
    /// Reads all sensors.
    fn read(&self) -> SensorReading;

    /// Whether heat or the power limit holds the clock down. Devices that can ask for this alone
    /// override the method.
    fn throttled(&self) -> Option<bool> {
        self.read().throttled
    }
}

/// A device opened by a worker.
pub trait Device {
    /// The facts now. Free memory and warnings are read again, except the load. The load is read
    /// only once, since later it is the program's own.
    fn info(&mut self) -> DeviceInfo;

    /// Total bytes of memory, and bytes free now.
    fn memory(&mut self) -> (u64, u64) {
        self.info().memory
    }

    /// Keeps compiled kernels in this folder from now on; `None` means the backend's own folder.
    fn set_cache(&mut self, folder: Option<std::path::PathBuf>) -> Result<(), DeviceFault> {
        let _ = folder;
        Ok(())
    }

    /// Limits compilers to a share of the cores when several workers share the machine.
    fn share_cores(&mut self, workers: usize) {
        let _ = workers;
    }

    /// Why the device was lost, if it was. Only a new process can use a lost device again.
    fn lost(&self) -> Option<DeviceFault> {
        None
    }

    /// The device's own sensors, if it has any.
    fn sensors(&self) -> Option<Arc<dyn Sensors>> {
        None
    }

    /// Whether the device makes the kernels' data itself, and keeps it cold if that was asked for.
    /// Its workloads have no arguments.
    fn keeps_own_data(&self) -> bool {
        false
    }

    /// The bytes that a job's data need, if the device keeps its own data.
    fn own_footprint(&mut self, job: &CompileJob) -> Result<u64, DeviceFault> {
        let _ = job;
        Ok(0)
    }

    /// Whether the device prepares and keeps a sample of several runs for the slots that the runs
    /// use. If so, later samples should use the same slots.
    fn keeps_samples(&self) -> bool {
        false
    }

    /// Starts compiling jobs in the background, if that does not disturb measuring. Returns whether
    /// it started; a later `compile` waits for these jobs.
    fn compile_ahead(&mut self, jobs: &[CompileJob]) -> bool {
        let _ = jobs;
        false
    }

    /// Compiles jobs, several together where that is faster. Uses the disk cache where possible.
    fn compile(&mut self, jobs: &[CompileJob]) -> Vec<Result<Kernel, CompileFault>>;
    /// Compiles a job alone if it was compiled together with others, and returns whether it was.
    /// Otherwise a fault of the others at loading could be taken for a fault of this job.
    fn compile_alone(&mut self, job: &CompileJob) -> Result<bool, CompileFault> {
        let _ = job;
        Ok(false)
    }
    /// Loads a compiled kernel. Loading may run code of the kernel.
    fn load(&mut self, kernel: Kernel) -> Result<(), CompileFault> {
        let _ = kernel;
        Ok(())
    }
    /// Whether kernels run in this process and can change its state.
    fn runs_here(&self) -> bool {
        false
    }
    /// Command line of all compilations (compiler and flags) as a person would type it. Run-time
    /// compilers give their name, then their options. Folders and files of a single compilation are
    /// left out: equal lines mean equal code from equal sources.
    fn compile_command(&self) -> String;
    /// Facts of a loaded kernel (registers, spills, fibers…), by name.
    fn kernel_facts(&self, kernel: Kernel) -> BTreeMap<String, f64>;
    /// Drops a kernel.
    fn unload(&mut self, kernel: Kernel);

    /// Allocates a ring of `slots` slots of `bytes` bytes each and returns the first slot. Every
    /// slot has guard zones on both sides and is touched once, so that later fills run at full
    /// speed.
    fn allocate_ring(&mut self, bytes: u64, slots: u32) -> Result<Buffer, DeviceFault>;
    /// Allocates a ring of one slot.
    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceFault> {
        self.allocate_ring(bytes, 1)
    }
    /// Frees a ring.
    fn free(&mut self, buffer: Buffer);
    /// Forbids kernels to write to this ring, until the device itself writes to it.
    fn seal(&mut self, buffer: Buffer) -> Result<(), DeviceFault>;
    /// Whether a ring is unchanged since it was sealed.
    fn sealed(&mut self, buffer: Buffer) -> Result<Seal, DeviceFault>;
    /// Fills a buffer from a generator, with the same bits on every device.
    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault>;
    /// Writes bytes from the host at an offset.
    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault>;
    /// Reads bytes to the host from an offset.
    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault>;
    /// Copies the first `bytes` of one buffer to another.
    fn copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<(), DeviceFault> {
        self.spread(from, to, to.slot..to.slot.saturating_add(1), bytes)
    }
    /// Copies the first `bytes` of a buffer to these slots of a ring, in order. A slot is not
    /// copied to itself.
    fn spread(
        &mut self,
        from: Buffer,
        to: Buffer,
        slots: Range<u32>,
        bytes: u64,
    ) -> Result<(), DeviceFault>;
    /// Copies like `copy` and returns the seconds. The caches are as the previous copy left them.
    fn time_copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<f64, DeviceFault> {
        let start = Instant::now();
        self.copy(from, to, bytes)?;
        Ok(start.elapsed().as_secs_f64())
    }
    /// Reads the elements at these indices, widened to f64.
    fn gather(
        &mut self,
        buffer: Buffer,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault>;
    /// Overwrites the first `count` elements with a pattern that no kernel writes by accident.
    fn poison(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<(), DeviceFault>;
    /// Counts poison and NaN among the first `count` elements.
    fn scan(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<Scan, DeviceFault>;
    /// Checks and repairs the guard zones of slots used since the last call. The error names the
    /// buffer.
    fn guards(&mut self) -> Result<(), String>;

    /// Runs all launches once, in order, and waits for their end. Not timed.
    fn run(&mut self, kernel: Kernel, launches: &[BoundLaunch]) -> Result<(), RunFault>;
    /// Runs a kernel once on inputs made from a seed, and returns elements of its results beside
    /// the right ones: all of them, or enough to judge. `None` where only buffers hold results.
    fn results(
        &mut self,
        kernel: Kernel,
        seed: u64,
        thorough: bool,
    ) -> Result<Option<OwnResults>, RunFault> {
        let _ = (kernel, seed, thorough);
        Ok(None)
    }
    /// Takes one sample: runs back to back, minus the timer's own overhead.
    fn time(
        &mut self,
        kernel: Kernel,
        launches: &[BoundLaunch],
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, RunFault>;
    /// Takes one sample of reading whole slots of a ring, to measure memory speed and to prove that
    /// the caches are cold.
    fn time_read(
        &mut self,
        buffer: Buffer,
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, DeviceFault>;
    /// The timer's resolution, and its overhead per sample, in seconds.
    fn timer(&self) -> (f64, f64);
}
