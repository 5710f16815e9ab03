//! Finds the configuration that does well on all devices. Its portability is the harmonic mean of
//! its efficiencies (Pennycook, Sewall and Lee, 2016). An efficiency is the configuration's speed
//! over that of the best one on the device. A configuration that does not run on all devices has
//! none.

use std::collections::BTreeMap;

use records::{Named, Status};
use serde::Serialize;

use super::side::Side;

/// A configuration that was measured on every side at a size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PortableConfiguration {
    /// The configuration.
    pub configuration: Named,
    /// Its performance portability, from 0 to 1.
    pub portability: f64,
    /// Its efficiency on each side.
    pub efficiencies: Vec<f64>,
}

/// Returns the most portable configuration of a subject at a size; `None` if none was measured on
/// all sides.
#[must_use]
pub fn most_portable(sides: &[&Side], subject: &str, size: u64) -> Option<PortableConfiguration> {
    let times: Vec<BTreeMap<String, (Named, f64)>> =
        sides.iter().map(|side| times(side, subject, size)).collect();
    let best: Vec<f64> = times
        .iter()
        .map(|times| times.values().map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min))
        .collect();
    let of = |key: &String, named: &Named| {
        let mut efficiencies = Vec::new();
        for (times, best) in times.iter().zip(&best) {
            efficiencies.push(best / times.get(key)?.1);
        }
        let inverse: f64 = efficiencies.iter().map(|efficiency| 1.0 / efficiency).sum();
        let portability = efficiencies.len() as f64 / inverse;
        Some(PortableConfiguration { configuration: named.clone(), portability, efficiencies })
    };
    let first = times.first()?.iter();
    first
        .filter_map(|(key, (named, _))| of(key, named))
        .max_by(|a, b| a.portability.total_cmp(&b.portability))
}

/// Returns the least run time of each configuration at a size, by the configuration's key.
fn times(side: &Side, subject: &str, size: u64) -> BTreeMap<String, (Named, f64)> {
    let mut times: BTreeMap<String, (Named, f64)> = BTreeMap::new();
    for study in side.studies.iter().filter(|study| study.subject() == subject) {
        for row in &study.view.trials {
            let trial = &row.event.trial;
            let measured = trial.outcome.status == Status::Measured && trial.size == size;
            let measurement = trial.outcome.measurement.as_ref().filter(|_| measured);
            let seconds = measurement.map(|measurement| measurement.seconds.median);
            let Some(seconds) = seconds.filter(|seconds| *seconds > 0.0) else { continue };
            let known = times
                .entry(trial.configuration.key())
                .or_insert_with(|| (trial.configuration.clone(), seconds));
            known.1 = known.1.min(seconds);
        }
    }
    times
}
