//! Batches of runs, kept as graphs because capturing a batch takes as long as running it.

use std::{collections::VecDeque, rc::Rc};

use device::{ArgumentValue, BoundLaunch, Buffer, Kernel, SampleRuns};

use super::{
    context::Stream,
    fault::DriverFault,
    graph::Graph,
    launch::{PreparedLaunch, queue_all},
};

/// Most launches of a graph: instantiating a larger one takes longer than running it.
const GRAPH_LAUNCHES: u32 = 1024;
/// Most launches in all kept batches: enough for a study's rounds, whose samples use the same slots
/// again.
const KEPT_LAUNCHES: u32 = 1 << 16;

/// The captured runs of a sample.
pub(crate) struct Batch {
    kernel: Kernel,
    steps: Vec<BoundLaunch>,
    sample_runs: SampleRuns,
    /// Graphs in order. Runs that go round a ring have their own graphs; other runs repeat one
    /// graph.
    graphs: Vec<Rc<Graph>>,
    /// Number of runs after the graphs, which are launched one by one.
    rest: u32,
    launches: u32,
}

impl Batch {
    pub(crate) fn capture(
        stream: &Stream,
        (kernel, steps): (Kernel, &[BoundLaunch]),
        ready: &mut [PreparedLaunch],
        sample_runs: SampleRuns,
    ) -> Result<Self, DriverFault> {
        let per_run = u32::try_from(steps.len()).unwrap_or(u32::MAX).max(1);
        let in_graph = sample_runs.runs.min((GRAPH_LAUNCHES / per_run).max(1));
        let goes_round = ready.iter().any(PreparedLaunch::goes_round);
        let whole = sample_runs.runs / in_graph;
        let mut graphs: Vec<Rc<Graph>> = Vec::new();
        ready.iter_mut().for_each(|step| step.turn_to(sample_runs.first));
        for at in 0..whole {
            let graph = match graphs.first().filter(|_| at > 0 && !goes_round) {
                Some(same) => Rc::clone(same),
                None => Rc::new(Graph::capture(stream, || queue_all(stream, ready, in_graph))?),
            };
            graphs.push(graph);
        }
        let launches = per_run * in_graph * if goes_round { whole } else { 1 };
        let rest = sample_runs.runs % in_graph;
        Ok(Self { kernel, steps: steps.to_vec(), sample_runs, graphs, rest, launches })
    }

    /// Queues the runs that are in graphs. Returns how many runs are left.
    pub(crate) fn queue(&self, stream: &Stream) -> Result<u32, DriverFault> {
        self.graphs.iter().try_for_each(|graph| graph.queue(stream))?;
        Ok(self.rest)
    }

    fn is(&self, kernel: Kernel, steps: &[BoundLaunch], sample_runs: SampleRuns) -> bool {
        self.sample_runs == sample_runs && self.kernel == kernel && self.steps == steps
    }

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

/// The batches of all kernels, oldest first. A kernel has several if sizes are measured
/// alternately.
#[derive(Default)]
pub(crate) struct Batches(VecDeque<Batch>);

impl Batches {
    pub(crate) fn find(
        &self,
        kernel: Kernel,
        steps: &[BoundLaunch],
        sample_runs: SampleRuns,
    ) -> Option<&Batch> {
        self.0.iter().find(|batch| batch.is(kernel, steps, sample_runs))
    }

    /// Keeps a batch, and drops the oldest ones if there are too many launches.
    pub(crate) fn keep(&mut self, batch: Batch) {
        self.0.push_back(batch);
        let mut launches: u32 = self.0.iter().map(|batch| batch.launches).sum();
        while launches > KEPT_LAUNCHES && self.0.len() > 1 {
            launches -= self.0.pop_front().map_or(0, |oldest| oldest.launches);
        }
    }

    /// Drops the batches that use a buffer.
    pub(crate) fn free(&mut self, buffer: Buffer) {
        self.0.retain(|batch| !batch.uses(buffer));
    }

    pub(crate) fn unload(&mut self, kernel: Kernel) {
        self.0.retain(|batch| batch.kernel != kernel);
    }
}
