//! Devices: compiling for them, filling their memory, launching and timing. A backend never sees
//! strategies, objectives or exporters. All of it runs in a worker process: a device that crashes
//! or hangs costs a trial, not the program.

mod arguments;
mod compilation;
mod contract;
pub mod control;
mod gpu;

// All backends, a line each.
mod cpu;
mod cuda;
mod hip;

pub use control::{Control, Controls};

pub use crate::workload::CompileJob;
pub use contract::fault::{CompileFault, DeviceFault, Missing, RunFault};
pub use contract::{
    Backend, Device, DeviceInfo, Element, Reading, Sensors,
    work::{
        ArgumentValue, BoundLaunch, Buffer, Caches, Disturbance, FillPlan, Kernel, Scan, Seal,
        Timed, Turns,
    },
};

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
