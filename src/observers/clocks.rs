//! At what clock the device ran, how warm it was, and whether it was throttled.

use std::sync::Arc;

use super::{
    Observer, Scene, Scope, Watch,
    readings::{Readings, mean},
};
use crate::backends::SensorReading;

inventory::submit!(Observer {
    name: "clocks",
    about: "`clock`, the device's mean clock in hertz, `clock_lowest`, `temperature`, the highest in degrees Celsius, and `throttled`, the share of readings in which heat or a limit of power held the clock down, for devices with sensors",
    scope: Scope::Samples,
    start,
});

fn start(scene: &Scene) -> Option<Box<dyn Watch>> {
    let readings = Readings::start(Arc::clone(scene.sensors.as_ref()?))?;
    Some(Box::new(Running(readings)))
}

struct Running(Readings);

impl Watch for Running {
    fn stop(self: Box<Self>, _runs: u64) -> Vec<(String, f64)> {
        summary(&self.0.stop())
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
