//! The compiler's facts of a kernel.

use super::{Known, Observer, Scene, Scope, Watch};

inventory::submit!(Observer {
    name: "compiler",
    about: "`compile_seconds`, and what the backend knows of the kernel (registers, spills, fibers), each as `kernel_…`",
    scope: Scope::Kernel,
    start,
});

fn start(scene: &Scene) -> Option<Box<dyn Watch>> {
    let mut seen = vec![("compile_seconds".to_owned(), scene.compile_seconds)];
    seen.extend(scene.kernel_facts.iter().map(|(name, v)| (format!("kernel_{name}"), *v)));
    Some(Box::new(Known(seen)))
}
