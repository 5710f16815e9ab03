//! NVIDIA GPUs, through the driver's library and NVRTC. Both are loaded at run time: building needs
//! no CUDA, and a missing library is reported in a sentence. `docs/guide/gpus.md` explains how the
//! backend measures and what was tried.

mod calls;
mod compiler;
mod compiler_report;
mod control;
mod driver;
mod facts;
mod image;
mod library_search;
mod options;
mod permission;
mod sensors;

use std::sync::Arc;

use device::{Backend, Device, DeviceFault, DeviceInfo, Missing};

use crate::gpu::device::{Gpu, GpuDeviceParts};

inventory::submit!(Backend {
    name: "cuda",
    about: "NVIDIA GPUs, through the driver and NVRTC",
    probe,
    open,
    controls: Some(control::controls),
});

fn probe() -> Result<Vec<DeviceInfo>, Missing> {
    let driver = driver::load()?;
    driver.count()?;
    let compiler = compiler::Nvrtc::find(driver.version())?;
    driver.describe(|properties| facts::info(&driver, &compiler, properties))
}

fn open(ordinal: usize) -> Result<Box<dyn Device>, DeviceFault> {
    let missing = |missing: Missing| DeviceFault(missing.to_string());
    let driver = driver::load().map_err(missing)?;
    let properties = driver.properties_of(ordinal)?;
    let nvrtc = compiler::Nvrtc::find(driver.version()).map_err(missing)?;
    let target = nvrtc.target(facts::compute(&driver, &properties));
    let target = target.map_err(DeviceFault)?;
    let (asked, of) = (Arc::clone(&driver), properties.clone());
    Ok(Box::new(Gpu::open(GpuDeviceParts {
        info: facts::info(&driver, &nvrtc, &properties),
        sensors: sensors::sensors(&properties.address),
        warnings: Box::new(move || facts::warnings(&asked, &of)),
        compiler: Arc::new(compiler::Aimed { nvrtc, target }),
        driver,
        properties,
    })?))
}
