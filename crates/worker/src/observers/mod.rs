//! Observers watch quantities other than time, and add values to the measurement by name. An
//! observer must cost next to nothing (microseconds) and must not disturb the device.

mod readings;

// All observers, one per line.
mod clocks;
mod compiler;
mod disturbance;
mod energy;
mod footprint;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

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
    /// The time span in which a single configuration was sampled. Holds the names of the values.
    Samples(&'static [&'static str]),
}

impl Scope {
    /// Whether the values belong to a time span.
    #[must_use]
    pub fn is_of_samples(self) -> bool {
        matches!(self, Self::Samples(_))
    }

    /// Whether a metric of this name belongs to a time span.
    fn gives(self, metric: &str) -> bool {
        matches!(self, Self::Samples(metrics) if metrics.contains(&metric))
    }
}

/// Whether a metric is observed over a time span in which a single configuration is sampled.
#[must_use]
pub fn is_of_samples(metric: &str) -> bool {
    OBSERVERS.iter().any(|observer| observer.scope.gives(metric))
}

/// The observers that watch something.
pub(super) struct Watching(Vec<(&'static Observer, Box<dyn Watch>)>);

impl Watching {
    /// Starts observers.
    pub(super) fn start(scene: &Scene, wanted: impl Fn(Scope) -> bool) -> Self {
        let wanted = OBSERVERS.iter().filter(|observer| wanted(observer.scope));
        Self(wanted.filter_map(|o| Some((*o, (o.start)(scene)?))).collect())
    }

    /// Time span that the observers of these metrics need, by the longest. `None` if no observer of
    /// them watches.
    pub(super) fn window_of(&self, metrics: &[String]) -> Option<Duration> {
        let gives = |observer: &Observer| metrics.iter().any(|metric| observer.scope.gives(metric));
        let watching = self.0.iter().filter(|(observer, _)| gives(observer));
        watching.map(|(_, watch)| watch.window()).max()
    }

    /// Stops all, right after `runs` runs of the kernel. Returns values by name.
    pub(super) fn stop(self, runs: u64) -> Vec<(String, f64)> {
        self.0.into_iter().flat_map(|(_, watch)| watch.stop(runs)).collect()
    }
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
    /// Shortest time span that gives values.
    fn window(&self) -> Duration {
        Duration::ZERO
    }

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
                let given = match observer.scope {
                    Scope::Samples(metrics) => metrics,
                    Scope::Kernel => &[],
                };
                let seen = seen.iter().map(|(name, _)| name.as_str());
                let seen: Vec<&str> = seen.filter(|name| !name.starts_with("kernel_")).collect();
                for name in seen.iter().chain(given) {
                    assert!(METRICS.find(name).is_some(), "`{name}` of `{}`", observer.name);
                    let of_samples = observer.scope.is_of_samples();
                    assert_eq!(is_of_samples(name), of_samples, "`{name}` of `{}`", observer.name);
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
