//! The cpu device: implements the device contract with kernels, buffers and the thread pool.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::PathBuf,
    time::{Duration, Instant},
};

use device::{
    ArgumentValue, BoundLaunch, Buffer, Caches, CompileFault, CompileJob, Device, DeviceFault,
    DeviceInfo, Disturbance, FillPlan, Kernel, RunFault, SampleRuns, Scan, Seal, Timed,
    arguments::{formats::dispatch, parameters::LaunchParameter},
};
use space::accuracy::Element;

use super::{
    buffers::Buffers,
    build::{Builder, Built},
    cache::CachedLibrary,
    compiler::Compiler,
    facts,
    flush::{self, Flush, Flusher, UsedLines},
    launch::{PreparedLaunch, SHARED_LIMIT, Seats},
    limits,
    mapping::SpareMappings,
    memory::Region,
    pool::ThreadPool,
    scratch::Scratch,
    slot::Slot,
    sweep::{Filling, Gathering, Poisoning, Scanning},
    timing::{self, Stopwatch},
    waiting::Stolen,
};

/// A kernel in the cache. Its library is loaded at the first use.
struct CachedKernel {
    found: CachedLibrary,
    built: Option<Built>,
}

pub(super) struct CpuDevice {
    builder: Builder,
    pool: ThreadPool,
    cores: Vec<usize>,
    /// Total and free bytes of memory when the device was opened.
    memory: (u64, u64),
    cache_bytes: u64,
    kernels: HashMap<Kernel, CachedKernel>,
    buffers: Buffers,
    /// Memory of freed buffers.
    spare: SpareMappings,
    next: u64,
    flusher: Option<Flusher>,
    scratch: Scratch,
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
            buffers: Buffers::default(),
            spare: SpareMappings::within(memory.0),
            next: 0,
            flusher: None,
            scratch: Scratch::default(),
            clock: timing::clock(),
            launch_seconds: 0.0,
        };
        let seats = device.scratch.seats(&device.pool);
        device.launch_seconds = timing::cost_of_launch(&device.pool, &seats, device.clock.1);
        Ok(device)
    }

    fn built(&self, kernel: Kernel) -> Option<&Built> {
        self.kernels.get(&kernel)?.built.as_ref()
    }

    /// Prepares steps: checks them, binds constants, and provides shared memory and stacks.
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
        self.scratch.provide(u64::from(shared), fibers, &self.pool).map_err(failed)?;
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
                        let ring = self.buffers.ring(*buffer).map_err(failed)?;
                        let place = ring.place(buffer.slot).map_err(failed)?;
                        values.push(LaunchParameter::RingAddress(place));
                    }
                    ArgumentValue::Scalar(bytes) => {
                        values.push(LaunchParameter::Bytes(bytes.clone()))
                    }
                    ArgumentValue::Constant(name, buffer) => {
                        built.bind(name, self.buffers.find(*buffer).map_err(failed)?)?;
                    }
                }
            }
            ready.push(PreparedLaunch::new(step, entry, &values)?);
        }
        Ok((ready, self.scratch.seats(&self.pool)))
    }

    /// Makes the flusher, if samples with these caches need one.
    fn make_ready(&mut self, caches: Caches) -> Result<(), DeviceFault> {
        if caches == Caches::Flushed && !Flush::is_by_line() && self.flusher.is_none() {
            self.flusher = Some(Flusher::new(self.cache_bytes, &self.pool)?);
        }
        Ok(())
    }

    /// The stopwatch of a sample that uses these slots.
    fn stopwatch<'a>(
        &'a self,
        caches: Caches,
        used: impl FnOnce() -> Vec<Slot<'a>>,
    ) -> Stopwatch<'a> {
        let flush = match caches {
            Caches::Kept => None,
            Caches::Flushed if Flush::is_by_line() => Some(Flush::Lines(UsedLines::of(&used()))),
            Caches::Flushed => self.flusher.as_ref().map(Flush::All),
        };
        Stopwatch { pool: &self.pool, flush, overhead: self.clock.1 }
    }

    fn timed(&self, (seconds, waited): (f64, f64)) -> Timed {
        let stolen = self.stolen.since_last();
        Timed { seconds, disturbance: Disturbance { waited, stolen } }
    }
}

impl Device for CpuDevice {
    fn info(&mut self) -> DeviceInfo {
        let memory = self.memory();
        let mut info = facts::info(self.builder.compiler(), &self.cores, memory);
        let nanoseconds = |seconds: f64| format!("{:.0} ns", seconds * 1e9);
        let (resolution, overhead) = self.timer();
        info.facts.insert("launch_overhead".to_owned(), nanoseconds(self.launch_seconds));
        info.facts.insert("timer_resolution".to_owned(), nanoseconds(resolution));
        info.facts.insert("timer_overhead".to_owned(), nanoseconds(overhead));
        info
    }

    fn memory(&mut self) -> (u64, u64) {
        let (all, free) = limits::memory().unwrap_or(self.memory);
        (all, free.saturating_add(self.spare.bytes() as u64).min(all))
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
        let region = Region::new(bytes, slots, (&self.pool, &mut self.spare))?;
        self.next += 1;
        Ok(self.buffers.add(self.next, region))
    }

    fn free(&mut self, buffer: Buffer) {
        if let Some(region) = self.buffers.remove(buffer) {
            self.spare.keep(region.into_mapping());
        }
    }

    fn seal(&mut self, buffer: Buffer) -> Result<(), DeviceFault> {
        self.buffers.seal(buffer)
    }

    fn sealed(&mut self, buffer: Buffer) -> Result<Seal, DeviceFault> {
        Ok(self.buffers.ring(buffer)?.sealed())
    }

    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault> {
        self.buffers.open(buffer)?;
        let (region, _) = self.buffers.holding(buffer, plan.element, plan.count)?;
        dispatch(plan.element, Filling { region, pool: &self.pool, plan });
        Ok(())
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        self.buffers.open(buffer)?.write(offset, bytes)
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        self.buffers.find(buffer)?.read(offset, bytes)
    }

    fn spread(
        &mut self,
        from: Buffer,
        to: Buffer,
        slots: Range<u32>,
        bytes: u64,
    ) -> Result<(), DeviceFault> {
        self.buffers.open(to)?;
        self.buffers.ring(to)?.spread(self.buffers.find(from)?, slots, bytes, &self.pool)
    }

    fn time_copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<f64, DeviceFault> {
        self.buffers.wake(from, &self.pool)?;
        self.buffers.wake(to, &self.pool)?;
        let start = Instant::now();
        self.copy(from, to, bytes)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn gather(
        &mut self,
        buffer: Buffer,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault> {
        let region = self.buffers.find(buffer)?;
        let gathered = dispatch(element, Gathering { region, indices });
        gathered.ok_or_else(|| DeviceFault("an index is past the end of its buffer".to_owned()))
    }

    fn poison(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<(), DeviceFault> {
        self.buffers.open(buffer)?;
        let (region, count) = self.buffers.holding(buffer, element, count)?;
        dispatch(element, Poisoning { region, pool: &self.pool, count });
        Ok(())
    }

    fn scan(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<Scan, DeviceFault> {
        let (region, count) = self.buffers.holding(buffer, element, count)?;
        Ok(dispatch(element, Scanning { region, pool: &self.pool, count }))
    }

    fn guards(&mut self) -> Result<(), String> {
        self.buffers.guards()
    }

    fn run(&mut self, kernel: Kernel, steps: &[BoundLaunch]) -> Result<(), RunFault> {
        self.buffers.note_use(steps, (1, None), &self.pool);
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
        let (runs, first) = (sample_runs.runs, Some(sample_runs.first));
        self.buffers.note_use(steps, (runs, first), &self.pool);
        let (mut ready, seats) = self.prepare(kernel, steps)?;
        self.make_ready(caches).map_err(|fault| RunFault::Failed(fault.0))?;
        let stopwatch = self.stopwatch(caches, || self.buffers.used_by(steps, sample_runs));
        Ok(self.timed(stopwatch.time_steps(&mut ready, &seats, sample_runs)))
    }

    fn time_read(
        &mut self,
        buffer: Buffer,
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, DeviceFault> {
        self.buffers.wake(buffer, &self.pool)?;
        self.make_ready(caches)?;
        let ring = self.buffers.ring(buffer)?;
        let mut slots = (0..ring.slots() as u32).cycle().skip(sample_runs.first as usize);
        let stopwatch = self.stopwatch(caches, || ring.used_by(sample_runs));
        let sample = stopwatch.time(sample_runs.runs, |team| {
            if let Some(Ok(slot)) = slots.next().map(|slot| ring.slot(slot)) {
                flush::read(slot, team);
            }
        });
        Ok(self.timed(sample))
    }

    fn timer(&self) -> (f64, f64) {
        (self.clock.0.as_secs_f64(), self.clock.1.as_secs_f64())
    }
}
