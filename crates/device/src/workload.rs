//! A configuration of a benchmark at one size, as a device takes it: sources to compile, arguments
//! and launches. The crate `plugins` makes workloads from a benchmark's document, `worker` passes
//! them on, and the backends use their parts.

use autobench_sdk::document::{Fill, Role};
use space::accuracy::Element;

/// A configuration at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// The problem size.
    pub size: u64,
    /// What to compile.
    pub job: CompileJob,
    /// The benchmark's arguments, in order.
    pub arguments: Vec<Argument>,
    /// The launches of a run, in order.
    pub launches: Vec<Launch>,
    /// Values other than size and seed that the right answer depends on, as a JSON object; empty if
    /// there are none.
    pub answer: String,
}

/// One compilation of a configuration; of one size only, if sources, macros or options depend on
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompileJob {
    /// Sources as (name, text). The first is compiled and may include the others by name.
    pub sources: Vec<(String, String)>,
    /// Macros of the configuration as (name, value), in order.
    pub macros: Vec<(String, String)>,
    /// Compiler options that follow our own, in order.
    pub options: Vec<String>,
    /// The `__global__` functions that are launched.
    pub entries: Vec<String>,
    /// Threads per block in x, y, z, of each entry.
    pub blocks: Vec<[u32; 3]>,
}

/// A launch of a run. Arguments are positions in the benchmark's list, until they are bound to
/// values.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch<Taken = usize> {
    /// Position in the job's `entries`.
    pub entry: usize,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The arguments in order.
    pub arguments: Vec<Taken>,
}

impl Launch {
    /// Replaces positions by values. Returns `None` if any value is missing.
    pub fn bind<T>(&self, value: impl FnMut(usize) -> Option<T>) -> Option<Launch<T>> {
        let Self { entry, grid, block, shared_bytes, .. } = *self;
        let arguments = self.arguments.iter().copied().map(value).collect::<Option<_>>()?;
        Some(Launch { entry, grid, block, shared_bytes, arguments })
    }
}

/// An argument of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Name of the argument.
    pub name: String,
    /// What the kernels do with it.
    pub role: Role,
    /// Format of its elements.
    pub element: Element,
    /// A scalar's value, or a buffer's shape and fill.
    pub content: Content,
}

/// A scalar or a buffer.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Bytes of a scalar, little-endian. Scalars are passed by value.
    Scalar(Vec<u8>),
    /// A buffer in device memory.
    Buffer {
        /// The extent of each dimension, slowest first.
        shape: Vec<u64>,
        /// How its elements are generated.
        fill: Fill,
    },
}

impl Argument {
    /// Number of elements of a buffer; `None` for scalars.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        match &self.content {
            Content::Scalar(_) => None,
            Content::Buffer { shape, .. } => Some(shape.iter().product()),
        }
    }

    /// Bytes of device memory; 0 for scalars.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count().map_or(0, |count| count * self.element.bytes())
    }

    /// Whether this argument is compared with the reference.
    #[must_use]
    pub fn is_checked(&self) -> bool {
        matches!(self.role, Role::Out | Role::Inout) && self.count().is_some()
    }
}

impl Workload {
    /// Bytes of device memory of all buffers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.arguments.iter().map(Argument::bytes).sum()
    }

    /// Positions and shapes of the outputs that are compared with the reference.
    pub fn outputs(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.arguments.iter().enumerate().filter_map(|(at, argument)| match &argument.content {
            Content::Buffer { shape, .. } if argument.is_checked() => Some((at, shape.as_slice())),
            _ => None,
        })
    }
}
