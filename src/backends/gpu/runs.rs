//! A compiled configuration in use: prepares its runs, and keeps batches of them as graphs.

use std::{
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use super::{
    context::Stream,
    driver::Limits,
    fault::DriverFault,
    graph::Graph,
    launch::PreparedLaunch,
    loaded::Loaded,
    memory::{Region, Slot},
};
use crate::backends::{
    ArgumentValue, BoundLaunch, Buffer, DeviceFault, RunFault, SampleRuns,
    arguments::parameters::LaunchParameter,
};

/// Most launches of a graph: instantiating a larger one takes longer than running it.
const GRAPH_LAUNCHES: u32 = 1024;

pub(crate) struct Built {
    /// Declared first, so that graphs are dropped before the kernels that they launch.
    batches: VecDeque<Batch>,
    loaded: Loaded,
    /// Threads per block that each entry was compiled for.
    blocks: Vec<[u32; 3]>,
    /// Block and dynamic shared memory of the last launch of the first entry.
    launched: Option<([u32; 3], u32)>,
}

struct Batch {
    steps: Vec<BoundLaunch>,
    sample_runs: SampleRuns,
    /// In order: runs that go round a ring are captured with their slots, others once.
    graphs: Vec<Rc<Graph>>,
    /// Runs behind the graphs that are launched one by one.
    rest: u32,
    launches: u32,
}

impl Batch {
    fn uses(&self, buffer: Buffer) -> bool {
        let is_it = |argument: &ArgumentValue| match argument {
            ArgumentValue::Buffer(other) | ArgumentValue::Constant(_, other) => {
                other.ring == buffer.ring
            }
            ArgumentValue::Scalar(_) => false,
        };
        self.steps.iter().flat_map(|step| &step.arguments).any(is_it)
    }
}

impl Built {
    pub(crate) fn new(loaded: Loaded, blocks: Vec<[u32; 3]>) -> Self {
        Self { batches: VecDeque::new(), loaded, blocks, launched: None }
    }

    /// Prepares the steps of a run: checks them, and queues copies to their constants.
    pub(crate) fn ready<'a>(
        &mut self,
        stream: &Stream,
        steps: &[BoundLaunch],
        limits: &Limits,
        region: impl Fn(Buffer) -> Result<&'a Region, DeviceFault>,
    ) -> Result<Vec<PreparedLaunch>, RunFault> {
        let region = |buffer| region(buffer).map_err(|fault| RunFault::Failed(fault.0));
        let (mut ready, mut constants) = (Vec::with_capacity(steps.len()), Vec::new());
        for step in steps {
            let function = self.loaded.functions.get(step.entry).ok_or_else(|| {
                RunFault::Invalid(format!("the kernel has no entry {}", step.entry))
            })?;
            let mut values = Vec::with_capacity(step.arguments.len());
            for argument in &step.arguments {
                match argument {
                    ArgumentValue::Buffer(buffer) => {
                        let ring = region(*buffer)?;
                        ring.note_use();
                        let place = ring.place(buffer.slot);
                        let place = place.map_err(|fault| RunFault::Failed(fault.0))?;
                        values.push(LaunchParameter::RingAddress(place));
                    }
                    ArgumentValue::Scalar(bytes) => {
                        values.push(LaunchParameter::Bytes(bytes.clone()))
                    }
                    ArgumentValue::Constant(name, buffer) => {
                        let slot = region(*buffer)?.slot(buffer.slot);
                        let slot = slot.map_err(|fault| RunFault::Failed(fault.0))?;
                        constants.push((self.room(name, slot)?, slot));
                    }
                }
            }
            let compiled_for = self.blocks.get(step.entry).copied().unwrap_or_default();
            let function = (&self.loaded, function);
            ready.push(PreparedLaunch::new(step, function, compiled_for, limits, &values)?);
        }
        for (address, slot) in constants {
            slot.copy_out(stream, address).map_err(|fault| fault.of_launch())?;
        }
        let first = steps.iter().find(|step| step.entry == 0);
        self.launched = first.map(|step| (step.block, step.shared_bytes)).or(self.launched);
        Ok(ready)
    }

    /// Address of the `__constant__` variable of this name, if the slot fits into it.
    fn room(&self, name: &str, slot: Slot<'_>) -> Result<u64, RunFault> {
        let (address, bytes) = self.loaded.constant(name).ok_or_else(|| {
            RunFault::Invalid(format!("the kernel has no `__constant__` variable `{name}`"))
        })?;
        if slot.bytes() > bytes {
            return Err(RunFault::Invalid(format!(
                "the constant `{name}` holds {bytes} bytes and was given {}",
                slot.bytes()
            )));
        }
        Ok(address)
    }

    /// Keeps a batch of these runs, unless it is kept already; returns the launches added.
    pub(crate) fn keep_batch(
        &mut self,
        stream: &Stream,
        steps: &[BoundLaunch],
        ready: &mut [PreparedLaunch],
        sample_runs: SampleRuns,
    ) -> Result<u32, DriverFault> {
        // A kernel may be measured at many sizes by turns.
        if self.kept(steps, sample_runs).is_some() {
            return Ok(0);
        }
        let per_run = u32::try_from(steps.len()).unwrap_or(u32::MAX).max(1);
        let in_graph = sample_runs.runs.min((GRAPH_LAUNCHES / per_run).max(1));
        let goes_round = ready.iter().any(PreparedLaunch::goes_round);
        let whole = sample_runs.runs / in_graph;
        let mut graphs: Vec<Rc<Graph>> = Vec::new();
        ready.iter_mut().for_each(|step| step.turn_to(sample_runs.first));
        for at in 0..whole {
            let graph = match graphs.first().filter(|_| at > 0 && !goes_round) {
                Some(same) => Rc::clone(same),
                None => Rc::new(Graph::capture(stream, || queue(stream, ready, in_graph))?),
            };
            graphs.push(graph);
        }
        let launches = per_run * in_graph * if goes_round { whole } else { 1 };
        let rest = sample_runs.runs % in_graph;
        self.batches.push_back(Batch {
            steps: steps.to_vec(),
            sample_runs,
            graphs,
            rest,
            launches,
        });
        Ok(launches)
    }

    fn kept(&self, steps: &[BoundLaunch], sample_runs: SampleRuns) -> Option<&Batch> {
        let is_it = |batch: &&Batch| batch.sample_runs == sample_runs && batch.steps == steps;
        self.batches.iter().find(is_it)
    }

    /// Drops the batches that use a buffer; returns how many.
    pub(crate) fn forget(&mut self, buffer: Buffer) -> usize {
        let before = self.batches.len();
        self.batches.retain(|batch| !batch.uses(buffer));
        before - self.batches.len()
    }

    /// Drops the oldest batch; returns the launches it held.
    pub(crate) fn drop_batch(&mut self) -> Option<u32> {
        self.batches.pop_front().map(|batch| batch.launches)
    }

    pub(crate) fn kept_launches(&self) -> u32 {
        self.batches.iter().map(|batch| batch.launches).sum()
    }

    /// Queues runs: as the batch kept for them, or one by one.
    pub(crate) fn queue(
        &self,
        stream: &Stream,
        steps: &[BoundLaunch],
        ready: &mut [PreparedLaunch],
        sample_runs: SampleRuns,
    ) -> Result<(), DriverFault> {
        let mut left = sample_runs.runs;
        let mut first = sample_runs.first;
        if let Some(batch) = self.kept(steps, sample_runs) {
            batch.graphs.iter().try_for_each(|graph| graph.queue(stream))?;
            left = batch.rest;
            first = first.wrapping_add(sample_runs.runs - batch.rest);
        }
        ready.iter_mut().for_each(|step| step.turn_to(first));
        queue(stream, ready, left)
    }

    /// Facts by compiler and driver; `most_threads` is what a multiprocessor runs at once.
    pub(crate) fn facts(&self, most_threads: u32) -> BTreeMap<String, f64> {
        let mut facts = self.loaded.facts();
        if let (Some((block, dynamic)), Some(function)) =
            (self.launched, self.loaded.functions.first())
        {
            let threads = block.iter().product();
            if let Ok(blocks) = self.loaded.resident_blocks(function, threads, dynamic) {
                let resident = f64::from(blocks) * f64::from(threads);
                facts.insert("resident_blocks".to_owned(), f64::from(blocks));
                facts.insert("occupancy".to_owned(), resident / f64::from(most_threads));
            }
        }
        facts
    }
}

/// Queues runs, each on the next slot of every ring.
pub(crate) fn queue(
    stream: &Stream,
    ready: &mut [PreparedLaunch],
    runs: u32,
) -> Result<(), DriverFault> {
    for _ in 0..runs {
        for step in ready.iter_mut() {
            step.queue(stream)?;
            step.turn();
        }
    }
    Ok(())
}
