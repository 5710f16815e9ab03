//! Devices: compiling for them, filling their memory, launching and timing. A backend never sees
//! strategies, objectives or exporters. All of it runs in a worker process: a device that crashes
//! or hangs costs a trial, not the program.
//!
//! It never knows strategies, objectives and exporters. Begin with `contract/mod.rs`.

pub mod arguments;
pub mod compilation;
mod contract;
pub mod control;
pub mod workload;

pub use control::{Control, Controls};

pub use crate::workload::CompileJob;
pub use contract::fault::{CompileFault, DeviceFault, Missing, RunFault};
pub use contract::{
    Backend, Device, DeviceInfo, OpenControls, SensorReading, Sensors,
    work::{
        ArgumentValue, BoundLaunch, Buffer, Caches, Disturbance, FillPlan, Kernel, SampleRuns,
        Scan, Seal, Timed,
    },
};

use registry::{Registered, Registry};

inventory::collect!(Backend);

/// Every kind of device.
pub static BACKENDS: Registry<Backend> = Registry::new("kind of device");

impl Registered for Backend {
    fn name(&self) -> &'static str {
        self.name
    }
}
