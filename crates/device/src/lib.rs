//! Devices: compiling for them, filling their memory, launching and timing. All of this runs in a
//! worker process, so that a device that crashes or hangs costs a trial and not the program.
//!
//! This crate never knows about strategies, objectives or exporters. Begin with `contract/mod.rs`.

pub mod arguments;
pub mod compilation;
mod contract;
pub mod control;
pub mod load;
pub mod machine;
pub mod trespass;
pub mod workload;

pub use control::{Control, Controls};

pub use crate::workload::CompileJob;
pub use contract::fault::{CompileFault, DeviceFault, Missing, RunFault};
pub use contract::{
    Backend, Device, DeviceInfo, OpenControls, SensorReading, Sensors,
    work::{
        ArgumentValue, BoundLaunch, Buffer, Caches, Disturbance, FillPlan, JudgedOutput, Kernel,
        OwnResults, SampleRuns, Scan, Seal, Timed,
    },
};

use registry::{Registered, Registry};

inventory::collect!(Backend);

/// All kinds of device.
pub static BACKENDS: Registry<Backend> = Registry::new("kind of device");

impl Registered for Backend {
    fn name(&self) -> &'static str {
        self.name
    }
}
