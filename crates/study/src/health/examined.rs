//! The result of examining a machine.

use records::{CachesRecord, Steadiness};
use serde::Serialize;

use super::{HostFacts, Meanwhile, WorkNoise};

/// The result of examining a machine, with advice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Examined {
    /// Seconds for which noise was measured.
    pub seconds: f64,
    /// Facts of the host.
    pub host: HostFacts,
    /// What happened on the host in that time.
    pub meanwhile: Meanwhile,
    /// Readings of the device's sensors in that time.
    pub sensors: SensorRanges,
    /// The timer's resolution and its overhead, in seconds.
    pub timer: (f64, f64),
    /// How much the run time of fixed work varied.
    pub noise: Vec<WorkNoise>,
    /// Whether cold samples really are cold.
    pub caches: CachesRecord,
    /// What to change for steadier numbers, one sentence each.
    pub advice: Vec<String>,
}

/// Readings of a device's sensors over some time; `None` without the sensor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SensorRanges {
    /// Lowest and highest clock, in hertz.
    pub clock: Option<(f64, f64)>,
    /// Highest temperature, in degrees Celsius.
    pub temperature: Option<f64>,
    /// Share of readings in which heat or a power limit reduced the clock.
    pub throttled: Option<f64>,
}

impl Examined {
    /// Sums up an examination. `is_counted` says whether samples contain the time that others took.
    #[must_use]
    pub fn new(
        host: HostFacts,
        meanwhile: Meanwhile,
        caches: CachesRecord,
        steadiness: &Steadiness,
        seconds: f64,
        is_counted: bool,
    ) -> Self {
        let noise = steadiness.works.iter().filter_map(|work| WorkNoise::of(work, is_counted));
        Self {
            seconds,
            meanwhile,
            sensors: SensorRanges::of(steadiness),
            timer: steadiness.timer,
            noise: noise.collect(),
            caches,
            advice: Vec::new(),
            host,
        }
    }
}

impl SensorRanges {
    fn of(steadiness: &Steadiness) -> Self {
        let sensed = || steadiness.sensed.iter();
        let clocks = || sensed().filter_map(|sensed| sensed.clock);
        let throttled: Vec<bool> = sensed().filter_map(|sensed| sensed.throttled).collect();
        let held = throttled.iter().filter(|held| **held).count();
        Self {
            clock: clocks().reduce(f64::min).zip(clocks().reduce(f64::max)),
            temperature: sensed().filter_map(|sensed| sensed.temperature).reduce(f64::max),
            throttled: (!throttled.is_empty()).then(|| held as f64 / throttled.len() as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use records::Sensed;

    use super::*;

    #[test]
    fn sensors_are_summed_up_and_missing_ones_stay_missing() {
        let sensed = |clock, throttled| Sensed {
            clock: Some(clock),
            temperature: None,
            throttled: Some(throttled),
        };
        let sensed = vec![sensed(2e9, false), sensed(1e9, true), Sensed::default()];
        let sensors = SensorRanges::of(&Steadiness { sensed, ..Steadiness::default() });
        let expected =
            SensorRanges { clock: Some((1e9, 2e9)), temperature: None, throttled: Some(0.5) };
        assert_eq!(sensors, expected);
        assert_eq!(SensorRanges::of(&Steadiness::default()), SensorRanges::default());
    }
}
