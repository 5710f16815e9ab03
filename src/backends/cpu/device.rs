//! The device itself: kernels, buffers and the pool, behind the contract.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    time::Duration,
};

use super::{
    build::{Builder, Built},
    compiler::Compiler,
    facts,
    flush::Flusher,
    launch::{self, Ready, SHARED_LIMIT, Seats},
    limits,
    memory::Region,
    pool::Pool,
    sweep::{Filling, Gathering, Poisoning, Scanning},
    timing,
};
use crate::backends::{
    ArgumentValue, Buffer, Caches, CompileFault, CompileJob, Device, DeviceFault, DeviceInfo,
    Element, FillPlan, Kernel, RunFault, Scan, Step, formats::dispatch,
};

/// The stack of one fiber.
const STACK_BYTES: u64 = 64 << 10;

/// The processor in use.
pub(super) struct CpuDevice {
    builder: Builder,
    pool: Pool,
    cores: Vec<usize>,
    cache_bytes: u64,
    kernels: HashMap<Kernel, Built>,
    buffers: BTreeMap<u64, Region>,
    next: u64,
    flusher: Option<Flusher>,
    /// Shared memory and fibers' stacks of each thread, as large as was ever needed.
    shared: Vec<Region>,
    stacks: Vec<Region>,
    clock: (Duration, Duration),
    launch_seconds: f64,
}

impl CpuDevice {
    /// Takes the cores that this process may use.
    pub(super) fn new(compiler: Compiler) -> Result<Self, DeviceFault> {
        let cores = limits::cores();
        let pool = Pool::new(&cores)
            .map_err(|error| DeviceFault(format!("cannot start a thread per core: {error}")))?;
        let cache_bytes = facts::info(&compiler, &cores).cache_bytes;
        let mut device = Self {
            builder: Builder::new(compiler, cores.len()),
            pool,
            cores,
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

    fn region(&self, buffer: Buffer) -> Result<&Region, DeviceFault> {
        self.buffers.get(&buffer.0).ok_or_else(|| DeviceFault("a buffer was freed".to_owned()))
    }

    /// A buffer that holds at least this many elements.
    fn holding(
        &self,
        buffer: Buffer,
        element: Element,
        count: u64,
    ) -> Result<(&Region, usize), DeviceFault> {
        let region = self.region(buffer)?;
        let bytes = count.checked_mul(element.bytes());
        if bytes.is_none_or(|bytes| bytes > region.bytes() as u64) {
            return Err(DeviceFault(format!(
                "{count} elements of {element} are more than a buffer of {} bytes holds",
                region.bytes()
            )));
        }
        usize::try_from(count).map(|count| (region, count)).map_err(|_| out_of_range())
    }

    /// Makes steps ready: checks them, binds constants, provides shared memory and stacks.
    fn prepare(&mut self, kernel: Kernel, steps: &[Step]) -> Result<(Vec<Ready>, Seats), RunFault> {
        let failed = |fault: DeviceFault| RunFault::Failed(fault.0);
        let shared = steps.iter().map(|step| step.shared_bytes).max().unwrap_or(0);
        if shared > SHARED_LIMIT {
            return Err(RunFault::Invalid(format!(
                "{shared} bytes of dynamic shared memory; the cpu device has {SHARED_LIMIT}"
            )));
        }
        let fibers = self.kernels.get(&kernel).is_some_and(|built| built.fibers);
        let threads = self.pool.size();
        grow(&mut self.shared, threads, u64::from(shared), &self.pool).map_err(failed)?;
        let stacks = if fibers { STACK_BYTES * u64::from(launch::BLOCK_LIMIT) } else { 0 };
        grow(&mut self.stacks, threads, stacks, &self.pool).map_err(failed)?;
        let built = self
            .kernels
            .get(&kernel)
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
                        let start = self.region(*buffer).map_err(failed)?.start();
                        values.push(start.addr().to_ne_bytes().to_vec());
                    }
                    ArgumentValue::Scalar(bytes) => values.push(bytes.clone()),
                    ArgumentValue::Constant(name, buffer) => {
                        let region = self.region(*buffer).map_err(failed)?;
                        built.bind(name, region)?;
                    }
                }
            }
            ready.push(Ready::new(step, entry, values)?);
        }
        Ok((ready, self.seats()))
    }

    fn flusher(&mut self) -> Result<&Flusher, RunFault> {
        if self.flusher.is_none() {
            let flusher = Flusher::new(self.cache_bytes, &self.pool);
            self.flusher = Some(flusher.map_err(|fault| RunFault::Failed(fault.0))?);
        }
        self.flusher
            .as_ref()
            .ok_or_else(|| RunFault::Failed("there is nothing to flush caches with".to_owned()))
    }
}

impl Device for CpuDevice {
    fn info(&mut self) -> DeviceInfo {
        let mut info = facts::info(self.builder.compiler(), &self.cores);
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
        let built = self.builder.build(jobs);
        let mut kernels = Vec::with_capacity(built.len());
        for result in built {
            kernels.push(result.map(|built| {
                self.next += 1;
                let kernel = Kernel(self.next);
                self.kernels.insert(kernel, built);
                kernel
            }));
        }
        kernels
    }

    fn compile_command(&self) -> String {
        self.builder.compiler().command_line()
    }

    fn kernel_facts(&self, kernel: Kernel) -> BTreeMap<String, f64> {
        let Some(built) = self.kernels.get(&kernel) else { return BTreeMap::new() };
        BTreeMap::from([("fibers".to_owned(), f64::from(u8::from(built.fibers)))])
    }

    fn unload(&mut self, kernel: Kernel) {
        self.kernels.remove(&kernel);
    }

    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceFault> {
        let region = Region::new(bytes, &self.pool)?;
        self.next += 1;
        self.buffers.insert(self.next, region);
        Ok(Buffer(self.next))
    }

    fn free(&mut self, buffer: Buffer) {
        self.buffers.remove(&buffer.0);
    }

    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault> {
        let (region, _) = self.holding(buffer, plan.element, plan.count)?;
        dispatch(plan.element, Filling { region, pool: &self.pool, plan });
        Ok(())
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        self.region(buffer)?.write(offset, bytes)
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        self.region(buffer)?.read(offset, bytes)
    }

    fn copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<(), DeviceFault> {
        self.region(to)?.copy_from(self.region(from)?, bytes, &self.pool)
    }

    fn gather(
        &mut self,
        buffer: Buffer,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault> {
        let region = self.region(buffer)?;
        dispatch(element, Gathering { region, indices }).ok_or_else(out_of_range)
    }

    fn poison(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<(), DeviceFault> {
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
        for (number, region) in &self.buffers {
            if let Some(what) = region.trespass() {
                region.mend();
                first.get_or_insert_with(|| format!("buffer {number} was written {what}"));
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn run(&mut self, kernel: Kernel, steps: &[Step]) -> Result<(), RunFault> {
        let (ready, seats) = self.prepare(kernel, steps)?;
        self.pool.lead(|team| ready.iter().for_each(|step| seats.run(step, team)));
        Ok(())
    }

    fn time(
        &mut self,
        kernel: Kernel,
        steps: &[Step],
        batch: u32,
        caches: Caches,
    ) -> Result<f64, RunFault> {
        let (ready, seats) = self.prepare(kernel, steps)?;
        if caches == Caches::Cold {
            self.flusher()?;
        }
        let flusher = self.flusher.as_ref().filter(|_| caches == Caches::Cold);
        Ok(timing::sample(&self.pool, &ready, &seats, batch, flusher, self.clock.1))
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
    pool: &Pool,
) -> Result<(), DeviceFault> {
    if bytes > 0 && regions.first().is_none_or(|region| (region.bytes() as u64) < bytes) {
        regions.clear();
        for _ in 0..threads {
            regions.push(Region::new(bytes, pool)?);
        }
    }
    Ok(())
}

fn out_of_range() -> DeviceFault {
    DeviceFault("an index is past the end of its buffer".to_owned())
}
