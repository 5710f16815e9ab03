//! A compiled configuration in use: its steps made ready to run, and batches of runs kept as
//! graphs.

use std::collections::BTreeMap;

use super::{
    context::Stream, driver::Limits, fault::Fault, graph::Graph, launch::Ready, loaded::Loaded,
    memory::Region,
};
use crate::backends::{ArgumentValue, Buffer, DeviceFault, RunFault, Step};

/// Launches that one graph holds: making a larger one ready takes longer than running it.
const GRAPH_LAUNCHES: u32 = 1024;

/// A compiled configuration.
pub(crate) struct Built {
    /// The last batch that was timed; given back before what it launches.
    batch: Option<Batch>,
    loaded: Loaded,
    /// Threads per block that each entry was compiled for.
    blocks: Vec<[u32; 3]>,
    /// Block and dynamic shared memory of the last launch of the first entry.
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

impl Built {
    /// A loaded module, whose entries were compiled for blocks of these threads.
    pub(crate) fn new(loaded: Loaded, blocks: Vec<[u32; 3]>) -> Self {
        Self { batch: None, loaded, blocks, launched: None }
    }

    /// Makes the steps of a run ready: checks them, and queues copies to their constants.
    pub(crate) fn ready<'a>(
        &mut self,
        stream: &Stream,
        steps: &[Step],
        limits: &Limits,
        region: impl Fn(Buffer) -> Result<&'a Region, DeviceFault>,
    ) -> Result<Vec<Ready>, RunFault> {
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
                        values.push(region(*buffer)?.start().to_ne_bytes().to_vec());
                    }
                    ArgumentValue::Scalar(bytes) => values.push(bytes.clone()),
                    ArgumentValue::Constant(name, buffer) => {
                        let region = region(*buffer)?;
                        constants.push((self.room(name, region)?, region));
                    }
                }
            }
            let compiled_for = self.blocks.get(step.entry).copied().unwrap_or_default();
            let function = (&self.loaded, function);
            ready.push(Ready::new(step, function, compiled_for, limits, &values)?);
        }
        for (address, region) in constants {
            region.copy_out(stream, address).map_err(|fault| fault.of_launch())?;
        }
        let first = steps.iter().find(|step| step.entry == 0);
        self.launched = first.map(|step| (step.block, step.shared_bytes)).or(self.launched);
        Ok(ready)
    }

    /// Where the `__constant__` variable of this name is, if a buffer fits into it.
    fn room(&self, name: &str, region: &Region) -> Result<u64, RunFault> {
        let (address, bytes) = self.loaded.constant(name).ok_or_else(|| {
            RunFault::Invalid(format!("the kernel has no `__constant__` variable `{name}`"))
        })?;
        if region.bytes() > bytes {
            return Err(RunFault::Invalid(format!(
                "the constant `{name}` holds {bytes} bytes and was given {}",
                region.bytes()
            )));
        }
        Ok(address)
    }

    /// Makes a batch of so many runs; says whether it was not there already.
    pub(crate) fn keep_batch(
        &mut self,
        stream: &Stream,
        steps: &[Step],
        ready: &[Ready],
        runs: u32,
    ) -> Result<bool, Fault> {
        let known = self.batch.as_ref();
        if known.is_some_and(|batch| batch.runs == runs && batch.steps == steps) {
            return Ok(false);
        }
        // It may be of other steps, and capturing may fail.
        self.drop_batch();
        let launches = u32::try_from(steps.len()).unwrap_or(u32::MAX).max(1);
        let in_graph = runs.min((GRAPH_LAUNCHES / launches).max(1));
        let queue = || (0..in_graph).try_for_each(|_| queue(stream, ready));
        let graph = Graph::capture(stream, queue)?;
        let (graphs, rest) = (runs / in_graph, runs % in_graph);
        self.batch = Some(Batch { steps: steps.to_vec(), runs, graph, graphs, rest });
        Ok(true)
    }

    /// Gives the batch back.
    pub(crate) fn drop_batch(&mut self) {
        self.batch = None;
    }

    /// Queues so many runs: the batch that was kept for them, or a single one.
    pub(crate) fn queue(&self, stream: &Stream, ready: &[Ready], runs: u32) -> Result<(), Fault> {
        match self.batch.as_ref().filter(|batch| batch.runs == runs) {
            Some(batch) => {
                (0..batch.graphs).try_for_each(|_| batch.graph.queue(stream))?;
                (0..batch.rest).try_for_each(|_| queue(stream, ready))
            }
            None => (0..runs).try_for_each(|_| queue(stream, ready)),
        }
    }

    /// What compiler and driver say of it; `most_threads` are those of a multiprocessor.
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

/// Queues a run.
pub(crate) fn queue(stream: &Stream, ready: &[Ready]) -> Result<(), Fault> {
    ready.iter().try_for_each(|step| step.queue(stream))
}
