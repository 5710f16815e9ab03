//! AMD GPUs, through ROCm's HIP runtime and hiprtc. Both are loaded at run time: building needs no
//! ROCm, and a missing library is reported in a sentence. `docs/guide/gpus.md` explains how the
//! backend measures and what was tried.

mod calls;
mod compiler;
mod compiler_report;
mod driver;
mod facts;
mod image;
mod library_search;
mod metadata;
mod options;
mod permission;
mod sensors;

use std::sync::Arc;

use device::{Backend, Device, DeviceFault, DeviceInfo, Missing};

use crate::gpu::device::{Gpu, GpuDeviceParts};

inventory::submit!(Backend {
    name: "hip",
    about: "AMD GPUs, through ROCm's runtime and hiprtc",
    probe,
    open,
    controls: None,
});

fn probe() -> Result<Vec<DeviceInfo>, Missing> {
    let runtime = driver::Runtime::load()?;
    runtime.driver.count()?;
    let compiler = compiler::Hiprtc::find(&runtime)?;
    runtime.driver.describe(|properties| facts::info(&runtime, &compiler, properties))
}

fn open(ordinal: usize) -> Result<Box<dyn Device>, DeviceFault> {
    let missing = |missing: Missing| DeviceFault(missing.to_string());
    let runtime = driver::Runtime::load().map_err(missing)?;
    let properties = runtime.driver.properties_of(ordinal)?;
    let hiprtc = compiler::Hiprtc::find(&runtime).map_err(missing)?;
    let architecture = runtime.architecture(&properties)?;
    let target = hiprtc.target(&architecture).map_err(DeviceFault)?;
    let info = facts::info(&runtime, &hiprtc, &properties);
    let (driver, of) = (Arc::clone(&runtime.driver), properties.clone());
    Ok(Box::new(Gpu::open(GpuDeviceParts {
        info,
        sensors: sensors::sensors(&properties.address),
        warnings: Box::new(move || facts::warnings(&runtime, &of)),
        compiler: Arc::new(compiler::Aimed { hiprtc, target }),
        driver,
        properties,
    })?))
}
