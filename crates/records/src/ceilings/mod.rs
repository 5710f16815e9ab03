//! `ceilings.json`: the limits of a device, as a profile measured them.

pub(crate) mod used;

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{DeviceRecord, FolderError, Host, Named, read_record, slug, write_record};

/// File of the ceilings in a profile's folder.
pub const CEILINGS_FILE: &str = "ceilings.json";

/// Word that marks a file as ceilings.
pub const CEILINGS_FORMAT: &str = "autobench-ceilings";

/// Version of the format that this program writes.
pub const CEILINGS_VERSION: u32 = 1;

/// What a ceiling limits.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum CeilingKind {
    /// Bytes per second that kernels move.
    #[default]
    Bandwidth,
    /// Operations per second; a multiply-add counts as two.
    Arithmetic,
    /// Seconds of a load that depends on the previous load.
    Latency,
    /// Seconds of an empty launch.
    Launch,
    /// Atomic additions per second.
    Atomics,
}

/// A limit of a device, with how it was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceiling {
    /// Which kind of limit this is.
    pub kind: CeilingKind,
    /// What the limit applies to: `memory`, `up to 1 MiB`, a number format, or `4096 places`.
    pub of: String,
    /// Median, in B/s, FLOP/s or 1/s; in seconds for latencies and launches.
    pub value: f64,
    /// 95 % interval of the value.
    pub interval: (f64, f64),
    /// Number of samples behind it.
    pub samples: u64,
    /// Bytes of the largest working set that this cache level held; `None` for main memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach: Option<u64>,
    /// The theoretical value from the vendor's specifications, where the driver reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_theory: Option<f64>,
    /// The benchmark that reached the limit.
    pub benchmark: String,
    /// Size of that benchmark's run.
    pub size: u64,
    /// Configuration of that benchmark's run.
    pub configuration: Named,
    /// Folder of the benchmark's study inside the profile's folder.
    pub study: String,
    /// Name of the profile's folder, if the value comes from an earlier profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// The ceilings of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CeilingsRecord {
    /// [`CEILINGS_FORMAT`].
    pub format: String,
    /// [`CEILINGS_VERSION`].
    pub version: u32,
    /// Version of autobench.
    pub autobench: String,
    /// When the profile began.
    pub measured: DateTime<Utc>,
    /// Name of the profile's folder.
    pub profile: String,
    /// The machine.
    #[serde(default)]
    pub host: Host,
    /// The device, with its driver, compiler and clocks.
    #[serde(default)]
    pub device: DeviceRecord,
    /// The ceilings, sorted by kind, the fastest level first.
    pub ceilings: Vec<Ceiling>,
}

impl CeilingsRecord {
    /// Name of the ceilings file of a device. GPUs of one model share a file on every host; a CPU's
    /// file belongs to its host.
    #[must_use]
    pub fn file_name(host: &Host, device: &DeviceRecord) -> String {
        let own = match (device.backend.as_str(), device.facts.get("cores")) {
            ("cpu", cores) => {
                let cores = cores.map_or("", String::as_str);
                format!("{cores} cores of {}", host.name)
            }
            _ => format!("{} mib", device.memory >> 20),
        };
        format!("{}_{}_{}.json", slug(&device.backend), slug(&device.name), slug(&own))
    }

    /// Adds those earlier ceilings whose kind (and format) this profile did not measure.
    #[must_use]
    pub fn beside(mut self, earlier: Self) -> Self {
        let is_known = |ceiling: &Ceiling| {
            self.ceilings.iter().any(|known| {
                let format = ceiling.kind == CeilingKind::Arithmetic;
                known.kind == ceiling.kind && (!format || known.of == ceiling.of)
            })
        };
        let missing: Vec<Ceiling> =
            earlier.ceilings.into_iter().filter(|ceiling| !is_known(ceiling)).collect();
        let from = |ceiling: Ceiling| {
            let profile = ceiling.profile.clone().unwrap_or_else(|| earlier.profile.clone());
            Ceiling { profile: Some(profile), ..ceiling }
        };
        self.ceilings.extend(missing.into_iter().map(from));
        self.ceilings.sort_by_key(|ceiling| ceiling.kind);
        self
    }

    /// Reads a ceilings file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a ceilings file, or is of a later version.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        match read_record(path, CEILINGS_FORMAT, CEILINGS_VERSION) {
            Err(FolderError::Malformed { path, why }) => Err(FolderError::NoCeilings { path, why }),
            read => read,
        }
    }

    /// Writes the ceilings in one piece.
    ///
    /// # Errors
    /// If they cannot be written; the previous file then stays untouched.
    pub fn write(&self, path: &Path) -> Result<(), FolderError> {
        write_record(path, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_profile_did_not_measure_stays_known() {
        let record = |profile: &str, ceilings: &[(CeilingKind, &str, f64)]| CeilingsRecord {
            format: CEILINGS_FORMAT.to_owned(),
            version: CEILINGS_VERSION,
            autobench: String::new(),
            measured: DateTime::UNIX_EPOCH,
            profile: profile.to_owned(),
            host: Host::default(),
            device: DeviceRecord::default(),
            ceilings: ceilings
                .iter()
                .map(|(kind, of, value)| Ceiling {
                    kind: *kind,
                    of: (*of).to_owned(),
                    value: *value,
                    ..Ceiling::default()
                })
                .collect(),
        };
        use CeilingKind::{Arithmetic, Bandwidth, Launch};
        let first = record("first", &[(Bandwidth, "up to 1 MiB", 9.0), (Arithmetic, "f32", 2.0)]);
        let second = record("second", &[(Arithmetic, "f64", 1.0), (Launch, "one kernel", 3.0)]);
        let third = record("third", &[(Bandwidth, "memory", 4.0), (Arithmetic, "f64", 1.5)]);
        let all = third.beside(second.beside(first));
        let told = |c: &Ceiling| (c.of.clone(), c.value, c.profile.clone());
        let from = |name: &str| Some(name.to_owned());
        assert_eq!(
            all.ceilings.iter().map(told).collect::<Vec<_>>(),
            [
                ("memory".to_owned(), 4.0, None),
                ("f64".to_owned(), 1.5, None),
                ("f32".to_owned(), 2.0, from("first")),
                ("one kernel".to_owned(), 3.0, from("second")),
            ]
        );
    }

    #[test]
    fn a_processor_is_kept_by_its_host_and_a_card_by_its_model() {
        let host = |name: &str| Host { name: name.to_owned(), ..Host::default() };
        let device = |backend: &str| DeviceRecord {
            backend: backend.to_owned(),
            name: "A100 (80 GB)".to_owned(),
            memory: 80 << 30,
            facts: [("cores".to_owned(), "2".to_owned())].into(),
            ..DeviceRecord::default()
        };
        let name = |at: &str, backend: &str| CeilingsRecord::file_name(&host(at), &device(backend));
        assert_eq!(name("a.b", "cpu"), "cpu_a100-80-gb_2-cores-of-a-b.json");
        assert_ne!(name("a", "cpu"), name("b", "cpu"));
        assert_eq!(name("a", "cuda"), "cuda_a100-80-gb_81920-mib.json");
        assert_eq!(name("a", "cuda"), name("b", "cuda"));
    }
}
