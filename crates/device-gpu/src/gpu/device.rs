//! An open GPU of either vendor: implements the device contract with kernels, buffers, a stream and
//! a stopwatch.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::PathBuf,
    rc::Rc,
    sync::Arc,
};

use device::{
    BoundLaunch, Buffer, Caches, CompileFault, CompileJob, Device, DeviceFault, DeviceInfo,
    Disturbance, FillPlan, Kernel, RunFault, SampleRuns, Scan, Seal, Sensors, Timed,
};
use space::accuracy::Element;

use super::{
    batches::{Batch, Batches},
    buffers::Buffers,
    builder::{Builder, Compiler},
    context::{Context, Stream},
    driver::{Driver, Properties},
    launch::{PreparedLaunch, queue_all},
    loaded::{Image, Loaded},
    memory::Region,
    runs::Built,
    service::{self, Service},
    stopwatch::Stopwatch,
};

/// Threads that a multiprocessor runs at once, if the driver does not tell.
const USUAL_THREADS: u32 = 2048;

pub(crate) struct GpuDeviceParts {
    pub(crate) driver: Arc<Driver>,
    pub(crate) properties: Properties,
    pub(crate) compiler: Arc<dyn Compiler>,
    pub(crate) info: DeviceInfo,
    /// Reasons to distrust timings now, one sentence each.
    pub(crate) warnings: Box<dyn Fn() -> Vec<String>>,
    pub(crate) sensors: Option<Arc<dyn Sensors>>,
}

/// An open GPU. Fields are dropped in the order of their declaration, and this order matters.
pub(crate) struct Gpu {
    batches: Batches,
    kernels: HashMap<Kernel, Built>,
    buffers: Buffers,
    stopwatch: Stopwatch,
    service: Service,
    stream: Stream,
    context: Rc<Context>,
    builder: Builder,
    properties: Properties,
    info: DeviceInfo,
    warnings: Box<dyn Fn() -> Vec<String>>,
    sensors: Option<Arc<dyn Sensors>>,
    next: u64,
}

impl Gpu {
    /// Opens a device, compiles its service kernels, and measures the timer's overhead.
    pub(crate) fn open(parts: GpuDeviceParts) -> Result<Self, DeviceFault> {
        let GpuDeviceParts { driver, properties, compiler, info, warnings, sensors } = parts;
        let mut builder = Builder::new(compiler);
        let own = builder.build(&service::jobs());
        let context = Context::open(driver, properties.device)?;
        let stream = Stream::new(&context)?;
        let load = |image: &Result<Image, CompileFault>| {
            let image = image.as_ref().map_err(|fault| {
                DeviceFault(format!("the device's own kernels do not compile: {fault}"))
            })?;
            Loaded::new(&context, image)
                .map_err(|why| DeviceFault(format!("the device's own kernels do not load: {why}")))
        };
        let own = [load(&own[0])?, load(&own[1])?];
        let service = Service::new(own, &stream, properties.multiprocessors)?;
        let stopwatch = Stopwatch::new(&stream, &service, info.cache_bytes)?;
        Ok(Self {
            batches: Batches::default(),
            kernels: HashMap::new(),
            buffers: Buffers::default(),
            stopwatch,
            service,
            stream,
            context,
            builder,
            properties,
            info,
            warnings,
            sensors,
            next: 0,
        })
    }

    fn ready(
        &mut self,
        kernel: Kernel,
        steps: &[BoundLaunch],
    ) -> Result<Vec<PreparedLaunch>, RunFault> {
        let built = self.kernels.get_mut(&kernel).ok_or_else(unloaded)?;
        let region = |buffer: Buffer| self.buffers.ring(buffer);
        built.ready(&self.stream, steps, &self.properties.limits, region)
    }

    /// Keeps a batch of these runs, unless it is kept already. If a kernel cannot be captured, its
    /// runs are launched one by one.
    fn keep_batch(
        &mut self,
        kernel: Kernel,
        steps: &[BoundLaunch],
        ready: &mut [PreparedLaunch],
        sample_runs: SampleRuns,
    ) -> Result<(), RunFault> {
        if self.batches.find(kernel, steps, sample_runs).is_none() {
            match Batch::capture(&self.stream, (kernel, steps), ready, sample_runs) {
                Ok(batch) => self.batches.keep(batch),
                Err(fault) if fault.is_sticky() => return Err(fault.of_launch()),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// The result of a sample that took this many seconds in total.
    fn timed(&self, seconds: f64, sample_runs: SampleRuns) -> Timed {
        let seconds = seconds / f64::from(sample_runs.runs.max(1));
        Timed { seconds, disturbance: Disturbance::default() }
    }

    /// Waits for queued work before anything that it uses is freed. Its faults are reported
    /// elsewhere.
    fn drain(&self) {
        let _ = self.stream.wait();
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        self.drain();
    }
}

fn unloaded() -> RunFault {
    RunFault::Failed("a kernel was unloaded".to_owned())
}

impl Device for Gpu {
    fn memory(&mut self) -> (u64, u64) {
        self.context.memory().unwrap_or(self.info.memory)
    }

    fn info(&mut self) -> DeviceInfo {
        let mut info = self.info.clone();
        info.memory = self.memory();
        info.warnings = (self.warnings)();
        let nanoseconds = |seconds: f64| format!("{:.0} ns", seconds * 1e9);
        let (resolution, overhead) = self.timer();
        let gate = if self.stopwatch.is_gated() { "on the device" } else { "off: it opened late" };
        for (name, value) in [
            ("launch_overhead", nanoseconds(self.stopwatch.launch())),
            ("timer_resolution", nanoseconds(resolution)),
            ("timer_overhead", nanoseconds(overhead)),
            ("gate", gate.to_owned()),
        ] {
            info.facts.insert(name.to_owned(), value);
        }
        info
    }

    fn set_cache(&mut self, folder: Option<PathBuf>) -> Result<(), DeviceFault> {
        self.builder.set_cache(folder);
        Ok(())
    }

    fn share_cores(&mut self, workers: usize) {
        self.builder.share_cores(workers);
    }

    fn lost(&self) -> Option<DeviceFault> {
        self.context.lost().map(DeviceFault::from)
    }

    fn sensors(&self) -> Option<Arc<dyn Sensors>> {
        self.sensors.clone()
    }

    fn keeps_samples(&self) -> bool {
        true
    }

    fn compile_ahead(&mut self, jobs: &[CompileJob]) -> bool {
        self.builder.start(jobs);
        true
    }

    fn compile(&mut self, jobs: &[CompileJob]) -> Vec<Result<Kernel, CompileFault>> {
        let images = self.builder.build(jobs);
        let mut kernels = Vec::with_capacity(jobs.len());
        for (image, job) in images.into_iter().zip(jobs) {
            kernels.push(image.and_then(|image| {
                let loaded = Loaded::new(&self.context, &image).map_err(CompileFault::Failed)?;
                self.next += 1;
                let kernel = Kernel(self.next);
                self.kernels.insert(kernel, Built::new(loaded, job.blocks.clone()));
                Ok(kernel)
            }));
        }
        kernels
    }

    fn compile_command(&self) -> String {
        self.builder.command_line()
    }

    fn kernel_facts(&self, kernel: Kernel) -> BTreeMap<String, f64> {
        let most_threads = self.properties.most_threads.unwrap_or(USUAL_THREADS);
        self.kernels.get(&kernel).map(|built| built.facts(most_threads)).unwrap_or_default()
    }

    fn unload(&mut self, kernel: Kernel) {
        self.drain();
        self.batches.unload(kernel);
        self.kernels.remove(&kernel);
    }

    fn allocate_ring(&mut self, bytes: u64, slots: u32) -> Result<Buffer, DeviceFault> {
        let region = Region::new(&self.stream, bytes, slots)?;
        self.next += 1;
        Ok(self.buffers.add(self.next, region))
    }

    fn free(&mut self, buffer: Buffer) {
        self.drain();
        self.batches.free(buffer);
        self.buffers.remove(buffer);
    }

    fn seal(&mut self, buffer: Buffer) -> Result<(), DeviceFault> {
        self.buffers.seal(buffer, &self.stream, &self.service)
    }

    fn sealed(&mut self, buffer: Buffer) -> Result<Seal, DeviceFault> {
        self.buffers.sealed(buffer, &self.stream, &self.service)
    }

    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault> {
        self.buffers.open(buffer)?;
        let region = self.buffers.holding(buffer, plan.element, plan.count)?;
        self.service.fill(&self.stream, region, plan)
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        self.buffers.open(buffer)?.write(&self.stream, offset, bytes)
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        self.buffers.find(buffer)?.read(&self.stream, offset, bytes)
    }

    fn spread(
        &mut self,
        from: Buffer,
        to: Buffer,
        slots: Range<u32>,
        bytes: u64,
    ) -> Result<(), DeviceFault> {
        self.buffers.open(to)?;
        let (ring, from) = (self.buffers.ring(to)?, self.buffers.find(from)?);
        ring.spread(&self.stream, from, slots, bytes)?;
        Ok(self.stream.wait()?)
    }

    fn time_copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<f64, DeviceFault> {
        let (from, to) = (self.buffers.find(from)?, self.buffers.open(to)?);
        let (stream, service) = (&self.stream, &self.service);
        let copy = || to.copy_from(stream, from, bytes);
        self.stopwatch.time(stream, service, Caches::Kept, copy)
    }

    fn gather(
        &mut self,
        buffer: Buffer,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault> {
        let region = self.buffers.find(buffer)?;
        let count = region.bytes() / element.bytes();
        if indices.iter().any(|&index| index >= count) {
            return Err(DeviceFault("an index is past the end of its buffer".to_owned()));
        }
        Ok(self.service.gather(&self.stream, region, element, indices)?)
    }

    fn poison(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<(), DeviceFault> {
        self.buffers.open(buffer)?;
        let region = self.buffers.holding(buffer, element, count)?;
        Ok(self.service.poison(&self.stream, region, element, count)?)
    }

    fn scan(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<Scan, DeviceFault> {
        let region = self.buffers.holding(buffer, element, count)?;
        Ok(self.service.scan(&self.stream, region, element, count)?)
    }

    fn guards(&mut self) -> Result<(), String> {
        self.buffers.guards(&self.stream, &self.service)
    }

    fn run(&mut self, kernel: Kernel, steps: &[BoundLaunch]) -> Result<(), RunFault> {
        let mut ready = self.ready(kernel, steps)?;
        let ran = queue_all(&self.stream, &mut ready, 1).and_then(|()| self.stream.wait());
        ran.map_err(|fault| fault.of_launch())
    }

    fn time(
        &mut self,
        kernel: Kernel,
        steps: &[BoundLaunch],
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, RunFault> {
        let mut ready = self.ready(kernel, steps)?;
        let sample_runs = SampleRuns { runs: sample_runs.runs.max(1), ..sample_runs };
        if sample_runs.runs > 1 {
            self.keep_batch(kernel, steps, &mut ready, sample_runs)?;
        }
        let batch = self.batches.find(kernel, steps, sample_runs);
        let (stream, service) = (&self.stream, &self.service);
        let work = || {
            let SampleRuns { runs, first } = sample_runs;
            let left = batch.map_or(Ok(runs), |batch| batch.queue(stream))?;
            ready.iter_mut().for_each(|step| step.turn_to(first.wrapping_add(runs - left)));
            queue_all(stream, &mut ready, left)
        };
        let seconds = self.stopwatch.time(stream, service, caches, work);
        let seconds = seconds.map_err(|fault| fault.of_launch())?;
        Ok(self.timed(seconds, sample_runs))
    }

    fn time_read(
        &mut self,
        buffer: Buffer,
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, DeviceFault> {
        let ring = self.buffers.ring(buffer)?;
        let (stream, service) = (&self.stream, &self.service);
        let read = || -> Result<(), DeviceFault> {
            for run in 0..sample_runs.runs {
                let slot = ring.slot(sample_runs.first.wrapping_add(run) % ring.slots())?;
                service.read(stream, slot.address(), slot.bytes())?;
            }
            Ok(())
        };
        let seconds = self.stopwatch.time(stream, service, caches, read)?;
        Ok(self.timed(seconds, sample_runs))
    }

    fn timer(&self) -> (f64, f64) {
        self.stopwatch.timer()
    }
}
