//! What a device is given to do, and what comes back.

use autobench_sdk::document::Fill;

use crate::{accuracy::Element, workload::Launch};

/// A compiled configuration, by number within its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kernel(pub u64);

/// Memory on the device: one of the equal slots of a ring, which is known by its number. Most rings
/// have one slot; those of arguments that are measured cold have many, with the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// The ring's number within its device.
    pub ring: u64,
    /// The slot, counted from 0.
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
    /// The generator (never `Plugin` or `File`: those are written from the host).
    pub fill: Fill,
    /// The study's seed.
    pub seed: u64,
    /// The argument's position among the benchmark's arguments.
    pub argument: u32,
    /// The elements' format.
    pub element: Element,
    /// How many elements.
    pub count: u64,
}

/// One argument of a launch.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgumentValue {
    /// A whole buffer.
    Buffer(Buffer),
    /// A buffer bound to the constant symbol of this name, not passed.
    Constant(String, Buffer),
    /// A scalar's bytes, little-endian.
    Scalar(Vec<u8>),
}

/// A launch with the values of its arguments, as a device takes it.
pub type BoundLaunch = Launch<ArgumentValue>;

/// What is done to the caches right before a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caches {
    /// They are flushed.
    Flushed,
    /// Nothing: they are as the run before left them.
    Kept,
}

/// What became of a ring that kernels may only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// It is as it was, or was never sealed.
    Whole,
    /// A kernel has written it: the slot and the byte in it, where that is known.
    Broken(Option<(u32, u64)>),
}

/// The runs of a sample, back to back: each uses the next slot of every ring, beginning again behind
/// a ring's last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// How many runs.
    pub runs: u32,
    /// The slot of the first run; of rings with fewer slots, what is left after whole turns.
    pub first: u32,
}

impl Turns {
    /// So many runs from the first slot on.
    #[must_use]
    pub const fn of(runs: u32) -> Self {
        Self { runs, first: 0 }
    }
}

/// A sample.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timed {
    /// Seconds of one run: the mean of the sample's runs.
    pub seconds: f64,
    /// What happened meanwhile that is none of the kernel's doing.
    pub disturbance: Disturbance,
}

/// What others did while a sample was taken, as far as the machine tells.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Disturbance {
    /// Seconds that a thread which ran it waited for its core.
    pub waited: f64,
    /// Seconds that a virtual machine did not get of the cores in use (counted in hundredths).
    pub stolen: f64,
    /// Whether heat or a limit of power held the clock down.
    pub throttled: bool,
}

impl Disturbance {
    /// Seconds that others took.
    #[must_use]
    pub fn lost(&self) -> f64 {
        self.waited + self.stolen
    }
}

/// What a scan of a buffer found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scan {
    /// Elements that still hold the poison, and the first of them.
    pub poisoned: u64,
    /// Index of the first.
    pub first_poisoned: u64,
    /// Elements that are NaN, without those that are poison.
    pub nans: u64,
    /// Index of the first.
    pub first_nan: u64,
}
