//! Why a study cannot begin.

use exchange::{NamedSpacesError, RecordedError};
use plugins::{PluginFault, UnknownStage};
use records::{FileFault, FolderError, JournalError, settings::DeviceSpec};
use registry::Unknown;
use worker::{DeviceChoice, WorkerFault};

use crate::{PlanFault, StudyFault};

/// Why a study cannot begin: wrong settings, an unusable benchmark or device, or the machine.
#[derive(Debug, thiserror::Error)]
pub enum PrepareFault {
    /// Neither a benchmark nor a recorded space is named.
    #[error("which benchmark?")]
    NoBenchmark,
    /// The settings ask for a knee on a recorded space.
    #[error("a recorded space has one size, so it has no knee")]
    KneeOfRecorded,
    /// The settings name a stage of a recorded space.
    #[error("a recorded space has no stages")]
    StageOfRecorded,
    /// The settings control the device of a recorded space.
    #[error("a recorded space has no device to control")]
    ControlOfRecorded,
    /// A control cannot be parsed.
    #[error("--control {text}: {why}")]
    Control {
        /// The control as given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A control and a parameter of the benchmark have the same name.
    #[error("`{0}` is a parameter of the benchmark, and so not one that sets the device")]
    ControlIsParameter(String),
    /// A recorded space is named instead of a device.
    #[error("`{0}` is a recorded space, not a device")]
    NotADevice(DeviceSpec),
    /// A device is named for a benchmark that brings its own.
    #[error(
        "the benchmark is a program with its own device, so `--device {0}` cannot be; leave it out"
    )]
    GuestHasDevice(DeviceSpec),
    /// Several devices are named instead of one.
    #[error("`{0}` is several devices; name one of them")]
    SeveralDevices(DeviceSpec),
    /// There is no such backend.
    #[error(transparent)]
    NoBackend(Unknown),
    /// The devices are of different models. Holds one sentence.
    #[error("{0}")]
    DifferentModels(String),
    /// The device, the compiler or a hash differs from the record of the study.
    #[error("the study cannot go on as it was: {}", .0.join("; "))]
    Changed(Vec<String>),
    /// The settings do not give a plan.
    #[error(transparent)]
    Plan(#[from] PlanFault),
    /// There is no such benchmark.
    #[error(transparent)]
    NotFound(#[from] PluginFault),
    /// The benchmark has no such stage.
    #[error(transparent)]
    Stage(#[from] UnknownStage),
    /// Parameters or restrictions do not give a space. Holds one sentence.
    #[error("{0}")]
    Space(String),
    /// A recorded space cannot be read.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The prior cannot be read.
    #[error(transparent)]
    LearnsFrom(#[from] NamedSpacesError),
    /// The benchmark cannot be used.
    #[error("{message}")]
    Benchmark {
        /// What is wrong, in one sentence.
        message: String,
        /// The worker's fault, if a worker was asked.
        fault: Option<WorkerFault>,
    },
    /// The device cannot be used.
    #[error(transparent)]
    Device(WorkerFault),
    /// The backend has no devices. Holds the reason and the remedy.
    #[error("{0}")]
    NoDevices(String),
    /// There is no such device.
    #[error("there is no `{}:{}`", .0.backend, .0.ordinal)]
    NoSuchDevice(DeviceChoice),
    /// The device's clocks or power limit cannot be set. Holds one sentence.
    #[error("{0}")]
    NotControlled(String),
    /// Clocks and power limits that a killed study left set cannot be restored.
    #[error(transparent)]
    NotRestored(WorkerFault),
    /// No worker process can be started.
    #[error(transparent)]
    NoWorker(WorkerFault),
    /// The study's folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal of a resumed study cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The records of a new study cannot be written.
    #[error(transparent)]
    Records(#[from] StudyFault),
    /// A bug of autobench. Holds one sentence.
    #[error("{0}")]
    Bug(String),
}
