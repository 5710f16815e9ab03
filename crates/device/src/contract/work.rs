//! What a device is given to do, and what it returns.

use std::collections::BTreeMap;

use autobench_sdk::document::Fill;
use space::accuracy::Element;

use crate::workload::Launch;

/// A compiled configuration, by its number within the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kernel(pub u64);

/// A slot of a ring in device memory. Most rings have one slot. Rings of arguments that are
/// measured cold have many slots with the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// Number of the ring within its device.
    pub ring: u64,
    /// The slot, from 0.
    pub slot: u32,
}

impl Buffer {
    /// The first slot of a ring.
    #[must_use]
    pub const fn first(ring: u64) -> Self {
        Self { ring, slot: 0 }
    }

    /// Another slot of the same ring.
    #[must_use]
    pub const fn at(self, slot: u32) -> Self {
        Self { slot, ..self }
    }
}

/// How a buffer is filled on the device.
#[derive(Debug, Clone, PartialEq)]
pub struct FillPlan {
    /// The generator (never `Plugin` or `File`, which are written from the host).
    pub fill: Fill,
    /// The study's seed.
    pub seed: u64,
    /// Position among the benchmark's arguments.
    pub argument: u32,
    /// Format of the elements.
    pub element: Element,
    /// Number of elements.
    pub count: u64,
}

/// The value of a launch's argument.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgumentValue {
    /// A whole buffer.
    Buffer(Buffer),
    /// A buffer that is copied to the constant symbol of this name, and not passed as an argument.
    Constant(String, Buffer),
    /// Bytes of a scalar, little-endian.
    Scalar(Vec<u8>),
}

/// A launch with the values of its arguments.
pub type BoundLaunch = Launch<ArgumentValue>;

/// What is done to the caches right before a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caches {
    /// The caches hold nothing that the sample's runs use, except constants bound to a symbol.
    Flushed,
    /// Nothing is done: the caches are as the previous run left them.
    Kept,
}

/// The state of a ring that kernels may only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// The ring is unchanged, or was never sealed.
    Whole,
    /// A kernel has written to the ring, at this slot and byte where known.
    Broken(Option<(u32, u64)>),
}

/// The runs of a sample, back to back. Each run uses the next slot of every ring; the last slot is
/// followed by the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRuns {
    /// Number of runs.
    pub runs: u32,
    /// Slot of the first run, modulo the slots of each ring.
    pub first: u32,
}

impl SampleRuns {
    /// Runs that begin at the first slot.
    #[must_use]
    pub const fn of(runs: u32) -> Self {
        Self { runs, first: 0 }
    }
}

/// The result of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timed {
    /// Mean seconds of the sample's runs.
    pub seconds: f64,
    /// What other programs took from the sample.
    pub disturbance: Disturbance,
}

/// What other programs took from a sample, as far as the machine tells.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Disturbance {
    /// Longest time in seconds that any of the sample's threads waited for a core.
    pub waited: f64,
    /// Seconds of the cores in use that the hypervisor gave to other machines (counted in
    /// hundredths).
    pub stolen: f64,
}

impl Disturbance {
    /// Total seconds lost, to programs and to the hypervisor.
    #[must_use]
    pub fn lost(&self) -> f64 {
        self.waited + self.stolen
    }
}

/// Results of a kernel beside the right ones, from a device that keeps its own data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnResults {
    /// Elements of each output.
    pub outputs: Vec<JudgedOutput>,
    /// Errors that the device computed itself, by name; `error` is the one that is bounded.
    pub errors: BTreeMap<String, f64>,
}

/// Elements of an output beside the right ones.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedOutput {
    /// Name of the output.
    pub name: String,
    /// Flat indices of the elements.
    pub indices: Vec<u64>,
    /// The elements.
    pub found: Vec<f64>,
    /// What they should be.
    pub expected: Vec<f64>,
}

/// Poison and NaN found in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scan {
    /// Number of elements that still hold the poison.
    pub poisoned: u64,
    /// Index of the first poisoned element.
    pub first_poisoned: u64,
    /// Number of NaN elements other than poison.
    pub nans: u64,
    /// Index of the first NaN.
    pub first_nan: u64,
}
