//! The compiler's facts about a kernel.

use autobench_sdk::document::Better;
use records::{Metric, ObjectiveOn};

use super::{Known, Observer, Scene, Scope, Watch};

inventory::submit!(Observer {
    name: "compiler",
    about: "compiling, and what the backend knows of the kernel (registers, spills, fibers), each as `kernel_…`",
    scope: Scope::Kernel,
    start,
});

// No objective on devices, since a cached kernel compiles in no time.
inventory::submit!(Metric {
    name: "compile_seconds",
    unit: "s",
    about: "compile time",
    better: Some(Better::Lower),
    objective_on: ObjectiveOn::Recorded(|trial| Some(trial.compile_ms / 1e3)),
});

fn start(scene: &Scene) -> Option<Box<dyn Watch>> {
    let mut seen = vec![("compile_seconds".to_owned(), scene.compile_seconds)];
    seen.extend(scene.kernel_facts.iter().map(|(name, v)| (format!("kernel_{name}"), *v)));
    Some(Box::new(Known(seen)))
}
