//! The cpu device: kernels, buffers and the pool, behind the contract.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::PathBuf,
    time::Duration,
};

use super::{
    build::{Builder, Built},
    cache::CachedLibrary,
    compiler::Compiler,
    facts,
    flush::{self, Flusher},
    launch::{self, PreparedLaunch, SHARED_LIMIT, Seats},
    limits,
    memory::{NO_SLOT, Region, Slot},
    pool::ThreadPool,
    sweep::{Filling, Gathering, Poisoning, Scanning},
    timing::{self, Stopwatch},
    waiting::Stolen,
};
use crate::backends::{
    ArgumentValue, BoundLaunch, Buffer, Caches, CompileFault, CompileJob, Device, DeviceFault,
    DeviceInfo, Disturbance, Element, FillPlan, Kernel, RunFault, SampleRuns, Scan, Seal, Timed,
    arguments::{formats::dispatch, parameters::LaunchParameter},
};

/// Bytes of a fiber's stack.
const STACK_BYTES: u64 = 64 << 10;

struct CachedKernel {
    found: CachedLibrary,
    built: Option<Built>,
}

pub(super) struct CpuDevice {
    builder: Builder,
    pool: ThreadPool,
    cores: Vec<usize>,
    /// Bytes of memory, and those free, when the device was opened.
    memory: (u64, u64),
    cache_bytes: u64,
    kernels: HashMap<Kernel, CachedKernel>,
    buffers: BTreeMap<u64, Region>,
    next: u64,
    flusher: Option<Flusher>,
    /// Dynamic shared memory of each thread, and stacks of its fibers; they only grow.
    shared: Vec<Region>,
    stacks: Vec<Region>,
    clock: (Duration, Duration),
    launch_seconds: f64,
    stolen: Stolen,
}

impl CpuDevice {
    pub(super) fn new(compiler: Compiler) -> Result<Self, DeviceFault> {
        let cores = limits::cores();
        let pool = ThreadPool::new(&cores)
            .map_err(|error| DeviceFault(format!("cannot start a thread per core: {error}")))?;
        let memory = limits::memory().map_err(|error| {
            DeviceFault(format!("cannot read how much memory is free: {error}"))
        })?;
        let cache_bytes = facts::info(&compiler, &cores, memory).cache_bytes;
        let mut device = Self {
            builder: Builder::new(compiler, cores.len()),
            pool,
            stolen: Stolen::new(&cores),
            cores,
            memory,
            cache_bytes,
            kernels: HashMap::new(),
            buffers: BTreeMap::new(),
            next: 0,
            flusher: None,
            shared: Vec::new(),
            stacks: Vec::new(),
            clock: timing::clock(),
            launch_seconds: 0.0,
        };
        device.launch_seconds =
            timing::cost_of_launch(&device.pool, &device.seats(), device.clock.1);
        Ok(device)
    }

    fn seats(&self) -> Seats {
        let start = |regions: &[Region], index: usize| {
            regions.get(index).map_or(std::ptr::null_mut(), Region::start)
        };
        let places =
            (0..self.pool.size()).map(|i| (start(&self.shared, i), start(&self.stacks, i)));
        Seats::new(places, STACK_BYTES)
    }

    fn ring(&self, buffer: Buffer) -> Result<&Region, DeviceFault> {
        self.buffers.get(&buffer.ring).ok_or_else(|| DeviceFault("a buffer was freed".to_owned()))
    }

    fn unseal(&mut self, buffer: Buffer) {
        if let Some(ring) = self.buffers.get_mut(&buffer.ring) {
            ring.unseal();
        }
    }

    fn built(&self, kernel: Kernel) -> Option<&Built> {
        self.kernels.get(&kernel)?.built.as_ref()
    }

    fn slot(&self, buffer: Buffer) -> Result<Slot<'_>, DeviceFault> {
        self.ring(buffer)?.slot(buffer.slot).ok_or_else(|| DeviceFault(NO_SLOT.to_owned()))
    }

    fn holding(
        &self,
        buffer: Buffer,
        element: Element,
        count: u64,
    ) -> Result<(Slot<'_>, usize), DeviceFault> {
        let region = self.slot(buffer)?;
        let bytes = count.checked_mul(element.bytes());
        if bytes.is_none_or(|bytes| bytes > region.bytes() as u64) {
            return Err(DeviceFault(format!(
                "{count} elements of {element} are more than a buffer of {} bytes holds",
                region.bytes()
            )));
        }
        usize::try_from(count).map(|count| (region, count)).map_err(|_| out_of_range())
    }

    /// Prepares steps: checks them, binds constants, provides shared memory and stacks.
    fn prepare(
        &mut self,
        kernel: Kernel,
        steps: &[BoundLaunch],
    ) -> Result<(Vec<PreparedLaunch>, Seats), RunFault> {
        let failed = |fault: DeviceFault| RunFault::Failed(fault.0);
        let shared = steps.iter().map(|step| step.shared_bytes).max().unwrap_or(0);
        if shared > SHARED_LIMIT {
            return Err(RunFault::Invalid(format!(
                "{shared} bytes of dynamic shared memory; the cpu device has {SHARED_LIMIT}"
            )));
        }
        self.load(kernel).map_err(|fault| RunFault::Failed(fault.reason()))?;
        let fibers = self.built(kernel).is_some_and(|built| built.fibers);
        let threads = self.pool.size();
        grow(&mut self.shared, threads, u64::from(shared), &self.pool).map_err(failed)?;
        let stacks = if fibers { STACK_BYTES * u64::from(launch::BLOCK_LIMIT) } else { 0 };
        grow(&mut self.stacks, threads, stacks, &self.pool).map_err(failed)?;
        let built = self
            .built(kernel)
            .ok_or_else(|| RunFault::Failed("a kernel was unloaded".to_owned()))?;
        let mut ready = Vec::with_capacity(steps.len());
        for step in steps {
            let entry = built.entries.get(step.entry).ok_or_else(|| {
                RunFault::Invalid(format!("the kernel has no entry {}", step.entry))
            })?;
            let mut values = Vec::with_capacity(step.arguments.len());
            for argument in &step.arguments {
                match argument {
                    ArgumentValue::Buffer(buffer) => {
                        let ring = self.ring(*buffer).map_err(failed)?;
                        let place = ring.place(buffer.slot).map_err(failed)?;
                        values.push(LaunchParameter::RingAddress(place));
                    }
                    ArgumentValue::Scalar(bytes) => {
                        values.push(LaunchParameter::Bytes(bytes.clone()))
                    }
                    ArgumentValue::Constant(name, buffer) => {
                        built.bind(name, self.slot(*buffer).map_err(failed)?)?;
                    }
                }
            }
            ready.push(PreparedLaunch::new(step, entry, &values)?);
        }
        Ok((ready, self.seats()))
    }

    /// Notes the slots that runs are about to use, so that their guard zones are checked.
    fn note_use(&mut self, steps: &[BoundLaunch], runs: u32, first: Option<u32>) {
        for argument in steps.iter().flat_map(|step| &step.arguments) {
            if let ArgumentValue::Buffer(buffer) = argument
                && let Some(ring) = self.buffers.get_mut(&buffer.ring)
            {
                ring.note_use(SampleRuns { runs, first: first.unwrap_or(buffer.slot) });
            }
        }
    }

    fn make_ready(&mut self, caches: Caches) -> Result<(), DeviceFault> {
        if caches == Caches::Flushed && self.flusher.is_none() {
            self.flusher = Some(Flusher::new(self.cache_bytes, &self.pool)?);
        }
        Ok(())
    }

    fn stopwatch(&self, caches: Caches) -> Stopwatch<'_> {
        let flusher = self.flusher.as_ref().filter(|_| caches == Caches::Flushed);
        Stopwatch { pool: &self.pool, flusher, overhead: self.clock.1 }
    }

    fn timed(&self, (seconds, waited): (f64, f64)) -> Timed {
        let stolen = self.stolen.since_last();
        Timed { seconds, disturbance: Disturbance { waited, stolen, throttled: false } }
    }
}

impl Device for CpuDevice {
    fn info(&mut self) -> DeviceInfo {
        let memory = limits::memory().unwrap_or(self.memory);
        let mut info = facts::info(self.builder.compiler(), &self.cores, memory);
        let nanoseconds = |seconds: f64| format!("{:.0} ns", seconds * 1e9);
        let (resolution, overhead) = self.timer();
        info.facts.insert("launch_overhead".to_owned(), nanoseconds(self.launch_seconds));
        info.facts.insert("timer_resolution".to_owned(), nanoseconds(resolution));
        info.facts.insert("timer_overhead".to_owned(), nanoseconds(overhead));
        info
    }

    fn set_cache(&mut self, folder: Option<PathBuf>) -> Result<(), DeviceFault> {
        self.builder.set_cache(folder);
        Ok(())
    }

    fn compile(&mut self, jobs: &[CompileJob]) -> Vec<Result<Kernel, CompileFault>> {
        let found = self.builder.build(jobs);
        let mut kernels = Vec::with_capacity(found.len());
        for result in found {
            kernels.push(result.map(|found| {
                self.next += 1;
                let kernel = Kernel(self.next);
                self.kernels.insert(kernel, CachedKernel { found, built: None });
                kernel
            }));
        }
        kernels
    }

    fn compile_alone(&mut self, job: &CompileJob) -> Result<bool, CompileFault> {
        self.builder.build_alone(job)
    }

    fn load(&mut self, kernel: Kernel) -> Result<(), CompileFault> {
        let Some(kept) = self.kernels.get_mut(&kernel) else { return Ok(()) };
        if kept.built.is_none() {
            kept.built = Some(self.builder.load(&kept.found).map_err(CompileFault::Failed)?);
        }
        Ok(())
    }

    fn runs_here(&self) -> bool {
        true
    }

    fn compile_command(&self) -> String {
        self.builder.compiler().command_line()
    }

    fn kernel_facts(&self, kernel: Kernel) -> BTreeMap<String, f64> {
        let Some(built) = self.built(kernel) else { return BTreeMap::new() };
        BTreeMap::from([("fibers".to_owned(), f64::from(u8::from(built.fibers)))])
    }

    fn unload(&mut self, kernel: Kernel) {
        self.kernels.remove(&kernel);
    }

    fn allocate_ring(&mut self, bytes: u64, slots: u32) -> Result<Buffer, DeviceFault> {
        let region = Region::new(bytes, slots, &self.pool)?;
        self.next += 1;
        self.buffers.insert(self.next, region);
        Ok(Buffer::first(self.next))
    }

    fn free(&mut self, buffer: Buffer) {
        self.buffers.remove(&buffer.ring);
    }

    fn seal(&mut self, buffer: Buffer) -> Result<(), DeviceFault> {
        let ring = self.buffers.get_mut(&buffer.ring);
        ring.ok_or_else(|| DeviceFault("a buffer was freed".to_owned()))?.seal()
    }

    fn sealed(&mut self, buffer: Buffer) -> Result<Seal, DeviceFault> {
        Ok(self.ring(buffer)?.sealed())
    }

    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault> {
        self.unseal(buffer);
        let (region, _) = self.holding(buffer, plan.element, plan.count)?;
        dispatch(plan.element, Filling { region, pool: &self.pool, plan });
        Ok(())
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        self.unseal(buffer);
        self.slot(buffer)?.write(offset, bytes)
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        self.slot(buffer)?.read(offset, bytes)
    }

    fn copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<(), DeviceFault> {
        self.spread(from, to, to.slot..to.slot.saturating_add(1), bytes)
    }

    fn spread(
        &mut self,
        from: Buffer,
        to: Buffer,
        slots: Range<u32>,
        bytes: u64,
    ) -> Result<(), DeviceFault> {
        self.unseal(to);
        self.ring(to)?.spread(self.slot(from)?, slots, bytes, &self.pool)
    }

    fn gather(
        &mut self,
        buffer: Buffer,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault> {
        let region = self.slot(buffer)?;
        dispatch(element, Gathering { region, indices }).ok_or_else(out_of_range)
    }

    fn poison(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<(), DeviceFault> {
        self.unseal(buffer);
        let (region, count) = self.holding(buffer, element, count)?;
        dispatch(element, Poisoning { region, pool: &self.pool, count });
        Ok(())
    }

    fn scan(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<Scan, DeviceFault> {
        let (region, count) = self.holding(buffer, element, count)?;
        Ok(dispatch(element, Scanning { region, pool: &self.pool, count }))
    }

    fn guards(&mut self) -> Result<(), String> {
        let mut first = None;
        for (number, region) in &mut self.buffers {
            if let Some((_, what)) = region.trespass() {
                first.get_or_insert_with(|| format!("buffer {number} was written {what}"));
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn run(&mut self, kernel: Kernel, steps: &[BoundLaunch]) -> Result<(), RunFault> {
        self.note_use(steps, 1, None);
        let (ready, seats) = self.prepare(kernel, steps)?;
        self.pool.lead(|team| ready.iter().for_each(|step| seats.run(step, team)));
        Ok(())
    }

    fn time(
        &mut self,
        kernel: Kernel,
        steps: &[BoundLaunch],
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, RunFault> {
        self.note_use(steps, sample_runs.runs, Some(sample_runs.first));
        self.make_ready(caches).map_err(|fault| RunFault::Failed(fault.0))?;
        let (mut ready, seats) = self.prepare(kernel, steps)?;
        Ok(self.timed(self.stopwatch(caches).time_steps(&mut ready, &seats, sample_runs)))
    }

    fn time_read(
        &mut self,
        buffer: Buffer,
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, DeviceFault> {
        self.make_ready(caches)?;
        let ring = self.ring(buffer)?;
        let mut slots = (0..ring.slots() as u32).cycle().skip(sample_runs.first as usize);
        let sample = self.stopwatch(caches).time(sample_runs.runs, |team| {
            if let Some(slot) = slots.next().and_then(|slot| ring.slot(slot)) {
                flush::read(slot, team);
            }
        });
        Ok(self.timed(sample))
    }

    fn timer(&self) -> (f64, f64) {
        (self.clock.0.as_secs_f64(), self.clock.1.as_secs_f64())
    }
}

/// Gives every thread at least this many bytes.
fn grow(
    regions: &mut Vec<Region>,
    threads: usize,
    bytes: u64,
    pool: &ThreadPool,
) -> Result<(), DeviceFault> {
    if bytes > 0 && regions.first().is_none_or(|region| (region.bytes() as u64) < bytes) {
        regions.clear();
        for _ in 0..threads {
            regions.push(Region::new(bytes, 1, pool)?);
        }
    }
    Ok(())
}

fn out_of_range() -> DeviceFault {
    DeviceFault("an index is past the end of its buffer".to_owned())
}
