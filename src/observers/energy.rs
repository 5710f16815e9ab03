//! Energy: of a device with sensors, by its counter or by its power; else of the processor
//! packages, by the counters of Linux under `powercap`.

use std::{
    fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use autobench_sdk::document::Better;

use super::{
    Observer, Scene, Scope, Watch,
    readings::{Readings, mean},
};
use crate::{
    backends::{SensorReading, Sensors},
    records::{Metric, ObjectiveOn},
};

inventory::submit!(Observer {
    name: "energy",
    about: "energy of the device, where it has sensors and is sampled for 0.2 s, else of all processor packages, where Linux lets it be read",
    scope: Scope::Samples,
    start,
});

inventory::submit!(Metric {
    name: "energy",
    unit: "J",
    about: "energy of a run, with flushes and gaps between samples",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Devices,
});

inventory::submit!(Metric {
    name: "power",
    unit: "W",
    about: "mean power while samples were taken",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Devices,
});

inventory::submit!(Metric {
    name: "energy_sampled",
    unit: "J",
    about: "energy of a run by the mean of power readings, beside a counter's",
    better: None,
    objective_on: ObjectiveOn::Devices,
});

/// Folder of the counters.
const ZONES: &str = "/sys/class/powercap";

/// Shortest time that tells energy: sensors of devices are renewed every 20 to 100 ms.
const SHORTEST: Duration = Duration::from_millis(200);

fn start(scene: &Scene) -> Option<Box<dyn Watch>> {
    if let Some(sensors) = &scene.sensors {
        return Metered::start(sensors);
    }
    let counters = counters();
    (!counters.is_empty()).then(|| Box::new(Packages(counters, Instant::now())) as Box<dyn Watch>)
}

struct Metered(Readings, Instant);

impl Metered {
    fn start(sensors: &Arc<dyn Sensors>) -> Option<Box<dyn Watch>> {
        let readings = Readings::start(Arc::clone(sensors))?;
        Some(Box::new(Self(readings, Instant::now())))
    }
}

impl Watch for Metered {
    fn stop(self: Box<Self>, runs: u64) -> Vec<(String, f64)> {
        let Self(readings, start) = *self;
        let elapsed = start.elapsed();
        let readings = readings.stop();
        if elapsed < SHORTEST {
            return Vec::new();
        }
        let watts: Vec<f64> = readings.iter().filter_map(|reading| reading.watts).collect();
        let sampled = mean(&watts).map(|watts| watts * elapsed.as_secs_f64());
        let joules = |reading: Option<&SensorReading>| reading?.joules;
        let counted = joules(readings.last()).zip(joules(readings.first())).map(|(b, a)| b - a);
        match (counted, sampled) {
            (Some(counted), sampled) => {
                let beside = sampled.map(|joules| joules / runs.max(1) as f64);
                let beside = beside.map(|joules| ("energy_sampled".to_owned(), joules));
                values(counted, elapsed, runs).into_iter().chain(beside).collect()
            }
            (None, Some(sampled)) => values(sampled, elapsed, runs),
            (None, None) => Vec::new(),
        }
    }
}

fn values(joules: f64, elapsed: Duration, runs: u64) -> Vec<(String, f64)> {
    let watts = joules / elapsed.as_secs_f64();
    vec![("energy".to_owned(), joules / runs.max(1) as f64), ("power".to_owned(), watts)]
}

#[derive(Debug, Clone, PartialEq)]
struct Counter {
    folder: PathBuf,
    microjoules: f64,
    wraps_at: f64,
}

struct Packages(Vec<Counter>, Instant);

impl Watch for Packages {
    fn stop(self: Box<Self>, runs: u64) -> Vec<(String, f64)> {
        let mut joules = 0.0;
        for counter in &self.0 {
            let Some(now) = number(&counter.folder, "energy_uj") else { return Vec::new() };
            let spent = now - counter.microjoules;
            joules += if spent < 0.0 { spent + counter.wraps_at } else { spent } * 1e-6;
        }
        values(joules, self.1.elapsed(), runs)
    }
}

/// The packages' counters; empty where they cannot be read.
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
    use crate::observers::readings::tests::Warming;

    fn metered(counts_energy: bool, ago: Duration) -> Vec<(String, f64)> {
        let sensors: Arc<dyn Sensors> = Arc::new(Warming { counts_energy, ..Warming::default() });
        let readings = Readings::start(sensors).expect("a thread");
        Box::new(Metered(readings, Instant::now() - ago)).stop(4)
    }

    #[test]
    fn a_device_is_metered_by_its_counter_or_by_its_power() {
        // A hundred joules between two readings, of which there are two or more.
        let counted = metered(true, Duration::from_secs(1));
        assert!(counted[0].1 >= 25.0 && (counted[0].1 % 25.0).abs() < 1e-9, "{counted:?}");
        let beside = ("energy_sampled", counted[2].1 > 300.0 / 4.0 - 1.0);
        assert_eq!((counted[2].0.as_str(), beside.1), ("energy_sampled", true), "{counted:?}");
        let sampled = metered(false, Duration::from_secs(1));
        assert!((sampled[1].1 - 300.0).abs() < 1e-6, "{sampled:?}");
        assert!(sampled[0].1 > 300.0 / 4.0 - 1.0, "{sampled:?}");
    }

    #[test]
    fn a_span_too_short_for_the_sensors_has_no_energy() {
        assert!(metered(true, Duration::ZERO).is_empty());
    }

    #[test]
    fn a_counter_that_wraps_is_followed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("energy_uj"), "500000\n").expect("writable");
        let counter = |microjoules| Counter {
            folder: folder.path().to_owned(),
            microjoules,
            wraps_at: 2_000_000.0,
        };
        let joules =
            |before| Box::new(Packages(vec![counter(before)], Instant::now())).stop(2)[0].1;
        assert!((joules(100_000.0) - 0.2).abs() < 1e-12);
        assert!((joules(1_500_000.0) - 0.5).abs() < 1e-12);
    }
}
