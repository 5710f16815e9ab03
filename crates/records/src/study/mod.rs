//! `study.json`: what was run, on what, with what; written once, before the first measurement.

pub(crate) mod folder;
pub(crate) mod front;
pub(crate) mod gain;
pub(crate) mod macros;
pub(crate) mod pace;
pub(crate) mod precision;
pub(crate) mod precision_gains;
pub(crate) mod round_records;
pub(crate) mod size_points;
pub(crate) mod stages;
pub(crate) mod state;
pub(crate) mod steadiness;
pub(crate) mod tempo;
pub(crate) mod view;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::settings::{Bounds, Sense, StudySettings};

/// Version of the format that this program writes.
pub const STUDY_VERSION: u32 = 1;

/// Word that marks a file as a study.
pub const STUDY_FORMAT: &str = "autobench-study";

/// Name of the hash of what a study learnt from.
pub const MEMORY_HASH: &str = "memory";

/// Name of the hash of the file that a benchmark comes from.
pub const PLUGIN_HASH: &str = "plugin";
/// And where that lies beside the program, which was built with it.
pub const BUNDLED_HASH: &str = "bundled plugin";

/// Backend name of a study on a recorded space.
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
}

/// The device that was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceRecord {
    /// Name of the backend.
    pub backend: String,
    /// Position among the backend's devices.
    pub ordinal: usize,
    /// Devices of the same model that share its work, as `--device` names them.
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
    /// Theoretical bytes per second, where known.
    pub peak_bandwidth: Option<f64>,
    /// Theoretical f32 operations per second, where known.
    pub peak_flops: Option<f64>,
    /// Other facts, by name (cores, caches, driver, clocks…).
    pub facts: BTreeMap<String, String>,
    /// Reasons to distrust timings, one sentence each.
    pub warnings: Vec<String>,
}

/// Metric whose saturation is sought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricRecord {
    /// Name.
    pub name: String,
    /// Unit, as printed.
    pub unit: String,
    /// Better direction.
    pub sense: Sense,
}

impl Default for MetricRecord {
    fn default() -> Self {
        Self { name: String::new(), unit: String::new(), sense: Sense::Maximise }
    }
}

/// The benchmark.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BenchmarkRecord {
    /// Name.
    pub name: String,
    /// What it computes, in one sentence.
    pub about: String,
    /// Meaning of one unit of size.
    pub size_meaning: String,
    /// Metric whose saturation is sought.
    pub secondary: MetricRecord,
    /// Error metric and its bound.
    pub error: (String, f64),
    /// Reference of results, in words ("unverified: self-reference" if nothing better exists).
    pub reference: String,
    /// The whole document.
    pub document: serde_json::Value,
}

impl BenchmarkRecord {
    /// Names of the errors that its document defines by expressions.
    #[must_use]
    pub fn own_errors(&self) -> Vec<String> {
        let stated = self.document["errors"].as_array().into_iter().flatten();
        stated.filter_map(|error| Some(error.get("name")?.as_str()?.to_owned())).collect()
    }
}

/// A study, before anything was measured.
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
    /// SHA-256 in hex of what results depend on, by kind: `document`, `plugin` or `bundled plugin`, `kernel`.
    #[serde(default)]
    pub hashes: BTreeMap<String, String>,
    /// Settings of the user.
    #[serde(default)]
    pub settings: StudySettings,
    /// What its searches learn from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnt_from: Vec<LearntFrom>,
}

/// Recorded evaluations that searches learnt from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LearntFrom {
    /// What they are called: their files or studies.
    pub name: String,
    /// Number of evaluations.
    pub evaluations: u64,
    /// What speaks against it, if anything does: searches do not begin with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
}

impl StudyRecord {
    /// A study that starts now.
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

    /// What reported configurations keep to.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let own = self.benchmark.error.1;
        self.settings.all_bounds((own > 0.0).then_some(own))
    }

    /// Metric that tuning improves: the user's, or else the benchmark's own.
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

    /// Theoretical limit of the device in the secondary metric's unit, and its name; if known.
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

    /// What was asked for, without what is up to chance and to whoever asks: its seed and tags, where the benchmark
    /// that the folder names lies, how long it waits for the machine, and which recordings it learns from: these grow in
    /// number.
    #[must_use]
    pub fn request(&self) -> StudySettings {
        let mut settings = self.settings.clone();
        settings.benchmark.clear();
        settings.tags.clear();
        settings.seed = 0;
        settings.budget.overtime = None;
        settings.learn_from.clear();
        settings
    }

    /// Tells studies apart that have different answers: in hex, of the request, the device, its compiler, the
    /// sources and the version of autobench. A benchmark that is linked into the program and the one in a library beside it,
    /// which was built with it, are the same.
    #[must_use]
    pub fn plan(&self) -> String {
        let device = (&self.host.name, &self.device.name, &self.device.compiler);
        let mut hashes = self.hashes.clone();
        hashes.remove(MEMORY_HASH);
        hashes.remove(BUNDLED_HASH);
        let all = serde_json::to_vec(&(self.request(), device, hashes, &self.autobench));
        Sha256::digest(all.expect("plain data"))
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect()
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
    fn a_plan_is_the_same_whatever_its_seed_and_place_and_another_for_another_kernel() {
        let then = record("GB/s");
        let mut now = then.clone();
        now.settings.seed += 1;
        now.settings.tags.push("again".to_owned());
        now.settings.benchmark = "/elsewhere/vecadd".to_owned();
        now.settings.budget.overtime = Some(0.0);
        now.settings.learn_from.push("logs".into());
        now.hashes.insert(MEMORY_HASH.to_owned(), "abc".to_owned());
        assert_eq!((now.plan(), now.plan().len()), (then.plan(), 16));
        let other = |change: &dyn Fn(&mut StudyRecord)| {
            let mut other = then.clone();
            change(&mut other);
            other.plan()
        };
        let others = [
            other(&|record| record.settings.max_error = Some(1e-3)),
            other(&|record| record.device.compiler = "g++ 13".to_owned()),
            other(&|record| record.autobench = "other".to_owned()),
            other(&|record| record.hashes = [("kernel".to_owned(), "abc".to_owned())].into()),
        ];
        assert!(!others.contains(&then.plan()));
    }

    #[test]
    fn a_benchmark_beside_the_program_is_the_one_in_it_and_a_plugin_is_not() {
        let linked = record("GB/s");
        let of = |kind: &str| {
            let hashes = [(kind.to_owned(), "abc".to_owned())].into();
            StudyRecord { hashes, ..linked.clone() }.plan()
        };
        assert_eq!(of(BUNDLED_HASH), linked.plan());
        assert_ne!(of(PLUGIN_HASH), linked.plan());
    }

    #[test]
    fn a_record_survives_its_file() {
        let then = record("GB/s");
        let text = serde_json::to_string(&then).expect("plain data");
        assert_eq!(serde_json::from_str::<StudyRecord>(&text).expect("own format"), then);
    }
}
