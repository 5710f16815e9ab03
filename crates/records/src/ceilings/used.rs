//! Ceilings that a finished study was compared with, copied into the study's journal.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{Ceiling, CeilingsRecord, StudyRecord};

/// Work that the winner of a size does, according to the benchmark's document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeWork {
    /// The size.
    pub size: u64,
    /// Operations of a run, if the document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flops: Option<f64>,
    /// Bytes that a run must move, if the document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
    /// Formats of the winner's numbers.
    pub formats: Vec<String>,
}

/// The ceilings of the study's device, and the work that is compared with them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CeilingsUsed {
    /// When the ceilings were measured.
    pub measured: DateTime<Utc>,
    /// Name of the profile's folder.
    pub profile: String,
    /// Differences between the profile's conditions and the study's, one phrase each.
    pub differs: Vec<String>,
    /// The ceilings that limit a run: bandwidths and arithmetic.
    pub ceilings: Vec<Ceiling>,
    /// The work of each size's winner, smallest size first.
    pub work: Vec<SizeWork>,
}

/// Facts of a device that change with its software.
const SOFTWARE: [&str; 3] = ["driver", "cuda_of_driver", "kernel"];

impl CeilingsRecord {
    /// Differences between the profile's conditions and a study's, one phrase each.
    #[must_use]
    pub fn differences(&self, study: &StudyRecord) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: &str, then: &str, now: &str| {
            if !then.is_empty() && !now.is_empty() && then != now {
                found.push(format!("with another {what} (`{then}`, here `{now}`)"));
            }
        };
        compare("compiler", &self.device.compiler, &study.device.compiler);
        for name in SOFTWARE {
            let fact = |facts: &std::collections::BTreeMap<String, String>| {
                facts.get(name).cloned().unwrap_or_default()
            };
            let (then, now) = (fact(&self.device.facts), fact(&study.device.facts));
            compare(&name.replace('_', " "), &then, &now);
        }
        compare("version of autobench", &self.autobench, &study.autobench);
        compare("host", &self.host.name, &study.host.name);
        let days = (study.started - self.measured).num_days();
        if days != 0 {
            let (days, when) = (days.abs(), if days > 0 { "before" } else { "after" });
            found.push(format!("{days} day{} {when}", if days == 1 { "" } else { "s" }));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BenchmarkRecord, CEILINGS_FORMAT, CEILINGS_VERSION, DeviceRecord, Host,
        settings::StudySettings,
    };

    #[test]
    fn another_compiler_driver_or_day_is_told_and_what_nobody_knows_is_not() {
        let device = |compiler: &str| DeviceRecord {
            compiler: compiler.to_owned(),
            facts: [("driver".to_owned(), compiler.len().to_string())].into(),
            ..DeviceRecord::default()
        };
        let (host, benchmark) = (Host::default(), BenchmarkRecord::default());
        let settings = StudySettings::default();
        let study = StudyRecord::new(vec![], host, device("g++ 13"), benchmark, settings);
        let ceilings = |compiler: &str, days: i64| CeilingsRecord {
            format: CEILINGS_FORMAT.to_owned(),
            version: CEILINGS_VERSION,
            autobench: study.autobench.clone(),
            measured: study.started - chrono::Duration::days(days),
            profile: "p".to_owned(),
            host: Host::default(),
            device: device(compiler),
            ceilings: Vec::new(),
        };
        assert!(ceilings("g++ 13", 0).differences(&study).is_empty());
        let found = ceilings("clang", 3).differences(&study);
        assert_eq!(
            found,
            [
                "with another compiler (`clang`, here `g++ 13`)",
                "with another driver (`5`, here `6`)",
                "3 days before"
            ]
        );
    }
}
