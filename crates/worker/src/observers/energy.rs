//! Energy: of a device with sensors, by its energy counter or by its power; otherwise of the
//! processor packages, by Linux's counters under `powercap`.

use std::{
    fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use autobench_sdk::document::Better;
use device::Sensors;
use records::{Metric, ObjectiveOn};

use super::{
    Observer, Scene, Scope, Watch,
    readings::{Readings, TimedReading, mean},
};

inventory::submit!(Observer {
    name: "energy",
    about: "energy of the device, where it has sensors and is sampled for 0.3 s, else of all processor packages, where Linux lets it be read",
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

/// Shortest time for which energy is reported: devices renew their sensors every 20 to 100 ms.
const SHORTEST: Duration = Duration::from_millis(300);
/// Shortest time between two renewals of a counter from which power is computed. The time of each
/// renewal is known to 10 ms.
const RENEWED: Duration = Duration::from_millis(150);

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
        energy(&readings.stop(), elapsed, runs)
    }
}

/// Energy and power of runs that took `elapsed`, by the counter, or else by power readings.
fn energy(readings: &[TimedReading], elapsed: Duration, runs: u64) -> Vec<(String, f64)> {
    if elapsed < SHORTEST {
        return Vec::new();
    }
    let counts = readings.iter().any(|(_, reading)| reading.joules.is_some());
    let read: Vec<f64> = readings.iter().filter_map(|(_, reading)| reading.watts).collect();
    let over_all = |watts: f64| values(watts * elapsed.as_secs_f64(), elapsed, runs);
    match (counts, mean(&read)) {
        (true, read) => {
            let Some(counted) = counted_watts(readings) else { return Vec::new() };
            let beside = read.map(|watts| watts * elapsed.as_secs_f64() / runs.max(1) as f64);
            let beside = beside.map(|joules| ("energy_sampled".to_owned(), joules));
            over_all(counted).into_iter().chain(beside).collect()
        }
        (false, read) => read.map(over_all).unwrap_or_default(),
    }
}

/// Power between the first and the last time that the counter was renewed. Between the first and
/// the last reading, a counter that is renewed every 100 ms would be off by 18 % in half a second
/// (H200).
fn counted_watts(readings: &[TimedReading]) -> Option<f64> {
    let counts = readings.iter().filter_map(|(at, reading)| Some((*at, reading.joules?)));
    let counts: Vec<(Instant, f64)> = counts.collect();
    let pairs = counts.windows(2).filter(|pair| pair[0].1 < pair[1].1);
    let renewed: Vec<(Instant, f64)> = pairs.map(|pair| pair[1]).collect();
    let (first, last) = (renewed.first()?, renewed.last()?);
    let span = last.0.duration_since(first.0);
    (span >= RENEWED).then(|| (last.1 - first.1) / span.as_secs_f64())
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

/// The packages' counters; empty if they cannot be read.
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
    use device::SensorReading;

    use super::*;
    use crate::observers::readings::tests::Warming;

    /// Readings every 10 ms of a device that draws 500 W and renews its sensors every `renewed`.
    fn readings(
        span: Duration,
        renewed: Duration,
        counts: bool,
        late: Duration,
    ) -> Vec<TimedReading> {
        let start = Instant::now();
        let count = span.as_millis() / 10;
        let reading = |number: u128| {
            let at = Duration::from_millis(10 * number as u64);
            let renewals = ((at + late).as_millis() / renewed.as_millis()) as f64;
            let joules = counts.then_some(7.0 + 500.0 * renewals * renewed.as_secs_f64());
            (start + at, SensorReading { joules, watts: Some(450.0), ..SensorReading::default() })
        };
        (0..=count).map(reading).collect()
    }

    fn named(values: &[(String, f64)], name: &str) -> Option<f64> {
        values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    #[test]
    fn a_device_is_metered_by_its_counter_or_by_its_power() {
        for (late, span) in (0..10).flat_map(|late| [300, 350, 570].map(|span| (10 * late, span))) {
            let (late, span) = (Duration::from_millis(late), Duration::from_millis(span));
            let mut read = readings(span, Duration::from_millis(100), true, late);
            if late.is_zero() {
                // A failed reading is no renewal.
                read[15].1.joules = None;
            }
            let counted = energy(&read, span, 4);
            let seconds = span.as_secs_f64();
            let joules = named(&counted, "energy").expect("the counter was renewed three times");
            assert!((joules / (500.0 * seconds / 4.0) - 1.0).abs() < 1e-6, "{late:?}: {counted:?}");
            let beside = named(&counted, "energy_sampled").expect("power beside it");
            assert!((beside - 450.0 * seconds / 4.0).abs() < 1e-6, "{counted:?}");
        }
        let span = Duration::from_millis(570);
        let sampled = energy(&readings(span, span, false, Duration::ZERO), span, 4);
        assert_eq!(named(&sampled, "power").map(f64::round), Some(450.0), "{sampled:?}");
        assert_eq!(named(&sampled, "energy_sampled"), None);
    }

    #[test]
    fn a_span_too_short_for_the_sensors_has_no_energy() {
        let (short, renewed) = (Duration::from_millis(290), Duration::from_millis(200));
        assert!(energy(&readings(short, renewed, false, Duration::ZERO), short, 1).is_empty());
        let long = Duration::from_millis(390);
        assert!(
            energy(&readings(long, renewed, true, Duration::ZERO), long, 1).is_empty(),
            "one renewal apart"
        );
        let sensors: Arc<dyn Sensors> = Arc::new(Warming::default());
        let started = Metered::start(&sensors).expect("a thread");
        assert!(started.stop(1).is_empty());
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
