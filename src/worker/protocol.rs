//! The requests and replies between the program and its worker, one JSON document each.

use std::{collections::BTreeMap, path::PathBuf};

use autobench_sdk::document::Document;
use serde::{Deserialize, Serialize};

pub use crate::plugins::Locator;
use crate::{
    backends::{Control, DeviceInfo},
    records::{CachesRecord, Costs, Named, Noise, Outcome, Round, Steadiness},
    settings::Verification,
};

/// A device, as `--device cpu` or `--device cuda:1` names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceChoice {
    /// The backend's name.
    pub backend: String,
    /// Its position among the backend's devices.
    pub ordinal: usize,
}

/// What a worker needs before it can measure; replayed after a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The benchmark.
    pub benchmark: Locator,
    /// The device.
    pub device: DeviceChoice,
    /// The study's seed: inputs are a function of it.
    pub seed: u64,
    /// Compiled kernels are kept here between runs.
    pub cache: Option<PathBuf>,
    /// Workers that share the machine's cores, this one included.
    pub workers: usize,
    /// Whether every sample finds its data in memory, and not in a cache.
    pub cold: bool,
}

/// How a configuration is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasurePlan {
    /// Untimed runs first (the checked run is one already).
    pub warmup: u32,
    /// Fewest samples.
    pub min_samples: u32,
    /// Most samples.
    pub max_samples: u32,
    /// Stop when half the 95 % interval of the median is below this share of it.
    pub precision: f64,
    /// Accumulated kernel time, in seconds, below which the precise exit is not taken.
    pub min_seconds: f64,
    /// Wall seconds after which sampling stops (*unsettled*).
    pub max_seconds: f64,
    /// The best configuration known at this size: sampled in turn with the one that is measured.
    pub beside: Option<Named>,
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
            checking: Checking::default(),
        }
    }
}

/// How results are checked before they are timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checking {
    /// What is compared.
    pub verification: Verification,
    /// Overrides the document's bound; an error above it is still `measured` while the search
    /// weighs it (the penalty is `tuning`'s), unless it is above `reject`.
    pub bound: Option<f64>,
    /// Errors above this are `wrong-result` at once; missing means the bound itself.
    pub reject: Option<f64>,
    /// A seed other than the study's: finalists are checked on fresh inputs.
    pub seed: Option<u64>,
}

impl Default for Checking {
    fn default() -> Self {
        Self { verification: Verification::Sampled, bound: None, reject: None, seed: None }
    }
}

/// A configuration of a size that takes part in rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entrant {
    /// The problem size.
    pub size: u64,
    /// The configuration.
    pub configuration: Named,
}

/// What rounds gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundsTaken {
    /// Runs in a sample of each entrant; 0 for those that could not take part.
    pub batches: Vec<u32>,
    /// Why entrants dropped out, by position.
    pub dropped: Vec<(usize, Outcome)>,
    /// The rounds in order; as many as there was time for.
    pub rounds: Vec<Round>,
    /// Why none of them counts, though nobody knows whose doing it was.
    pub spoilt: Option<String>,
    /// Wall seconds, by what they were spent on.
    pub costs: Costs,
}

/// What can be looked at on a device by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Examination {
    /// How fast it copies within its own memory.
    Copy,
    /// Whether cold samples are cold there, for buffers of these shares of the last cache.
    Cold {
        /// Shares, above 0 and at most 1.
        shares: Vec<f64>,
    },
    /// How steady it is: the same work, again and again. What follows goes on with the same work.
    Steadiness {
        /// For so long.
        seconds: f64,
    },
}

/// What the program asks of its worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Every backend's devices.
    Devices,
    /// Looks at a device without a benchmark.
    Examine {
        /// The device; it stays open for the next examination.
        device: DeviceChoice,
        /// What is looked at.
        examination: Examination,
    },
    /// Sets the clock or the limit of power of a device, noted for the process `owner`.
    Control {
        /// The backend's name.
        backend: String,
        /// The device's address.
        address: String,
        /// The study's process.
        owner: u32,
        /// What is set.
        wanted: Control,
    },
    /// Undoes what was set for a process, or for all that are gone.
    Restore {
        /// The process, if one is meant.
        owner: Option<u32>,
    },
    /// Loads a benchmark and hands back its document.
    Describe(Locator),
    /// Loads a benchmark and opens a device: before any request below.
    Setup(Setup),
    /// The device's facts now.
    DeviceInfo,
    /// The plugin's own footprint of a size, if it has one.
    Footprint {
        /// The problem size.
        size: u64,
        /// The configuration.
        configuration: Named,
    },
    /// The metrics that the plugin itself derives from a run time, if it does.
    Derive {
        /// The problem size.
        size: u64,
        /// The configuration.
        configuration: Named,
        /// Seconds per run.
        seconds: f64,
    },
    /// Compiles these at once, so that measuring them finds them ready.
    Compile {
        /// The problem size.
        size: u64,
        /// The configurations.
        configurations: Vec<Named>,
    },
    /// Compiles one configuration by itself, if it was compiled together with others.
    CompileAlone {
        /// The problem size.
        size: u64,
        /// The configuration.
        configuration: Named,
    },
    /// Loads the kernel of one configuration.
    Load {
        /// The problem size.
        size: u64,
        /// The configuration.
        configuration: Named,
    },
    /// Compiles, checks and measures one configuration.
    Measure {
        /// The problem size.
        size: u64,
        /// The configuration.
        configuration: Named,
        /// How.
        plan: MeasurePlan,
    },
    /// Measures several that are known to be right, their samples interleaved.
    Interleave {
        /// The problem size.
        size: u64,
        /// The configurations.
        configurations: Vec<Named>,
        /// How.
        plan: MeasurePlan,
    },
    /// Measures configurations of many sizes in rounds: each once in every round it takes part in.
    Rounds {
        /// Who takes part.
        entrants: Vec<Entrant>,
        /// For every round, the entrants' positions in the order of their samples.
        orders: Vec<Vec<usize>>,
        /// No round begins after this many seconds.
        seconds: f64,
        /// How results are checked before an entrant's first round.
        checking: Checking,
    },
    /// Whether cold samples are cold: a read of a buffer that the last cache holds, hot, cold, and
    /// from memory.
    ProveCold {
        /// The buffer's size as shares of the last cache.
        shares: Vec<f64>,
    },
    /// Compares two interleaved series of the same configuration.
    Noise {
        /// The problem size.
        size: u64,
        /// The configuration.
        configuration: Named,
    },
    /// The exact source, flags and geometry of a configuration, for people.
    Explain {
        /// The problem size.
        size: u64,
        /// The configuration.
        configuration: Named,
    },
}

/// What the worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    /// For `Devices`: each backend's name and its devices, or why there are none.
    Devices(Vec<(String, Result<Vec<DeviceInfo>, crate::backends::Missing>)>),
    /// For `Control`, and for `Restore`: what was undone, one sentence each.
    Restored(Vec<String>),
    /// For `Examination::Copy`.
    Copied {
        /// Bytes of a copy: as many are read and as many are written.
        bytes: u64,
        /// Seconds of each copy, in the order they were made.
        seconds: Vec<f64>,
    },
    /// For `Describe`.
    Document(Box<Document>),
    /// For `Setup` and `DeviceInfo`.
    Device(Box<DeviceInfo>),
    /// For `Footprint`: missing when the plugin has none of its own.
    Footprint(Option<u64>),
    /// For `Derive`: all metrics by name; missing when the document's formulas say them all.
    Derived(Option<BTreeMap<String, f64>>),
    /// For `Compile`: how long it took in seconds, and how many are compiled anew, now or (on
    /// devices that this does not disturb) while others are measured.
    Compiled {
        /// Wall seconds.
        seconds: f64,
        /// Those that were not known yet.
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
    /// For `Explain`.
    Text(String),
    /// The device does nothing any more in this process, and why: only a new worker can go on.
    Lost(String),
    /// The machine lacks what serving takes, and what: it says nothing of what was asked for.
    Lacking(String),
    /// The request cannot be served; one sentence.
    Refused(String),
}
