//! A guest as a device.

use std::{collections::BTreeMap, ops::Range};

use device::{
    BoundLaunch, Buffer, Caches, CompileFault, CompileJob, Device, DeviceFault, DeviceInfo,
    Disturbance, FillPlan, JudgedOutput, Kernel, OwnResults, RunFault, SampleRuns, Scan, Seal,
    Timed,
};
use serde::Deserialize;
use serde_json::Value;
use space::accuracy::Element;

use super::{
    connection::Connection,
    description::DeviceFacts,
    messages::{Bytes, Checked, Closed, Compiled, Fault, FaultKind, Request, Sampled},
    sizes::Sizes,
};

/// A device whose kernels and data are in another process.
pub struct GuestDevice {
    connection: Connection,
    facts: DeviceFacts,
    cold: bool,
    sizes: Sizes,
    kernels: BTreeMap<u64, GuestKernel>,
    next: u64,
}

/// What is compiled: the only source of a guest's workload.
#[derive(Debug, Clone, Deserialize)]
struct Asked {
    size: u64,
    configuration: Value,
}

struct GuestKernel {
    asked: Asked,
    facts: BTreeMap<String, f64>,
    /// Whether the guest has it now.
    is_open: bool,
}

impl GuestDevice {
    pub(super) fn new(connection: Connection, facts: DeviceFacts) -> Self {
        let sizes = Sizes::new(facts.memory.1);
        Self { connection, facts, cold: false, sizes, kernels: BTreeMap::new(), next: 0 }
    }

    /// Asks for cold samples at all sizes from now on.
    #[must_use]
    pub fn cold(self, cold: bool) -> Self {
        Self { cold, ..self }
    }

    fn footprint(&mut self, Asked { size, configuration }: &Asked) -> Result<u64, Fault> {
        let request = Request::Footprint { size: *size, configuration, cold: self.cold };
        self.connection.ask(&request).map(|Bytes { bytes }| bytes)
    }

    fn open_size(&mut self, asked: &Asked) -> Result<(), Fault> {
        let size = &asked.size;
        if self.sizes.touch(*size) {
            return Ok(());
        }
        let bytes = self.footprint(asked)?;
        for closed in self.sizes.make_room(bytes) {
            self.connection.order(&Request::Close(Closed::Size(closed)));
            for kernel in self.kernels.values_mut().filter(|kernel| kernel.asked.size == closed) {
                kernel.is_open = false;
            }
        }
        let open = Request::Open { size: *size, cold: self.cold };
        let Bytes { bytes } = self.connection.ask(&open)?;
        self.sizes.opened(*size, bytes);
        Ok(())
    }

    fn make(&mut self, number: u64, asked: Asked) -> Result<(), Fault> {
        self.open_size(&asked)?;
        let Asked { size, configuration } = &asked;
        let request = Request::Compile { kernel: number, size: *size, configuration };
        let Compiled { facts } = self.connection.ask(&request)?;
        let facts = facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect();
        self.kernels.insert(number, GuestKernel { asked, facts, is_open: true });
        Ok(())
    }

    /// Makes a kernel again if its size was closed.
    fn ready(&mut self, kernel: Kernel) -> Result<(), Fault> {
        let Some(known) = self.kernels.get(&kernel.0) else {
            let reason = "the kernel was dropped".to_owned();
            return Err(Fault { fault: FaultKind::Run, reason });
        };
        let asked = known.asked.clone();
        match known.is_open {
            true => {
                self.sizes.touch(asked.size);
                Ok(())
            }
            false => self.make(kernel.0, asked),
        }
    }

    fn sample(&mut self, kernel: Kernel, runs: u32) -> Result<Timed, Fault> {
        self.ready(kernel)?;
        let sampled: Sampled = self.connection.ask(&Request::Sample { kernel: kernel.0, runs })?;
        match sampled.seconds {
            Some(seconds) if seconds.is_finite() && seconds > 0.0 => {
                let seconds = seconds / f64::from(runs.max(1));
                let waited = sampled.waited.unwrap_or_default().max(0.0);
                Ok(Timed { seconds, disturbance: Disturbance { waited, stolen: 0.0 } })
            }
            wrong => {
                let said = wrong.map_or_else(|| "no number".to_owned(), |s| s.to_string());
                let reason = format!("the guest says that {runs} runs took {said} of seconds");
                Err(Fault { fault: FaultKind::Run, reason })
            }
        }
    }
}

/// What a job asks for, in its only source.
fn asked(job: &CompileJob) -> Result<Asked, Fault> {
    let text = job.sources.first().map_or("", |(_, text)| text);
    serde_json::from_str(text).map_err(|error| Fault {
        fault: FaultKind::Compile,
        reason: format!("the job is no configuration: {error}"),
    })
}

fn ran(fault: Fault) -> RunFault {
    match fault.fault {
        FaultKind::Invalid => RunFault::Invalid(fault.reason),
        FaultKind::Wrong => RunFault::Wrong(fault.reason),
        FaultKind::Compile | FaultKind::Run | FaultKind::Lost => RunFault::Failed(fault.reason),
    }
}

fn compiled(fault: Fault) -> CompileFault {
    match fault.fault {
        FaultKind::Invalid => CompileFault::Invalid(fault.reason),
        _ => CompileFault::Failed(fault.reason),
    }
}

/// Arguments are a guest's own, so nobody asks for buffers.
fn no_buffers<T>() -> Result<T, DeviceFault> {
    Err(DeviceFault("a guest keeps its own memory".to_owned()))
}

fn numbers(list: Vec<Option<f64>>) -> Vec<f64> {
    list.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect()
}

impl Device for GuestDevice {
    fn info(&mut self) -> DeviceInfo {
        let DeviceFacts { name, backend, compiler, memory, facts, .. } = self.facts.clone();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let busy = if backend == "cpu" { device::load::warning(cores) } else { None };
        DeviceInfo {
            backend,
            ordinal: 0,
            name,
            compiler,
            memory: (memory.0, memory.1.saturating_sub(self.sizes.bytes())),
            block_limit: u32::MAX,
            cache_bytes: 0,
            peak_bandwidth: None,
            peak_flops: None,
            formats: Element::ALL.to_vec(),
            facts,
            warnings: busy.into_iter().collect(),
        }
    }

    fn keeps_own_data(&self) -> bool {
        true
    }

    fn own_footprint(&mut self, job: &CompileJob) -> Result<u64, DeviceFault> {
        let fault = |fault: Fault| DeviceFault(fault.reason);
        self.footprint(&asked(job).map_err(fault)?).map_err(fault)
    }

    /// A guest compiles each configuration when it is measured, under that trial's time limit.
    fn compile_ahead(&mut self, _: &[CompileJob]) -> bool {
        true
    }

    fn compile(&mut self, jobs: &[CompileJob]) -> Vec<Result<Kernel, CompileFault>> {
        let compile = |job: &CompileJob| {
            self.next += 1;
            asked(job).and_then(|asked| self.make(self.next, asked)).map_err(compiled)?;
            Ok(Kernel(self.next))
        };
        jobs.iter().map(compile).collect()
    }

    fn compile_command(&self) -> String {
        self.facts.compiler.clone()
    }

    fn kernel_facts(&self, kernel: Kernel) -> BTreeMap<String, f64> {
        self.kernels.get(&kernel.0).map(|known| known.facts.clone()).unwrap_or_default()
    }

    fn unload(&mut self, kernel: Kernel) {
        if self.kernels.remove(&kernel.0).is_some_and(|known| known.is_open) {
            self.connection.order(&Request::Close(Closed::Kernel(kernel.0)));
        }
    }

    fn results(
        &mut self,
        kernel: Kernel,
        seed: u64,
        thorough: bool,
    ) -> Result<Option<OwnResults>, RunFault> {
        self.ready(kernel).map_err(ran)?;
        let request = Request::Check { kernel: kernel.0, seed, thorough };
        let checked: Checked = self.connection.ask(&request).map_err(ran)?;
        let mut outputs = Vec::new();
        for output in checked.outputs {
            let count = output.found.len();
            let indices = match output.indices {
                none if none.is_empty() => (0..count as u64).collect(),
                indices => indices,
            };
            if output.expected.len() != count || indices.len() != count {
                return Err(RunFault::Failed(format!(
                    "the guest gave {count} elements of `{}`, {} expected ones and {} indices",
                    output.name,
                    output.expected.len(),
                    indices.len()
                )));
            }
            let (found, expected) = (numbers(output.found), numbers(output.expected));
            outputs.push(JudgedOutput { name: output.name, indices, found, expected });
        }
        let errors = checked.errors.into_iter();
        let errors = errors.map(|(name, error)| (name, error.unwrap_or(f64::NAN))).collect();
        Ok(Some(OwnResults { outputs, errors }))
    }

    fn run(&mut self, kernel: Kernel, _: &[BoundLaunch]) -> Result<(), RunFault> {
        self.sample(kernel, 1).map(drop).map_err(ran)
    }

    fn time(
        &mut self,
        kernel: Kernel,
        _: &[BoundLaunch],
        sample_runs: SampleRuns,
        _: Caches,
    ) -> Result<Timed, RunFault> {
        self.sample(kernel, sample_runs.runs).map_err(ran)
    }

    fn timer(&self) -> (f64, f64) {
        self.facts.timer
    }

    fn guards(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn allocate_ring(&mut self, _: u64, _: u32) -> Result<Buffer, DeviceFault> {
        no_buffers()
    }
    fn free(&mut self, _: Buffer) {}
    fn seal(&mut self, _: Buffer) -> Result<(), DeviceFault> {
        no_buffers()
    }
    fn sealed(&mut self, _: Buffer) -> Result<Seal, DeviceFault> {
        no_buffers()
    }
    fn fill(&mut self, _: Buffer, _: &FillPlan) -> Result<(), DeviceFault> {
        no_buffers()
    }
    fn write(&mut self, _: Buffer, _: u64, _: &[u8]) -> Result<(), DeviceFault> {
        no_buffers()
    }
    fn read(&mut self, _: Buffer, _: u64, _: &mut [u8]) -> Result<(), DeviceFault> {
        no_buffers()
    }
    fn spread(&mut self, _: Buffer, _: Buffer, _: Range<u32>, _: u64) -> Result<(), DeviceFault> {
        no_buffers()
    }
    fn gather(&mut self, _: Buffer, _: Element, _: &[u64]) -> Result<Vec<f64>, DeviceFault> {
        no_buffers()
    }
    fn poison(&mut self, _: Buffer, _: Element, _: u64) -> Result<(), DeviceFault> {
        no_buffers()
    }
    fn scan(&mut self, _: Buffer, _: Element, _: u64) -> Result<Scan, DeviceFault> {
        no_buffers()
    }
    fn time_read(&mut self, _: Buffer, _: SampleRuns, _: Caches) -> Result<Timed, DeviceFault> {
        no_buffers()
    }
}

impl std::fmt::Debug for GuestDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "guest on {}", self.facts.name)
    }
}
