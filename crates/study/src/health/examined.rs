//! The findings about a machine.

use records::{CachesRecord, Steadiness};
use serde::Serialize;

use super::{HostFacts, Meanwhile, WorkNoise};

/// The findings about a machine, and what follows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Examined {
    /// Seconds for which noise was watched.
    pub seconds: f64,
    /// The host.
    pub host: HostFacts,
    /// What the host did meanwhile.
    pub meanwhile: Meanwhile,
    /// Readings of the device's sensors meanwhile.
    pub sensors: SensorRanges,
    /// The timer's resolution and its overhead, in seconds.
    pub timer: (f64, f64),
    /// How much the same work varied.
    pub noise: Vec<WorkNoise>,
    /// Whether cold samples are cold.
    pub caches: CachesRecord,
    /// What to change for steadier numbers, one sentence each.
    pub advice: Vec<String>,
}

/// Readings of a device's sensors over some time; `None` where it has no sensor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SensorRanges {
    /// The lowest and the highest clock, in hertz.
    pub clock: Option<(f64, f64)>,
    /// The highest temperature, in degrees Celsius.
    pub temperature: Option<f64>,
    /// The share of readings in which heat or a limit of power held the clock down.
    pub throttled: Option<f64>,
}

impl Examined {
    /// Sums up what was seen within these seconds. `is_counted`: samples tell what others took.
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
