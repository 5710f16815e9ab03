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
    readings::{
        Readings, TimedReading,
        power::{Power, counted_power, sampled_power},
    },
};

inventory::submit!(Observer {
    name: "energy",
    about: "energy of the device, where it has sensors, else of all processor packages, where Linux lets it be read",
    scope: Scope::Samples(&["energy", "energy_sampled", "energy_uncertainty", "power"]),
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
    name: "energy_uncertainty",
    unit: "J",
    about: "standard error of `energy`, by the steps of the counter or the scatter of power readings",
    better: None,
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
const WINDOW: Duration = Duration::from_millis(300);
/// Time between two renewals of the packages' counters.
const PACKAGES_RENEWED: Duration = Duration::from_millis(1);
/// Shortest time for the packages: renewals leave an error of 2 %.
const PACKAGES_WINDOW: Duration = Duration::from_millis(20);

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
        let first = sensors.read();
        first.joules.or(first.watts)?;
        let readings = Readings::start(Arc::clone(sensors))?;
        Some(Box::new(Self(readings, Instant::now())))
    }
}

impl Watch for Metered {
    fn window(&self) -> Duration {
        WINDOW
    }

    fn stop(self: Box<Self>, runs: u64) -> Vec<(String, f64)> {
        let Self(readings, start) = *self;
        let elapsed = start.elapsed();
        energy(&readings.stop(), elapsed, runs)
    }
}

/// Energy and power of runs that took `elapsed`, by the counter, or else by power readings.
fn energy(readings: &[TimedReading], elapsed: Duration, runs: u64) -> Vec<(String, f64)> {
    if elapsed < WINDOW {
        return Vec::new();
    }
    let counts = readings.iter().any(|(_, reading)| reading.joules.is_some());
    let sampled = sampled_power(readings);
    if !counts {
        return sampled.map(|power| values(power, elapsed, runs)).unwrap_or_default();
    }
    let Some(counted) = counted_power(readings) else { return Vec::new() };
    let beside = sampled.and_then(|power| {
        let (_, joules) = values(power, elapsed, runs).into_iter().next()?;
        Some(("energy_sampled".to_owned(), joules))
    });
    values(counted, elapsed, runs).into_iter().chain(beside).collect()
}

fn values(power: Power, elapsed: Duration, runs: u64) -> Vec<(String, f64)> {
    if runs == 0 {
        return Vec::new();
    }
    let of_run = elapsed.as_secs_f64() / runs as f64;
    let error = power.error.map(|error| ("energy_uncertainty".to_owned(), error * of_run));
    let known = [("energy".to_owned(), power.watts * of_run), ("power".to_owned(), power.watts)];
    known.into_iter().chain(error).collect()
}

#[derive(Debug, Clone, PartialEq)]
struct Counter {
    folder: PathBuf,
    microjoules: f64,
    wraps_at: f64,
}

struct Packages(Vec<Counter>, Instant);

impl Watch for Packages {
    fn window(&self) -> Duration {
        PACKAGES_WINDOW
    }

    fn stop(self: Box<Self>, runs: u64) -> Vec<(String, f64)> {
        let mut joules = 0.0;
        for counter in &self.0 {
            let Some(now) = number(&counter.folder, "energy_uj") else { return Vec::new() };
            let spent = now - counter.microjoules;
            joules += if spent < 0.0 { spent + counter.wraps_at } else { spent } * 1e-6;
        }
        let elapsed = self.1.elapsed();
        let watts = joules / elapsed.as_secs_f64();
        // Both ends are known to the time between two renewals.
        let error = watts * PACKAGES_RENEWED.div_duration_f64(elapsed) / 6f64.sqrt();
        values(Power { watts, error: Some(error) }, elapsed, runs)
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

    /// Readings every 10 ms of a device that draws 500 W. It renews its sensors every `renewed`, the
    /// last time `late` before the first reading.
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
    fn counters_that_jump_give_energy_in_one_window_and_state_their_error() {
        for renewed in [20, 33, 50, 77, 100, 140] {
            for late in (0..renewed).step_by(7) {
                let [late, renewed] = [late, renewed].map(Duration::from_millis);
                let counted = energy(&readings(WINDOW, renewed, true, late), WINDOW, 4);
                let joules = named(&counted, "energy").expect("two renewals at least");
                let error = named(&counted, "energy_uncertainty").expect("an error");
                let off = joules - 500.0 * WINDOW.as_secs_f64() / 4.0;
                // Each end is off by 5 ms at most, of which the standard error is 1 / √3.
                assert!(off.abs() <= 2.5 * error, "{renewed:?} {late:?}: {off} ± {error}");
                assert!(error <= 0.05 * joules, "{renewed:?} {late:?}: {error} of {joules}");
            }
        }
    }

    #[test]
    fn a_device_is_metered_by_its_counter_or_by_its_power() {
        let span = Duration::from_millis(570);
        let mut read = readings(span, Duration::from_millis(100), true, Duration::ZERO);
        // A failed reading is no renewal.
        read[15].1.joules = None;
        let counted = energy(&read, span, 4);
        let beside = named(&counted, "energy_sampled").expect("power beside it");
        assert!((beside - 450.0 * span.as_secs_f64() / 4.0).abs() < 1e-6, "{counted:?}");
        let power = named(&counted, "power").expect("power of the counter");
        assert!((power - 500.0).abs() < 1e-6, "{counted:?}");
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
            "a single renewal"
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
        assert!(Packages(Vec::new(), Instant::now()).window() < WINDOW);
        let joules =
            |before| Box::new(Packages(vec![counter(before)], Instant::now())).stop(2)[0].1;
        assert!((joules(100_000.0) - 0.2).abs() < 1e-12);
        assert!((joules(1_500_000.0) - 0.5).abs() < 1e-12);
    }
}
