//! Device memory that the buffers take.

use super::{Known, Observer, Scene, Scope, Watch};

inventory::submit!(Observer {
    name: "footprint",
    about: "`footprint`, the bytes of device memory that buffers take",
    scope: Scope::Kernel,
    start,
});

fn start(scene: &Scene) -> Option<Box<dyn Watch>> {
    Some(Box::new(Known(vec![("footprint".to_owned(), scene.buffer_bytes as f64)])))
}
