//! A device for tests: host memory, kernels named after what they do, and fixed times.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use autobench_sdk::document::{Fill, Role};
use device::{
    ArgumentValue, BoundLaunch, Buffer, Caches, CompileFault, Device, DeviceFault, DeviceInfo,
    FillPlan, Kernel, RunFault, SampleRuns, Scan, Seal, Timed,
    workload::{Argument, CompileJob, Content, Launch, Workload},
};
use records::Named;
use space::accuracy::Element;

use super::{
    benchmark_code::{BenchmarkCode, Pairs},
    trial_failure::TrialFailure,
};

const GUARD: usize = 64;
pub(super) const MEMORY: u64 = 1 << 20;
/// Bytes of the last-level cache. Small workloads get a few copies.
pub(super) const CACHE: u64 = 1 << 10;

/// A device on which all elements are f32, and `out[i] = in[i] + 1` unless the macro `does` says
/// otherwise.
#[derive(Debug, Default)]
pub(super) struct FakeDevice {
    pub(super) memory: HashMap<u64, Vec<Vec<u8>>>,
    kernels: Vec<String>,
    sealed: HashMap<u64, Vec<Vec<u8>>>,
    pub(super) calls: Vec<String>,
    pub(super) seconds: f64,
    /// Samples of at most this many reads take half as long, as if a cache held the data.
    pub(super) fast_runs: u32,
    pub(super) resolution: f64,
    next: u64,
}

impl FakeDevice {
    pub(super) fn new(seconds: f64) -> Self {
        Self { seconds, resolution: 20e-9, ..Self::default() }
    }

    fn slot(&self, buffer: Buffer) -> &Vec<u8> {
        &self.memory[&buffer.ring][buffer.slot as usize]
    }

    fn slot_mut(&mut self, buffer: Buffer) -> &mut Vec<u8> {
        &mut self.memory.get_mut(&buffer.ring).expect("allocated")[buffer.slot as usize]
    }

    /// Does one run on a slot of every ring.
    fn run_on(
        &mut self,
        kernel: Kernel,
        launches: &[BoundLaunch],
        slot: u32,
    ) -> Result<(), RunFault> {
        let [ArgumentValue::Buffer(from), ArgumentValue::Buffer(to), ArgumentValue::Scalar(count)] =
            launches[0].arguments.as_slice()
        else {
            return Err(RunFault::Failed("other arguments".to_owned()));
        };
        let turned = |buffer: &Buffer| {
            let slots = self.memory[&buffer.ring].len() as u32;
            buffer.at(slot % slots)
        };
        let (from, to) = (turned(from), turned(to));
        let count = usize::try_from(i32::from_le_bytes(count[..4].try_into().expect("i32")))
            .expect("a count");
        let input = self.floats(from);
        let before = self.floats(to);
        let does = self.kernels[kernel.0 as usize].clone();
        match does.as_str() {
            "threads" => return Err(RunFault::Invalid("2048 threads in a block".to_owned())),
            "launch" => return Err(RunFault::Failed("launch failed".to_owned())),
            "input" => self.put(from, 0, -1.0),
            "behind" => {
                let end = self.floats(to).len();
                self.put(to, end, 1.0);
            }
            "behind a copy" if to.slot > 2 => {
                let end = self.floats(to).len();
                self.put(to, end, 1.0);
            }
            _ => {}
        }
        for (index, value) in input.iter().take(count).enumerate() {
            let last = index + 1 == count;
            match does.as_str() {
                "unwritten" if last => {}
                "lazy in copies" if last && to.slot > 0 => {}
                "adds" => self.put(to, index, before[index] + value + 1.0),
                "nan" if last => self.put(to, index, f32::NAN),
                "nan in copies" if last && to.slot > 0 => self.put(to, index, f32::NAN),
                "wrong" if last => self.put(to, index, 1e9),
                "wrong in copies" if last && to.slot > 0 => self.put(to, index, 1e9),
                "infinite" if last => self.put(to, index, f32::INFINITY),
                _ => self.put(to, index, value + 1.0),
            }
        }
        Ok(())
    }

    fn floats(&self, buffer: Buffer) -> Vec<f32> {
        let bytes = self.slot(buffer);
        let inner = &bytes[GUARD..bytes.len() - GUARD];
        inner.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    fn put(&mut self, buffer: Buffer, index: usize, value: f32) {
        let bytes = self.slot_mut(buffer);
        let at = GUARD + index * 4;
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}

impl Device for FakeDevice {
    fn info(&mut self) -> DeviceInfo {
        DeviceInfo {
            backend: "fake".to_owned(),
            ordinal: 0,
            name: "fake".to_owned(),
            compiler: "none".to_owned(),
            memory: (MEMORY, MEMORY),
            block_limit: 1024,
            cache_bytes: CACHE,
            peak_bandwidth: None,
            peak_flops: None,
            formats: vec![Element::F32],
            facts: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    fn compile(&mut self, jobs: &[CompileJob]) -> Vec<Result<Kernel, CompileFault>> {
        self.calls.push(format!("compile {}", jobs.len()));
        jobs.iter()
            .map(|job| match job.macros[0].1.as_str() {
                "syntax" => Err(CompileFault::Failed("expected `;`".to_owned())),
                "shuffle" => Err(CompileFault::Invalid("no warp shuffles here".to_owned())),
                does => {
                    self.kernels.push(does.to_owned());
                    Ok(Kernel(self.kernels.len() as u64 - 1))
                }
            })
            .collect()
    }

    fn compile_command(&self) -> String {
        "fake -O0".to_owned()
    }

    fn kernel_facts(&self, _: Kernel) -> BTreeMap<String, f64> {
        BTreeMap::from([("registers".to_owned(), 12.0)])
    }

    fn unload(&mut self, _: Kernel) {}

    fn memory(&mut self) -> (u64, u64) {
        let taken: usize = self.memory.values().flatten().map(|slot| slot.len() - 2 * GUARD).sum();
        (MEMORY, MEMORY - taken as u64)
    }

    fn allocate_ring(&mut self, bytes: u64, slots: u32) -> Result<Buffer, DeviceFault> {
        self.next += 1;
        self.calls.push(format!("allocate {bytes} {slots}"));
        let slot = vec![0; bytes as usize + 2 * GUARD];
        self.memory.insert(self.next, vec![slot; slots as usize]);
        Ok(Buffer::first(self.next))
    }

    fn free(&mut self, buffer: Buffer) {
        self.calls.push("free".to_owned());
        self.memory.remove(&buffer.ring);
    }

    fn seal(&mut self, buffer: Buffer) -> Result<(), DeviceFault> {
        self.sealed.insert(buffer.ring, self.memory[&buffer.ring].clone());
        Ok(())
    }

    fn sealed(&mut self, buffer: Buffer) -> Result<Seal, DeviceFault> {
        let now = &self.memory[&buffer.ring];
        let is_broken = self.sealed.get(&buffer.ring).is_some_and(|then| then != now);
        Ok(if is_broken { Seal::Broken(Some((0, 0))) } else { Seal::Whole })
    }

    fn fill(&mut self, buffer: Buffer, plan: &FillPlan) -> Result<(), DeviceFault> {
        self.sealed.remove(&buffer.ring);
        self.calls.push(format!("fill {}", plan.argument));
        for index in 0..plan.count as usize {
            let value = if plan.fill == Fill::Zero { 0 } else { plan.seed as usize + index };
            self.put(buffer, index, value as f32);
        }
        Ok(())
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceFault> {
        let at = GUARD + offset as usize;
        let memory = self.slot_mut(buffer);
        memory[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceFault> {
        let at = GUARD + offset as usize;
        bytes.copy_from_slice(&self.slot(buffer)[at..at + bytes.len()]);
        Ok(())
    }

    fn spread(
        &mut self,
        from: Buffer,
        to: Buffer,
        slots: Range<u32>,
        bytes: u64,
    ) -> Result<(), DeviceFault> {
        let restored = if from.ring == to.ring { "spread" } else { "restore" };
        self.calls.push(format!("{restored} {}..{}", slots.start, slots.end));
        let range = GUARD..GUARD + bytes as usize;
        let copied = self.slot(from)[range.clone()].to_vec();
        for slot in slots {
            self.slot_mut(to.at(slot))[range.clone()].copy_from_slice(&copied);
        }
        Ok(())
    }

    fn gather(
        &mut self,
        buffer: Buffer,
        _: Element,
        indices: &[u64],
    ) -> Result<Vec<f64>, DeviceFault> {
        let floats = self.floats(buffer);
        Ok(indices.iter().map(|index| f64::from(floats[*index as usize])).collect())
    }

    fn poison(&mut self, buffer: Buffer, _: Element, count: u64) -> Result<(), DeviceFault> {
        for index in 0..count as usize {
            self.put(buffer, index, f32::from_bits(0xFFFF_FFFF));
        }
        Ok(())
    }

    fn scan(&mut self, buffer: Buffer, _: Element, count: u64) -> Result<Scan, DeviceFault> {
        let floats = &self.floats(buffer)[..count as usize];
        let of = |is: &dyn Fn(&f32) -> bool| {
            let first = floats.iter().position(is).unwrap_or(0) as u64;
            (floats.iter().filter(|value| is(value)).count() as u64, first)
        };
        let (poisoned, first_poisoned) = of(&|value| value.to_bits() == 0xFFFF_FFFF);
        let (nans, first_nan) = of(&|value| value.is_nan() && value.to_bits() != 0xFFFF_FFFF);
        Ok(Scan { poisoned, first_poisoned, nans, first_nan })
    }

    fn guards(&mut self) -> Result<(), String> {
        for (number, slots) in &mut self.memory {
            for bytes in slots {
                let end = bytes.len() - GUARD;
                if bytes[end..].iter().any(|byte| *byte != 0) {
                    bytes[end..].fill(0);
                    return Err(format!("4 bytes behind buffer {number}"));
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, kernel: Kernel, launches: &[BoundLaunch]) -> Result<(), RunFault> {
        self.calls.push("run".to_owned());
        self.run_on(kernel, launches, 0)
    }

    fn time(
        &mut self,
        kernel: Kernel,
        launches: &[BoundLaunch],
        sample_runs: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, RunFault> {
        for run in 0..sample_runs.runs.min(64) {
            self.run_on(kernel, launches, sample_runs.first + run)?;
        }
        self.calls.push(format!("time {} from {} {caches:?}", sample_runs.runs, sample_runs.first));
        if self.kernels[kernel.0 as usize] == "tires" {
            return Err(RunFault::Failed("it no longer launches".to_owned()));
        }
        Ok(Timed { seconds: self.seconds, ..Timed::default() })
    }

    fn time_read(
        &mut self,
        _: Buffer,
        of: SampleRuns,
        caches: Caches,
    ) -> Result<Timed, DeviceFault> {
        let is_fast = caches == Caches::Kept && of.runs <= self.fast_runs;
        let seconds = self.seconds * if is_fast { 0.5 } else { 1.0 };
        Ok(Timed { seconds, ..Timed::default() })
    }

    fn timer(&self) -> (f64, f64) {
        (self.resolution, self.resolution)
    }
}

/// Benchmark code whose reference is the right answer.
#[derive(Debug, Default)]
pub(super) struct FakeCode {
    pub(super) seed: u64,
    pub(super) asked: usize,
    /// Whether a run on the device is the only reference.
    pub(super) itself: bool,
}

impl BenchmarkCode for FakeCode {
    fn reference(
        &mut self,
        _: usize,
        indices: &[u64],
        _: &str,
    ) -> Result<Option<Vec<f64>>, String> {
        self.asked += 1;
        Ok((!self.itself)
            .then(|| indices.iter().map(|index| (self.seed + index + 1) as f64).collect()))
    }

    fn reference_run(&mut self, _: &str) -> Result<Option<Workload>, TrialFailure> {
        Ok(self.itself.then(|| workload("precise", 100, Role::Out, Fill::Zero)))
    }

    fn fill(&mut self, _: usize, first: u64, elements: &mut [f64]) -> Result<(), String> {
        for (at, element) in elements.iter_mut().enumerate() {
            *element = (self.seed + first + at as u64) as f64;
        }
        Ok(())
    }

    fn errors(&mut self, _: &str, pairs: &Pairs<'_>) -> Vec<(String, f64)> {
        vec![("first".to_owned(), pairs.found[0] - pairs.expected[0])]
    }

    fn metrics(
        &mut self,
        _: &Named,
        seconds: f64,
        _: &BTreeMap<String, f64>,
    ) -> Result<BTreeMap<String, f64>, String> {
        Ok(BTreeMap::from([("rate".to_owned(), 1.0 / seconds), ("none".to_owned(), f64::NAN)]))
    }
}

/// A workload that computes `out = in + 1` over `count` elements. `does` names the fault.
pub(super) fn workload(does: &str, count: u64, role: Role, fill: Fill) -> Workload {
    let buffer = |name: &str, role, fill| Argument {
        name: name.to_owned(),
        role,
        element: Element::F32,
        content: Content::Buffer { shape: vec![count], fill },
    };
    let bytes = i32::try_from(count).expect("small").to_le_bytes().to_vec();
    Workload {
        size: count,
        job: CompileJob {
            sources: vec![("fake.cu".to_owned(), String::new())],
            macros: vec![("does".to_owned(), does.to_owned())],
            options: vec![],
            entries: vec!["fake".to_owned()],
            blocks: vec![[32, 1, 1]],
        },
        arguments: vec![
            buffer("a", Role::In, fill),
            buffer("c", role, Fill::Zero),
            Argument {
                name: "n".to_owned(),
                role: Role::In,
                element: Element::I32,
                content: Content::Scalar(bytes),
            },
        ],
        launches: vec![Launch {
            entry: 0,
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: vec![0, 1, 2],
        }],
        answer: String::new(),
    }
}
