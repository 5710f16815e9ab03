//! Steadiness of a device: measured by timing the same work repeatedly.

use serde::{Deserialize, Serialize};

/// A period in which the same work was timed repeatedly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Steadiness {
    /// Pieces of work, timed alternately.
    pub works: Vec<SteadyWork>,
    /// Readings of the device's sensors, in order; empty without sensors.
    pub sensed: Vec<Sensed>,
    /// Resolution of the timer, and the time of an empty sample, in seconds.
    pub timer: (f64, f64),
}

/// One piece of work that never changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SteadyWork {
    /// Where the data is: `memory` or `caches`.
    pub name: String,
    /// Bytes read per run.
    pub bytes: u64,
    /// Runs per sample.
    pub runs: u32,
    /// Samples in order. The first and second were taken directly one after the other, then the
    /// third and fourth, and so on.
    pub samples: Vec<SteadySample>,
}

/// One sample: seconds since the first sample began, seconds per run, and seconds that other
/// programs took from all its runs (waiting for a core, or stolen time of a virtual machine).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SteadySample(pub f64, pub f64, pub f64);

/// Readings of a device's sensors at one moment; `None` without such a sensor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Sensed {
    /// Clock of kernels, in hertz.
    pub clock: Option<f64>,
    /// Temperature in degrees Celsius.
    pub temperature: Option<f64>,
    /// Whether heat or a power limit reduces the clock.
    pub throttled: Option<bool>,
}

impl Steadiness {
    /// Appends the period that followed.
    pub fn extend(&mut self, later: Self) {
        self.timer = later.timer;
        self.sensed.extend(later.sensed);
        for work in later.works {
            match self.works.iter_mut().find(|known| known.name == work.name) {
                Some(known) => known.samples.extend(work.samples),
                None => self.works.push(work),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_time_follow_each_other() {
        let work = |name: &str, at: f64| SteadyWork {
            name: name.to_owned(),
            samples: vec![SteadySample(at, 1e-3, 0.0)],
            ..SteadyWork::default()
        };
        let stretch = |at: f64| Steadiness {
            works: vec![work("memory", at), work("caches", at)],
            sensed: vec![Sensed::default()],
            timer: (1e-9, 1e-9),
        };
        let mut all = Steadiness::default();
        all.extend(stretch(0.0));
        all.extend(stretch(1.0));
        assert_eq!((all.works.len(), all.sensed.len()), (2, 2));
        let times: Vec<f64> = all.works[1].samples.iter().map(|sample| sample.0).collect();
        assert_eq!(times, [0.0, 1.0]);
    }
}
