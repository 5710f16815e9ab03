//! Devices: what they are, and how to compile for them, fill their memory, launch and time.
//!
//! A backend never sees strategies, objectives or exporters. All of this runs inside a worker
//! process: a device that crashes or hangs costs a trial, not the program.

mod cache;
mod contract;
pub mod control;
mod elf;
mod formats;
mod gpu;
mod headers;
mod parameters;
mod variants;

pub use control::{Control, Controls};

pub use crate::workload::{CompileJob, Launch};
pub use contract::{
    ArgumentValue, Backend, Buffer, Caches, CompileFault, Device, DeviceFault, DeviceInfo,
    Disturbance, Element, FillPlan, Kernel, Missing, Reading, RunFault, Scan, Seal, Sensors, Timed,
    Turns,
};

crate::registry! {
    /// Every kind of device.
    pub static BACKENDS: dyn Backend;
    cpu, cuda, hip,
}
