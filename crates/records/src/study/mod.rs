//! `study.json`: the plan of a study, its device and its software; written once, before the first
//! measurement.

pub(crate) mod folder;
pub(crate) mod front;
pub(crate) mod gain;
pub(crate) mod macros;
pub(crate) mod precision;
pub(crate) mod precision_gains;
pub(crate) mod round_records;
pub(crate) mod size_points;
pub(crate) mod stages;
pub(crate) mod state;
pub(crate) mod steadiness;
pub(crate) mod view;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::settings::{Bounds, Sense, StudySettings};

/// Version of the format that this program writes.
pub const STUDY_VERSION: u32 = 1;

/// Word that marks a file as a study.
pub const STUDY_FORMAT: &str = "autobench-study";

/// Name of the hash of a study's prior.
pub const MEMORY_HASH: &str = "memory";

/// Name of the hash of a benchmark's library or document.
pub const PLUGIN_HASH: &str = "plugin";

/// Backend name of studies on a recorded space.
pub const REPLAY: &str = "replay";

/// The machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// Host name.
    pub name: String,
    /// Operating system and kernel.
    pub system: String,
    /// Instruction set.
    pub architecture: String,
    /// Name of the processor.
    pub processor: String,
    /// Hardware threads that this process may use.
    pub threads: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Whether workers were cut off from the network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub isolated: bool,
}

/// The device that was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceRecord {
    /// Name of the backend.
    pub backend: String,
    /// Position among the backend's devices.
    pub ordinal: usize,
    /// Further devices of the same model that share the work, as `--device` names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// The device's own name.
    pub name: String,
    /// The compiler with its version.
    pub compiler: String,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory that were free when the study started.
    pub memory_free: u64,
    /// Theoretical bytes per second, if known.
    pub peak_bandwidth: Option<f64>,
    /// Theoretical f32 operations per second, if known.
    pub peak_flops: Option<f64>,
    /// Other facts, by name: cores, caches, driver, clocks…
    pub facts: BTreeMap<String, String>,
    /// Reasons to distrust timings, one sentence each.
    pub warnings: Vec<String>,
}

/// The metric whose saturation is sought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricRecord {
    /// Name.
    pub name: String,
    /// Unit for display.
    pub unit: String,
    /// Better direction.
    pub sense: Sense,
}

impl Default for MetricRecord {
    fn default() -> Self {
        Self { name: String::new(), unit: String::new(), sense: Sense::Maximise }
    }
}

/// The benchmark of a study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BenchmarkRecord {
    /// Name.
    pub name: String,
    /// What the kernel computes, in one sentence.
    pub about: String,
    /// Meaning of one unit of size.
    pub size_meaning: String,
    /// The metric whose saturation is sought.
    pub secondary: MetricRecord,
    /// Error metric and its bound.
    pub error: (String, f64),
    /// Origin of the reference, in words: "unverified: self-reference" if nothing better exists.
    pub reference: String,
    /// The benchmark's whole document.
    pub document: serde_json::Value,
}

impl BenchmarkRecord {
    /// Names of the errors that the document defines by expressions.
    #[must_use]
    pub fn own_errors(&self) -> Vec<String> {
        let stated = self.document["errors"].as_array().into_iter().flatten();
        stated.filter_map(|error| Some(error.get("name")?.as_str()?.to_owned())).collect()
    }
}

/// A study before its first measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyRecord {
    /// [`STUDY_FORMAT`].
    pub format: String,
    /// [`STUDY_VERSION`].
    pub version: u32,
    /// Version of autobench.
    pub autobench: String,
    /// The command, as typed.
    pub argv: Vec<String>,
    /// When it started.
    pub started: DateTime<Utc>,
    /// The machine.
    #[serde(default)]
    pub host: Host,
    /// The device.
    #[serde(default)]
    pub device: DeviceRecord,
    /// The benchmark.
    #[serde(default)]
    pub benchmark: BenchmarkRecord,
    /// SHA-256 in hex of everything that results depend on, by kind: `document`, `plugin` or
    /// `bundled plugin`, `kernel`.
    #[serde(default)]
    pub hashes: BTreeMap<String, String>,
    /// The user's settings.
    #[serde(default)]
    pub settings: StudySettings,
    /// Sources of the prior of its searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnt_from: Vec<LearntFrom>,
}

/// Recorded evaluations that are a source of the prior.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LearntFrom {
    /// Name of the source: a file or a study.
    pub name: String,
    /// Number of evaluations.
    pub evaluations: u64,
    /// Reason against the source, if there is one: searches then do not begin with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
}

impl StudyRecord {
    /// The record of a study that starts now.
    #[must_use]
    pub fn new(
        argv: Vec<String>,
        host: Host,
        device: DeviceRecord,
        benchmark: BenchmarkRecord,
        settings: StudySettings,
    ) -> Self {
        Self {
            format: STUDY_FORMAT.to_owned(),
            version: STUDY_VERSION,
            autobench: env!("CARGO_PKG_VERSION").to_owned(),
            argv,
            started: Utc::now(),
            host,
            device,
            benchmark,
            hashes: BTreeMap::new(),
            settings,
            learnt_from: Vec::new(),
        }
    }

    /// Bounds that reported configurations keep.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let own = self.benchmark.error.1;
        self.settings.all_bounds((own > 0.0).then_some(own))
    }

    /// The metric that tuning improves: the user's, otherwise the benchmark's own.
    #[must_use]
    pub fn objective(&self) -> &str {
        let own = || self.benchmark.document["primary"].as_str().filter(|own| !own.is_empty());
        match self.settings.objective.metric.as_str() {
            "" => own().unwrap_or("seconds"),
            asked => asked,
        }
    }

    /// Whether a recorded space stands in for the device.
    #[must_use]
    pub fn is_replayed(&self) -> bool {
        self.device.backend == REPLAY
    }

    /// Whether sizes are numbers of something. Most recorded spaces have one problem, whose size is no
    /// number, and a study of them calls it 1.
    #[must_use]
    pub fn has_sizes(&self) -> bool {
        !self.is_replayed() || !self.benchmark.size_meaning.is_empty()
    }

    /// A size as a number for readers; `None` if the study's sizes are no numbers.
    #[must_use]
    pub fn size(&self, size: u64) -> Option<u64> {
        self.has_sizes().then_some(size)
    }

    /// Theoretical limit of the device, in the unit of the secondary metric, with its name; `None`
    /// if unknown.
    #[must_use]
    pub fn limit(&self) -> Option<(f64, &'static str)> {
        let unit = self.benchmark.secondary.unit.as_str();
        let (factor, quantity) = unit.split_at_checked(1)?;
        let factor = match factor {
            "M" => 1e6,
            "G" => 1e9,
            "T" => 1e12,
            _ => return None,
        };
        let (peak, what) = match quantity {
            "B/s" => (self.device.peak_bandwidth?, "peak bandwidth of the device"),
            "FLOP/s" | "flop/s" | "FLOPS" => {
                (self.device.peak_flops?, "peak f32 rate of the device")
            }
            _ => return None,
        };
        Some((peak / factor, what))
    }

    /// Differences between this study and a resumed one that matter to results, one sentence each.
    #[must_use]
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: &str, then: &str, now: &str| {
            if then != now {
                found.push(format!("the {what} was `{then}` and is `{now}` now"));
            }
        };
        compare("device", &self.device.name, &now.device.name);
        compare("compiler", &self.device.compiler, &now.device.compiler);
        let names = self.hashes.keys().chain(now.hashes.keys());
        for name in names.collect::<std::collections::BTreeSet<_>>() {
            let hash = |record: &Self| record.hashes.get(name).cloned().unwrap_or_default();
            let short = |hash: &str| hash.chars().take(12).collect::<String>();
            compare(&format!("hash of the {name}"), &short(&hash(self)), &short(&hash(now)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(unit: &str) -> StudyRecord {
        let device = DeviceRecord {
            peak_bandwidth: Some(2e12),
            peak_flops: Some(19.5e12),
            ..DeviceRecord::default()
        };
        let mut benchmark = BenchmarkRecord::default();
        benchmark.secondary.unit = unit.to_owned();
        StudyRecord::new(vec![], Host::default(), device, benchmark, StudySettings::default())
    }

    #[test]
    fn the_limit_is_in_the_unit_of_the_metric() {
        assert_eq!(record("GB/s").limit().map(|l| l.0), Some(2000.0));
        assert_eq!(record("TFLOP/s").limit().map(|l| l.0), Some(19.5));
        assert_eq!(record("images/s").limit(), None);
        assert_eq!(record("").limit(), None);
    }

    #[test]
    fn a_changed_compiler_or_kernel_is_named() {
        let then = record("GB/s");
        let mut now = then.clone();
        assert!(then.differences(&now).is_empty());
        now.device.compiler = "g++ 13".to_owned();
        now.hashes.insert("kernel".to_owned(), "abc".to_owned());
        let found = then.differences(&now);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("g++ 13"));
    }

    #[test]
    fn a_record_survives_its_file() {
        let then = record("GB/s");
        let text = serde_json::to_string(&then).expect("plain data");
        assert_eq!(serde_json::from_str::<StudyRecord>(&text).expect("own format"), then);
    }
}
