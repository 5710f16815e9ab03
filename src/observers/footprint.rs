//! Device memory that the buffers take.

use super::{Known, Observer, Scene, Scope, Watch};
use crate::registry::Entry;

inventory::submit!(Entry::<dyn Observer>(&Footprint));

#[derive(Debug)]
struct Footprint;

impl Observer for Footprint {
    fn name(&self) -> &'static str {
        "footprint"
    }

    fn about(&self) -> &'static str {
        "`footprint`, the bytes of device memory that buffers take"
    }

    fn scope(&self) -> Scope {
        Scope::Kernel
    }

    fn start(&self, scene: &Scene) -> Option<Box<dyn Watch>> {
        Some(Box::new(Known(vec![("footprint".to_owned(), scene.buffer_bytes as f64)])))
    }
}
