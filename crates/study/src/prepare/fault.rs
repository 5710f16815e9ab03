//! Why a study cannot begin.

use exchange::{NamedSpacesError, RecordedError};
use plugins::{PluginFault, UnknownStage};
use records::{FileFault, FolderError, JournalError, settings::DeviceSpec};
use registry::Unknown;
use worker::{DeviceChoice, WorkerFault};

use crate::{PlanFault, StudyFault};

/// Why a study cannot begin: wrong settings, a benchmark or a device that cannot be used, or the machine.
#[derive(Debug, thiserror::Error)]
pub enum PrepareFault {
    /// Neither a benchmark nor a recorded space is named.
    #[error("which benchmark?")]
    NoBenchmark,
    /// A knee is sought on a recorded space.
    #[error("a recorded space has one size, so it has no knee")]
    KneeOfRecorded,
    /// A stage of a recorded space is named.
    #[error("a recorded space has no stages")]
    StageOfRecorded,
    /// A recorded space is to be controlled.
    #[error("a recorded space has no device to control")]
    ControlOfRecorded,
    /// A search for a front is to learn from others.
    #[error("--learn-from is for one objective")]
    LearnsForFront,
    /// A control makes no sense.
    #[error("--control {text}: {why}")]
    Control {
        /// As given.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// A control has the name of one of the benchmark's parameters.
    #[error("`{0}` is a parameter of the benchmark, and so not one that sets the device")]
    ControlIsParameter(String),
    /// A recorded space stands where a device must be.
    #[error("`{0}` is a recorded space, not a device")]
    NotADevice(DeviceSpec),
    /// One device must be named.
    #[error("`{0}` is several devices; name one of them")]
    SeveralDevices(DeviceSpec),
    /// There is no such kind of device.
    #[error(transparent)]
    NoBackend(Unknown),
    /// The devices are of different models; one sentence.
    #[error("{0}")]
    DifferentModels(String),
    /// What the study is about has changed since it began.
    #[error("the study cannot go on as it was: {}", .0.join("; "))]
    Changed(Vec<String>),
    /// The settings make no plan.
    #[error(transparent)]
    Plan(#[from] PlanFault),
    /// There is no such benchmark.
    #[error(transparent)]
    NotFound(#[from] PluginFault),
    /// The benchmark has no such stage.
    #[error(transparent)]
    Stage(#[from] UnknownStage),
    /// Parameters or restrictions make no space; one sentence.
    #[error("{0}")]
    Space(String),
    /// A recorded space cannot be read.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// What it is to learn from cannot be read.
    #[error(transparent)]
    LearnsFrom(#[from] NamedSpacesError),
    /// The benchmark cannot be used.
    #[error("{message}")]
    Benchmark {
        /// One sentence.
        message: String,
        /// What the worker met, if it was asked.
        fault: Option<WorkerFault>,
    },
    /// The device cannot be used.
    #[error(transparent)]
    Device(WorkerFault),
    /// There are no devices of the kind; why, and how to get them.
    #[error("{0}")]
    NoDevices(String),
    /// There is no such device.
    #[error("there is no `{}:{}`", .0.backend, .0.ordinal)]
    NoSuchDevice(DeviceChoice),
    /// The device cannot be set; one sentence.
    #[error("{0}")]
    NotControlled(String),
    /// What a killed study has left set cannot be undone.
    #[error(transparent)]
    NotRestored(WorkerFault),
    /// No worker process can be started.
    #[error(transparent)]
    NoWorker(WorkerFault),
    /// A folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal of a study that goes on cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The records of a study that begins cannot be written.
    #[error(transparent)]
    Records(#[from] StudyFault),
    /// A fault of autobench itself; one sentence.
    #[error("{0}")]
    Bug(String),
}
