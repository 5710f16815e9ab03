//! Devices: what they are, and how to compile for them, fill their memory, launch and time.
//!
//! A backend never sees strategies, objectives or exporters. All of this runs inside a worker
//! process: a device that crashes or hangs costs a trial, not the program.

mod arguments;
mod compilation;
mod contract;
pub mod control;
mod gpu;

// Every backend, a line each.
mod cpu;
mod cuda;
mod hip;

pub use control::{Control, Controls};

pub use crate::workload::CompileJob;
pub use contract::fault::{CompileFault, DeviceFault, Missing, RunFault};
pub use contract::{
    Backend, Device, DeviceInfo, Element, OpenControls, Reading, Sensors,
    work::{
        ArgumentValue, BoundLaunch, Buffer, Caches, Disturbance, FillPlan, Kernel, Scan, Seal,
        Timed, Turns,
    },
};

use crate::registry::{Named, Registry};

inventory::collect!(Backend);

/// Every kind of device.
pub static BACKENDS: Registry<Backend> = Registry::new("kind of device");

impl Named for Backend {
    fn name(&self) -> &'static str {
        self.name
    }
}
