//! The child process that owns a device and a plugin, and how the program speaks with it.
//!
//! Whatever can crash, hang or poison a process lives here: a plugin's functions, the driver, the
//! kernels. The parent keeps a kill timer per request; a crash or a hang costs one trial and a
//! restart, and a worker never outlives its parent.

mod protocol;

pub use protocol::{
    Checking, DeviceChoice, Locator, MeasurePlan, Reply, Request, Setup, Verification,
};
