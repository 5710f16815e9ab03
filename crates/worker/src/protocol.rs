//! Requests and replies between the program and its worker. Each is one JSON document.

use std::{collections::BTreeMap, path::PathBuf};

use autobench_sdk::document::Document;
use device::{Control, DeviceInfo};
pub use plugins::Locator;
use records::{
    CachesRecord, Costs, Named, Noise, Outcome, Round, Steadiness, settings::Verification,
};
use serde::{Deserialize, Serialize};

/// A device, as named by `--device cpu` or `--device cuda:1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceChoice {
    /// Name of the backend.
    pub backend: String,
    /// Position among the backend's devices.
    pub ordinal: usize,
}

/// What a worker needs before it can measure. Sent again after a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The benchmark.
    pub benchmark: Locator,
    /// The stage of the benchmark that is measured alone, if any.
    pub stage: Option<String>,
    /// The device.
    pub device: DeviceChoice,
    /// The study's seed. Inputs are a function of the seed.
    pub seed: u64,
    /// Folder in which compiled kernels are kept between runs.
    pub cache: Option<PathBuf>,
    /// Number of workers that share the machine's cores, this one included.
    pub workers: usize,
    /// Whether samples are cold: data in memory, not in a cache.
    pub cold: bool,
    /// Names of errors that the study needs, in addition to the benchmark's.
    pub errors: Vec<String>,
}

/// How a configuration is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasurePlan {
    /// Untimed runs before the samples, in addition to the checked run.
    pub warmup: u32,
    /// Fewest samples.
    pub min_samples: u32,
    /// Most samples.
    pub max_samples: u32,
    /// Sampling ends when half the median's 95 % interval is below this share of the median.
    pub precision: f64,
    /// Least kernel time, in seconds, before sampling may end as precise.
    pub min_seconds: f64,
    /// Wall seconds after which sampling ends (*unsettled*).
    pub max_seconds: f64,
    /// The incumbent of this size, which is sampled alternating with the measured configuration.
    pub beside: Option<Named>,
    /// Metrics that must be observed. A configuration that is sampled alone is sampled at least as
    /// long as their observers need.
    pub observed: Vec<String>,
    /// How results are checked.
    pub checking: Checking,
}

impl Default for MeasurePlan {
    fn default() -> Self {
        Self {
            warmup: 1,
            min_samples: 10,
            max_samples: 256,
            precision: 0.01,
            min_seconds: 0.005,
            max_seconds: 1.0,
            beside: None,
            observed: Vec::new(),
            checking: Checking::default(),
        }
    }
}

/// How results are checked before they are timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checking {
    /// What is compared.
    pub verification: Verification,
    /// Seed to use instead of the study's: finalists are checked on fresh inputs.
    pub seed: Option<u64>,
}

impl Default for Checking {
    fn default() -> Self {
        Self { verification: Verification::Sampled, seed: None }
    }
}

/// A configuration of a size that takes part in rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// The problem size.
    pub size: u64,
    /// The configuration.
    pub configuration: Named,
}

/// The result of rounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundsTaken {
    /// Runs in a sample of each participant; 0 for participants that could not take part.
    pub batches: Vec<u32>,
    /// Participants that dropped out, by position, with the reason.
    pub dropped: Vec<(usize, Outcome)>,
    /// Whether copies were given other memory first.
    pub moved: bool,
    /// Rounds in order, as many as there was time for.
    pub rounds: Vec<Round>,
    /// Why no round counts, if no single participant can be blamed.
    pub spoilt: Option<String>,
    /// Wall seconds, by what they were spent on.
    pub costs: Costs,
}

/// Tests of a device that need no benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Examination {
    /// Speed of copies within the device's memory.
    Copy,
    /// Whether cold samples are cold on the device.
    Cold {
        /// Sizes of the buffers as shares of the last-level cache, above 0 and at most 1.
        shares: Vec<f64>,
    },
    /// Steadiness: the same work repeated. A later examination continues the same work.
    Steadiness {
        /// Seconds to continue for.
        seconds: f64,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    Devices,
    /// Examines a device without a benchmark.
    Examine {
        /// The device, which stays open for the next examination.
        device: DeviceChoice,
        examination: Examination,
    },
    /// Sets the clock or the power limit of a device.
    Control {
        backend: String,
        address: String,
        /// Number of the study's process, for which the setting is noted.
        owner: u32,
        wanted: Control,
    },
    /// Undoes the settings of a process.
    Restore {
        /// `None` means all processes that no longer run.
        owner: Option<u32>,
    },
    /// Loads a benchmark and returns its document.
    Describe(Locator),
    /// Loads a benchmark and opens a device. All requests below need this first.
    Setup(Setup),
    DeviceInfo,
    /// Asks how long a configuration must be sampled to observe metrics.
    Windows(Vec<String>),
    /// Asks for the footprint that the plugin computes for a size, if it computes one.
    Footprint {
        size: u64,
        configuration: Named,
    },
    /// Asks for the metrics that the plugin derives from a run time, if it derives any.
    Derive {
        size: u64,
        configuration: Named,
        /// Seconds per run.
        seconds: f64,
    },
    /// Compiles configurations together, before they are measured.
    Compile {
        size: u64,
        configurations: Vec<Named>,
    },
    /// Compiles one configuration alone, if it was compiled together with others.
    CompileAlone {
        size: u64,
        configuration: Named,
    },
    Load {
        size: u64,
        configuration: Named,
    },
    /// Compiles, checks and measures one configuration.
    Measure {
        size: u64,
        configuration: Named,
        /// How the configuration is checked and sampled.
        plan: MeasurePlan,
    },
    /// Measures configurations that are known to be right, with interleaved samples.
    Interleave {
        size: u64,
        configurations: Vec<Named>,
        /// How the configurations are checked and sampled.
        plan: MeasurePlan,
    },
    /// Measures configurations of many sizes in rounds.
    Rounds {
        participants: Vec<Participant>,
        /// For every round, positions of participants in the order of their samples.
        orders: Vec<Vec<usize>>,
        /// No round begins after this many seconds.
        seconds: f64,
        /// Whether sizes exchange the memory of their copies first.
        moved: bool,
        /// How results are checked before a participant's first round.
        checking: Checking,
    },
    /// Proves that cold samples are cold, by reading a buffer hot, cold, and from memory.
    ProveCold {
        /// Buffer sizes as shares of the last-level cache.
        shares: Vec<f64>,
    },
    /// A/A run: two interleaved series of one configuration.
    Noise {
        size: u64,
        configuration: Named,
    },
    /// Runs a configuration once and asks for all elements of an output.
    Output {
        size: u64,
        configuration: Named,
        output: String,
    },
    /// Returns source, flags and geometry of a configuration, as text for people.
    Explain {
        size: u64,
        configuration: Named,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    /// For `Devices`: the devices of each backend, or why there are none.
    Devices(Vec<(String, Result<Vec<DeviceInfo>, device::Missing>)>),
    /// For `Control` and `Restore`: what was undone, a sentence each.
    Restored(Vec<String>),
    /// For `Examination::Copy`.
    Copied {
        /// Bytes of a copy. The device reads and writes this many.
        bytes: u64,
        /// Seconds of each copy, in order.
        seconds: Vec<f64>,
    },
    /// For `Describe`.
    Document(Box<Document>),
    /// For `Setup` and `DeviceInfo`.
    Device(Box<DeviceInfo>),
    /// For `Windows`: the seconds that each metric takes; nothing observes the others here.
    Windows(BTreeMap<String, f64>),
    /// For `Footprint`; `None` if the plugin computes none.
    Footprint(Option<u64>),
    /// For `Derive`: metrics by name; `None` if the document's formulas give all metrics.
    Derived(Option<BTreeMap<String, f64>>),
    /// For `Compile`.
    Compiled {
        seconds: f64,
        /// Configurations that were new. They are compiled now or while others are measured.
        fresh: usize,
    },
    /// For `Measure` and `Interleave`.
    Outcomes(Vec<Outcome>),
    /// For `Rounds`.
    Rounds(RoundsTaken),
    /// For `ProveCold` and `Examination::Cold`.
    Proof(CachesRecord),
    /// For `Examination::Steadiness`.
    Steadiness(Steadiness),
    /// For `Noise`.
    Noise(Noise),
    /// For `Output`.
    Values(Vec<f64>),
    /// For `Explain`.
    Text(String),
    /// The device is lost to this process. Holds why; only a new worker can go on.
    Lost(String),
    /// The machine lacks something that serving needs. Holds what; says nothing about the request.
    Lacking(String),
    /// The request cannot be served. Holds why, in one sentence.
    Refused(String),
}
