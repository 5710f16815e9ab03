//! Observers watch quantities other than time, and add values to the measurement by name. An
//! observer must cost next to nothing (microseconds) and must not disturb the device.

mod readings;

// All observers, one per line.
mod clocks;
mod compiler;
mod disturbance;
mod energy;
mod footprint;

use std::{collections::BTreeMap, sync::Arc};

use device::Sensors;
use registry::{Registered, Registry};

/// What observers can see.
pub struct Scene<'a> {
    /// Seconds of compiling and loading the kernel.
    pub compile_seconds: f64,
    /// The backend's facts of the compiled kernel.
    pub kernel_facts: &'a BTreeMap<String, f64>,
    /// Bytes of device memory taken by buffers.
    pub buffer_bytes: u64,
    /// The device's own sensors, if it has any.
    pub sensors: Option<Arc<dyn Sensors>>,
}

/// What an observer's values belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The compiled kernel and its buffers: known before any sample.
    Kernel,
    /// The time span in which a single configuration was sampled.
    Samples,
}

/// An observer: something to watch.
pub struct Observer {
    /// Name of the observer.
    pub name: &'static str,
    /// One sentence: what the observer adds, with units.
    pub about: &'static str,
    /// What the values belong to. Values of samples are not observed while several configurations
    /// are measured alternately.
    pub scope: Scope,
    /// Starts watching, right before the samples. Returns `None` if there is nothing to watch here.
    pub start: fn(&Scene) -> Option<Box<dyn Watch>>,
}

/// A running observer.
pub trait Watch {
    /// Stops watching, right after `runs` runs of the kernel. Returns values by name.
    fn stop(self: Box<Self>, runs: u64) -> Vec<(String, f64)>;
}

struct Known(Vec<(String, f64)>);

impl Watch for Known {
    fn stop(self: Box<Self>, _runs: u64) -> Vec<(String, f64)> {
        self.0
    }
}

inventory::collect!(Observer);

/// All observers.
pub static OBSERVERS: Registry<Observer> = Registry::new("observer");

impl Registered for Observer {
    fn name(&self) -> &'static str {
        self.name
    }
}

#[cfg(test)]
mod tests {
    use records::METRICS;

    use super::*;
    use crate::observers::readings::tests::Warming;

    #[test]
    fn what_an_observer_sees_is_a_declared_metric() {
        let facts = BTreeMap::from([("registers".to_owned(), 12.0)]);
        let meter: Arc<dyn Sensors> = Arc::new(Warming::default());
        for sensors in [None, Some(meter)] {
            let scene =
                Scene { compile_seconds: 1.0, kernel_facts: &facts, buffer_bytes: 8, sensors };
            for observer in OBSERVERS.iter() {
                let seen = (observer.start)(&scene).map(|watch| watch.stop(1)).unwrap_or_default();
                for (name, _) in seen.iter().filter(|(name, _)| !name.starts_with("kernel_")) {
                    assert!(METRICS.find(name).is_some(), "`{name}` of `{}`", observer.name);
                }
            }
        }
    }

    #[test]
    fn names_of_metrics_are_unique_and_objectives_have_a_direction() {
        let names: Vec<&str> = records::METRICS.names().collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
        // No benchmark may give one of these names to its own metric.
        let reserved: Vec<&str> = records::Metric::live().map(|(name, _)| name).collect();
        let known =
            ["clock", "digits", "energy", "error", "footprint", "power", "seconds", "temperature"];
        assert_eq!(reserved, known);
        let recorded: Vec<&str> = records::Metric::recorded().map(|(name, ..)| name).collect();
        assert_eq!(recorded, ["compile_seconds", "digits", "error", "noise", "seconds"]);
    }
}
