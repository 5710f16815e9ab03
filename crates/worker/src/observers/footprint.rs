//! Device memory that the buffers take.

use autobench_sdk::document::Better;
use records::{Metric, ObjectiveOn};

use super::{Known, Observer, Scene, Scope, Watch};

inventory::submit!(Observer {
    name: "footprint",
    about: "how much device memory buffers take",
    scope: Scope::Kernel,
    start,
});

inventory::submit!(Metric {
    name: "footprint",
    unit: "B",
    about: "bytes of device memory that buffers take",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Devices,
});

fn start(scene: &Scene) -> Option<Box<dyn Watch>> {
    Some(Box::new(Known(vec![("footprint".to_owned(), scene.buffer_bytes as f64)])))
}
