//! Energy of the processor packages, from the counters that Linux shows under `powercap`.

use std::{fs, path::PathBuf, time::Instant};

use super::{Observer, Scene, Scope, Watch};

/// This observer.
pub(super) static ENTRY: Energy = Energy;

/// Where the counters are.
const ZONES: &str = "/sys/class/powercap";

/// Reads the package counters around the samples.
#[derive(Debug)]
pub(super) struct Energy;

impl Observer for Energy {
    fn name(&self) -> &'static str {
        "energy"
    }

    fn about(&self) -> &'static str {
        "`energy`, joules of all processor packages per run, and `power`, their watts, flushes and gaps between samples included, where Linux lets it be read"
    }

    fn scope(&self) -> Scope {
        Scope::Samples
    }

    fn start(&self, _scene: &Scene) -> Option<Box<dyn Watch>> {
        let counters = counters();
        (!counters.is_empty())
            .then(|| Box::new(Reading(counters, Instant::now())) as Box<dyn Watch>)
    }
}

/// A package's counter.
#[derive(Debug, Clone, PartialEq)]
struct Counter {
    folder: PathBuf,
    microjoules: f64,
    wraps_at: f64,
}

/// The counters at the start, and when that was.
struct Reading(Vec<Counter>, Instant);

impl Watch for Reading {
    fn stop(self: Box<Self>, runs: u64) -> Vec<(String, f64)> {
        let mut joules = 0.0;
        for counter in &self.0 {
            let Some(now) = number(&counter.folder, "energy_uj") else { return Vec::new() };
            let spent = now - counter.microjoules;
            joules += if spent < 0.0 { spent + counter.wraps_at } else { spent } * 1e-6;
        }
        let watts = joules / self.1.elapsed().as_secs_f64();
        vec![("energy".to_owned(), joules / runs.max(1) as f64), ("power".to_owned(), watts)]
    }
}

/// The packages' counters now; empty where they cannot be read.
fn counters() -> Vec<Counter> {
    let Ok(zones) = fs::read_dir(ZONES) else { return Vec::new() };
    let mut found = Vec::new();
    for folder in zones.flatten().map(|zone| zone.path()) {
        let name = fs::read_to_string(folder.join("name")).unwrap_or_default();
        if !name.starts_with("package-") {
            continue;
        }
        if let (Some(microjoules), Some(wraps_at)) =
            (number(&folder, "energy_uj"), number(&folder, "max_energy_range_uj"))
        {
            found.push(Counter { folder, microjoules, wraps_at });
        }
    }
    found
}

fn number(folder: &std::path::Path, file: &str) -> Option<f64> {
    fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_wraps_is_followed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("energy_uj"), "500000\n").expect("writable");
        let counter = |microjoules| Counter {
            folder: folder.path().to_owned(),
            microjoules,
            wraps_at: 2_000_000.0,
        };
        let joules = |before| Box::new(Reading(vec![counter(before)], Instant::now())).stop(2)[0].1;
        assert!((joules(100_000.0) - 0.2).abs() < 1e-12);
        assert!((joules(1_500_000.0) - 0.5).abs() < 1e-12);
    }
}
