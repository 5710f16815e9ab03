//! Devices: what they are, and how to compile for them, fill their memory, launch and time.
//!
//! A backend never sees strategies, objectives or exporters. All of this runs inside a worker
//! process: a device that crashes or hangs costs a trial, not the program.

mod cache;
mod contract;
pub mod control;
mod elf;
mod fault;
mod formats;
mod gpu;
mod headers;
mod parameters;
mod variants;

// Every backend, a line each.
mod cpu;
mod cuda;
mod hip;

pub use control::{Control, Controls};

pub use crate::workload::CompileJob;
pub use contract::{
    ArgumentValue, Backend, BoundLaunch, Buffer, Caches, Device, DeviceInfo, Disturbance, Element,
    FillPlan, Kernel, Reading, Scan, Seal, Sensors, Timed, Turns,
};
pub use fault::{CompileFault, DeviceFault, Missing, RunFault};

use crate::registry::{Entry, Named, Registry};

inventory::collect!(Entry<dyn Backend>);

/// Every kind of device.
pub static BACKENDS: Registry<dyn Backend> = Registry::new("kind of device");

impl Named for dyn Backend {
    fn name(&self) -> &'static str {
        Backend::name(self)
    }

    fn about(&self) -> &'static str {
        Backend::about(self)
    }
}
