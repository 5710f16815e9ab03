//! What one configuration at one size means to a device: what to compile, which buffers, which
//! launches; and what the benchmark's own code is asked for while it runs.

use std::collections::BTreeMap;

use autobench_sdk::document::{Fill, Role};

use crate::{
    accuracy::Element,
    backends::CompileJob,
    records::{Named, Status},
};

/// One argument of the benchmark at a size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArgumentSpec {
    /// Its name.
    pub(super) name: String,
    /// What the kernels do with it.
    pub(super) role: Role,
    /// The format of its elements.
    pub(super) element: Element,
    /// What it is made of.
    pub(super) content: Content,
}

/// A scalar or a buffer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    /// Passed by value: its bytes.
    Scalar(Vec<u8>),
    /// In device memory.
    Buffer {
        /// The extent of each dimension, slowest first.
        shape: Vec<u64>,
        /// How its elements are generated.
        fill: Fill,
    },
}

impl ArgumentSpec {
    /// How many elements a buffer has; `None` for scalars.
    pub(super) fn count(&self) -> Option<u64> {
        match &self.content {
            Content::Scalar(_) => None,
            Content::Buffer { shape, .. } => Some(shape.iter().product()),
        }
    }

    /// Whether it is compared with the reference.
    pub(super) fn is_checked(&self) -> bool {
        matches!(self.role, Role::Out | Role::Inout) && self.count().is_some()
    }
}

/// One launch of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LaunchSpec {
    /// Blocks in x, y, z.
    pub(super) grid: [u32; 3],
    /// Threads per block.
    pub(super) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(super) shared_bytes: u32,
    /// Positions of its arguments.
    pub(super) arguments: Vec<usize>,
}

/// A configuration at a size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Workload {
    /// The problem size.
    pub(super) size: u64,
    /// The configuration, as metrics name it.
    pub(super) configuration: Named,
    /// What is compiled.
    pub(super) job: CompileJob,
    /// The benchmark's arguments, in order.
    pub(super) arguments: Vec<ArgumentSpec>,
    /// The launches of a run, in order; each launches the job's entry of its position.
    pub(super) launches: Vec<LaunchSpec>,
}

impl Workload {
    /// The positions and shapes of the outputs that are compared with the reference.
    pub(super) fn outputs(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.arguments.iter().enumerate().filter_map(|(at, argument)| match &argument.content {
            Content::Buffer { shape, .. } if argument.is_checked() => Some((at, shape.as_slice())),
            _ => None,
        })
    }
}

/// What the benchmark's own code gives for one size and seed.
pub(super) trait Instance {
    /// The exact elements of an output at these indices, or `None` when only a run on the device
    /// can give them.
    fn reference(&mut self, output: usize, indices: &[u64]) -> Result<Option<Vec<f64>>, String>;
    /// The run whose outputs are the right answers, where the benchmark has no other.
    fn reference_run(&mut self) -> Result<Option<Workload>, Stop>;
    /// Elements `first ..` of an argument that the plugin fills.
    fn fill(&mut self, argument: usize, first: u64, elements: &mut [f64]) -> Result<(), String>;
    /// What is derived from the seconds per run and what observers saw, by name.
    fn metrics(
        &mut self,
        configuration: &Named,
        seconds: f64,
        seen: &BTreeMap<String, f64>,
    ) -> Result<BTreeMap<String, f64>, String>;
}

/// Why a trial ends before it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stop {
    /// The outcome's status.
    pub(super) status: Status,
    /// One sentence.
    pub(super) reason: String,
}

impl Stop {
    /// A run that failed.
    pub(super) fn run(reason: impl Into<String>) -> Self {
        Self { status: Status::RunFailed, reason: reason.into() }
    }

    /// A wrong result.
    pub(super) fn wrong(reason: impl Into<String>) -> Self {
        Self { status: Status::WrongResult, reason: reason.into() }
    }

    /// Something that the device cannot do.
    pub(super) fn invalid(reason: impl Into<String>) -> Self {
        Self { status: Status::Invalid, reason: reason.into() }
    }
}
