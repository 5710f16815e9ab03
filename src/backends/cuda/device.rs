//! The device itself: kernels, buffers, the stream and the stopwatch, behind the contract.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    rc::Rc,
    sync::Arc,
};

use super::{
    builder::Builder,
    context::{Context, Stream},
    driver::{Driver, Properties},
    facts,
    fault::Fault,
    graph::Graph,
    launch::Ready,
    loaded::{Image, Loaded},
    memory::Region,
    nvml,
    nvrtc::Nvrtc,
    options::Target,
    service::{self, Service},
    stopwatch::Stopwatch,
};
use crate::backends::{
    ArgumentValue, Buffer, Caches, CompileFault, CompileJob, Device, DeviceFault, DeviceInfo,
    Element, FillPlan, Kernel, RunFault, Scan, Sensors, Step,
};

/// Launches that one graph holds: making a larger one ready takes longer than running it.
const GRAPH_LAUNCHES: u32 = 1024;

/// A compiled configuration in use.
struct Built {
    /// The last batch that was timed; given back before what it launches.
    batch: Option<Batch>,
    loaded: Loaded,
    /// Threads per block that each entry was compiled for.
    blocks: Vec<[u32; 3]>,
    /// How it was launched last, for what is known only then.
    launched: Option<([u32; 3], u32)>,
}

/// Runs back to back: whole graphs of them, and single ones for the rest.
struct Batch {
    steps: Vec<Step>,
    runs: u32,
    graph: Graph,
    graphs: u32,
    rest: u32,
}

/// A GPU in use. What is declared first is given back first.
pub(super) struct CudaDevice {
    kernels: HashMap<Kernel, Built>,
    buffers: BTreeMap<u64, Region>,
    stopwatch: Stopwatch,
    service: Service,
    stream: Stream,
    context: Rc<Context>,
    builder: Builder,
    properties: Properties,
    info: DeviceInfo,
    sensors: Option<Arc<dyn Sensors>>,
    next: u64,
}

impl CudaDevice {
    /// Takes a device, compiles the kernels it needs itself, and times nothing.
    pub(super) fn open(
        driver: Arc<Driver>,
        nvrtc: Arc<Nvrtc>,
        ordinal: usize,
    ) -> Result<Self, DeviceFault> {
        let properties = driver.properties(ordinal)?;
        let target = Target::of(properties.compute, &nvrtc).map_err(DeviceFault)?;
        let info = facts::info(&driver, &nvrtc, &properties);
        let mut builder = Builder::new(nvrtc, target);
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
            kernels: HashMap::new(),
            buffers: BTreeMap::new(),
            stopwatch,
            service,
            stream,
            context,
            builder,
            sensors: nvml::sensors(&properties.address),
            properties,
            info,
            next: 0,
        })
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
    ) -> Result<&Region, DeviceFault> {
        let region = self.region(buffer)?;
        let bytes = count.checked_mul(element.bytes());
        if bytes.is_none_or(|bytes| bytes > region.bytes()) {
            return Err(DeviceFault(format!(
                "{count} elements of {element} are more than a buffer of {} bytes holds",
                region.bytes()
            )));
        }
        Ok(region)
    }

    fn built(&self, kernel: Kernel) -> Result<&Built, RunFault> {
        self.kernels
            .get(&kernel)
            .ok_or_else(|| RunFault::Failed("a kernel was unloaded".to_owned()))
    }

    /// Makes steps ready: checks them and binds constants.
    fn prepare(&mut self, kernel: Kernel, steps: &[Step]) -> Result<Vec<Ready>, RunFault> {
        let built = self.built(kernel)?;
        let mut ready = Vec::with_capacity(steps.len());
        for step in steps {
            let function = built.loaded.functions.get(step.entry).ok_or_else(|| {
                RunFault::Invalid(format!("the kernel has no entry {}", step.entry))
            })?;
            let mut values = Vec::with_capacity(step.arguments.len());
            for argument in &step.arguments {
                match argument {
                    ArgumentValue::Buffer(buffer) => {
                        values.push(self.argument(*buffer)?.start().to_ne_bytes().to_vec());
                    }
                    ArgumentValue::Scalar(bytes) => values.push(bytes.clone()),
                    ArgumentValue::Constant(name, buffer) => {
                        bind(&self.stream, &built.loaded, name, self.argument(*buffer)?)?;
                    }
                }
            }
            let compiled_for = built.blocks.get(step.entry).copied().unwrap_or_default();
            let limits = &self.properties.limits;
            let function = (&built.loaded, function);
            ready.push(Ready::new(step, function, compiled_for, limits, &values)?);
        }
        if let (Some(built), Some(step)) = (self.kernels.get_mut(&kernel), steps.first()) {
            built.launched = Some((step.block, step.shared_bytes));
        }
        Ok(ready)
    }

    /// Waits for what is queued before something that it uses is given back; what went wrong in it
    /// was told or will be.
    fn settle(&self) {
        let _ = self.stream.wait();
    }

    fn argument(&self, buffer: Buffer) -> Result<&Region, RunFault> {
        self.region(buffer).map_err(|fault| RunFault::Failed(fault.0))
    }

    /// A batch of these runs, made once.
    fn batch(
        &mut self,
        kernel: Kernel,
        steps: &[Step],
        ready: &[Ready],
        runs: u32,
    ) -> Result<(), RunFault> {
        let known = self.built(kernel)?.batch.as_ref();
        if known.is_some_and(|batch| batch.runs == runs && batch.steps == steps) {
            return Ok(());
        }
        let most = GRAPH_LAUNCHES / u32::try_from(steps.len()).unwrap_or(u32::MAX).max(1);
        let in_graph = runs.min(most.max(1));
        let queue = || (0..in_graph).try_for_each(|_| queue(ready, &self.stream));
        let graph = Graph::capture(&self.stream, queue).map_err(|fault| fault.of_launch())?;
        let (graphs, rest) = (runs / in_graph, runs % in_graph);
        let batch = Batch { steps: steps.to_vec(), runs, graph, graphs, rest };
        if let Some(built) = self.kernels.get_mut(&kernel) {
            built.batch = Some(batch);
        }
        Ok(())
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        self.settle();
    }
}

/// Queues a run.
fn queue(ready: &[Ready], stream: &Stream) -> Result<(), Fault> {
    ready.iter().try_for_each(|step| step.queue(stream))
}

/// Queues a copy of a buffer to the `__constant__` variable of this name.
fn bind(stream: &Stream, loaded: &Loaded, name: &str, region: &Region) -> Result<(), RunFault> {
    let (address, bytes) = loaded.constant(name).ok_or_else(|| {
        RunFault::Invalid(format!("the kernel has no `__constant__` variable `{name}`"))
    })?;
    if region.bytes() > bytes {
        return Err(RunFault::Invalid(format!(
            "the constant `{name}` holds {bytes} bytes and was given {}",
            region.bytes()
        )));
    }
    region.copy_out(stream, address).map_err(|fault| fault.of_launch())
}

impl Device for CudaDevice {
    fn info(&mut self) -> DeviceInfo {
        let mut info = self.info.clone();
        if let Ok(memory) = self.context.memory() {
            info.memory = memory;
        }
        info.warnings = facts::warnings(&self.context.driver, &self.properties);
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

    fn lost(&self) -> Option<DeviceFault> {
        self.context.lost().map(DeviceFault::from)
    }

    fn sensors(&self) -> Option<Arc<dyn Sensors>> {
        self.sensors.clone()
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
                let blocks = job.blocks.clone();
                self.next += 1;
                let kernel = Kernel(self.next);
                self.kernels.insert(kernel, Built { batch: None, loaded, blocks, launched: None });
                Ok(kernel)
            }));
        }
        kernels
    }

    fn compile_command(&self) -> String {
        self.builder.command_line()
    }

    fn kernel_facts(&self, kernel: Kernel) -> BTreeMap<String, f64> {
        let Some(built) = self.kernels.get(&kernel) else { return BTreeMap::new() };
        let mut facts = built.loaded.facts();
        if let (Some((block, dynamic)), [function, ..]) =
            (built.launched, built.loaded.functions.as_slice())
        {
            let threads = block.iter().product();
            if let Ok(blocks) = built.loaded.resident_blocks(function, threads, dynamic) {
                let most = f64::from(facts::most_threads(&self.context.driver, &self.properties));
                facts.insert("resident_blocks".to_owned(), f64::from(blocks));
                facts.insert("occupancy".to_owned(), f64::from(blocks) * f64::from(threads) / most);
            }
        }
        facts
    }

    fn unload(&mut self, kernel: Kernel) {
        self.settle();
        self.kernels.remove(&kernel);
    }

    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceFault> {
        let region = Region::new(&self.stream, bytes)?;
        self.next += 1;
        self.buffers.insert(self.next, region);
        Ok(Buffer(self.next))
    }

    fn free(&mut self, buffer: Buffer) {
        self.settle();
        self.buffers.remove(&buffer.0);
    }

    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault> {
        let region = self.holding(buffer, plan.element, plan.count)?;
        self.service.fill(&self.stream, region, plan)
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        self.region(buffer)?.write(&self.stream, offset, bytes)
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        self.region(buffer)?.read(&self.stream, offset, bytes)
    }

    fn copy(&mut self, from: Buffer, to: Buffer, bytes: u64) -> Result<(), DeviceFault> {
        self.region(to)?.copy_from(&self.stream, self.region(from)?, bytes)?;
        Ok(self.stream.wait()?)
    }

    fn gather(
        &mut self,
        buffer: Buffer,
        element: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault> {
        let region = self.region(buffer)?;
        let count = region.bytes() / element.bytes();
        if indices.iter().any(|&index| index >= count) {
            return Err(DeviceFault("an index is past the end of its buffer".to_owned()));
        }
        Ok(self.service.gather(&self.stream, region, element, indices)?)
    }

    fn poison(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<(), DeviceFault> {
        let region = self.holding(buffer, element, count)?;
        Ok(self.service.poison(&self.stream, region, element, count)?)
    }

    fn scan(&mut self, buffer: Buffer, element: Element, count: u64) -> Result<Scan, DeviceFault> {
        let region = self.holding(buffer, element, count)?;
        Ok(self.service.scan(&self.stream, region, element, count)?)
    }

    fn guards(&mut self) -> Result<(), String> {
        let mut first = None;
        for (number, region) in &self.buffers {
            let in_words = |fault: Fault| fault.to_string();
            if let Some(what) = region.trespass(&self.stream).map_err(in_words)? {
                region.mend(&self.stream).map_err(in_words)?;
                first.get_or_insert_with(|| format!("buffer {number} was written {what}"));
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn run(&mut self, kernel: Kernel, steps: &[Step]) -> Result<(), RunFault> {
        let ready = self.prepare(kernel, steps)?;
        let ran = queue(&ready, &self.stream).and_then(|()| self.stream.wait());
        ran.map_err(|fault| fault.of_launch())
    }

    fn time(
        &mut self,
        kernel: Kernel,
        steps: &[Step],
        batch: u32,
        caches: Caches,
    ) -> Result<f64, RunFault> {
        let ready = self.prepare(kernel, steps)?;
        let runs = batch.max(1);
        if runs > 1 {
            self.batch(kernel, steps, &ready, runs)?;
        }
        let built = self.kernels.get(&kernel);
        let (stream, service) = (&self.stream, &self.service);
        let work = || match built.and_then(|built| built.batch.as_ref()).filter(|_| runs > 1) {
            Some(batch) => (0..batch.graphs)
                .try_for_each(|_| batch.graph.queue(stream))
                .and_then(|()| (0..batch.rest).try_for_each(|_| queue(&ready, stream))),
            None => queue(&ready, stream),
        };
        let seconds = self.stopwatch.time(stream, service, caches, work);
        seconds.map(|seconds| seconds / f64::from(runs)).map_err(|fault| fault.of_launch())
    }

    fn timer(&self) -> (f64, f64) {
        self.stopwatch.timer()
    }
}
