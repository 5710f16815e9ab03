//! The compiler's facts of a kernel.

use super::{Known, Observer, Scene, Scope, Watch};
use crate::registry::Entry;

inventory::submit!(Entry::<dyn Observer>(&Compiler));

#[derive(Debug)]
struct Compiler;

impl Observer for Compiler {
    fn name(&self) -> &'static str {
        "compiler"
    }

    fn about(&self) -> &'static str {
        "`compile_seconds`, and what the backend knows of the kernel (registers, spills, fibers), each as `kernel_…`"
    }

    fn scope(&self) -> Scope {
        Scope::Kernel
    }

    fn start(&self, scene: &Scene) -> Option<Box<dyn Watch>> {
        let mut seen = vec![("compile_seconds".to_owned(), scene.compile_seconds)];
        seen.extend(scene.kernel_facts.iter().map(|(name, v)| (format!("kernel_{name}"), *v)));
        Some(Box::new(Known(seen)))
    }
}
