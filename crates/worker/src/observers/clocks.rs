//! The clock at which the device ran, its temperature, and whether it was throttled.

use std::sync::Arc;

use autobench_sdk::document::Better;
use device::SensorReading;
use records::{Metric, ObjectiveOn};

use super::{
    Observer, Scene, Scope, Watch,
    readings::{Readings, mean},
};

inventory::submit!(Observer {
    name: "clocks",
    about: "how fast and how warm the device ran, where it has sensors",
    scope: Scope::Samples(&["clock", "clock_lowest", "temperature", "throttled"]),
    start,
});

inventory::submit!(Metric {
    name: "clock",
    unit: "Hz",
    about: "mean clock of the device",
    better: Some(Better::Higher),
    objective_on: ObjectiveOn::Devices,
});

inventory::submit!(Metric {
    name: "clock_lowest",
    unit: "Hz",
    about: "lowest clock of the device",
    better: None,
    objective_on: ObjectiveOn::Devices,
});

inventory::submit!(Metric {
    name: "temperature",
    unit: "°C",
    about: "highest temperature of the device",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Devices,
});

inventory::submit!(Metric {
    name: "throttled",
    unit: "",
    about: "share of readings in which heat or a limit of power held the clock down",
    better: None,
    objective_on: ObjectiveOn::Devices,
});

fn start(scene: &Scene) -> Option<Box<dyn Watch>> {
    let readings = Readings::start(Arc::clone(scene.sensors.as_ref()?))?;
    Some(Box::new(Running(readings)))
}

struct Running(Readings);

impl Watch for Running {
    fn stop(self: Box<Self>, _runs: u64) -> Vec<(String, f64)> {
        let readings: Vec<SensorReading> =
            self.0.stop().into_iter().map(|(_, read)| read).collect();
        summary(&readings)
    }
}

fn summary(readings: &[SensorReading]) -> Vec<(String, f64)> {
    let all =
        |of: fn(&SensorReading) -> Option<f64>| readings.iter().filter_map(of).collect::<Vec<_>>();
    let (clocks, temperatures) = (all(|r| r.clock), all(|r| r.temperature));
    let throttled = all(|r| r.throttled.map(|is| f64::from(u8::from(is))));
    [
        ("clock", mean(&clocks)),
        ("clock_lowest", clocks.into_iter().reduce(f64::min)),
        ("temperature", temperatures.into_iter().reduce(f64::max)),
        ("throttled", mean(&throttled)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_held_down_half_of_the_time_is_seen() {
        let cool = SensorReading {
            clock: Some(2e9),
            temperature: Some(50.0),
            throttled: Some(false),
            ..SensorReading::default()
        };
        let hot = SensorReading {
            clock: Some(1e9),
            temperature: Some(90.0),
            throttled: Some(true),
            ..SensorReading::default()
        };
        let expected =
            [("clock", 1.5e9), ("clock_lowest", 1e9), ("temperature", 90.0), ("throttled", 0.5)];
        assert_eq!(summary(&[cool, hot]), expected.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn what_has_no_sensors_says_nothing() {
        assert!(summary(&[SensorReading::default(); 3]).is_empty());
    }
}
