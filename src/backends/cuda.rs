//! NVIDIA GPUs, through the driver's own library and NVRTC. Both are loaded at run time: building
//! needs nothing of CUDA, running needs the driver and NVRTC, and where one of them is missing
//! that is a sentence. `docs/cuda.md` says how it measures and what was and was not tried.

mod ahead;
mod api;
mod builder;
mod calls;
mod context;
mod control;
mod cubin;
mod device;
mod driver;
mod facts;
mod fault;
mod finding;
mod graph;
mod launch;
mod loaded;
mod memory;
mod nvml;
mod nvrtc;
mod options;
mod permission;
mod report;
mod runs;
mod service;
mod stopwatch;
mod unit;

use super::{Backend, Controls, Device, DeviceFault, DeviceInfo, Missing};

/// The backend `cuda`.
pub(super) static ENTRY: Cuda = Cuda;

/// NVIDIA's GPUs.
pub(super) struct Cuda;

impl Backend for Cuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn about(&self) -> &'static str {
        "NVIDIA GPUs, through the driver and NVRTC"
    }

    fn probe(&self) -> Result<Vec<DeviceInfo>, Missing> {
        let driver = driver::Driver::load()?;
        let count = driver.count()?;
        let compiler = nvrtc::Nvrtc::find(driver.version())?;
        (0..count)
            .map(|ordinal| {
                let properties = driver.properties(ordinal).map_err(|fault| Missing {
                    why: format!("the driver cannot describe device {ordinal}: {fault}"),
                    cure: "look at what `nvidia-smi` says of it".to_owned(),
                })?;
                Ok(facts::info(&driver, &compiler, &properties))
            })
            .collect()
    }

    fn open(&self, ordinal: usize) -> Result<Box<dyn Device>, DeviceFault> {
        let missing = |missing: Missing| DeviceFault(missing.to_string());
        let driver = driver::Driver::load().map_err(missing)?;
        let count = driver.count().map_err(missing)?;
        if ordinal >= count {
            let known: Vec<String> = (0..count).map(|known| format!("cuda:{known}")).collect();
            return Err(DeviceFault(format!(
                "there is no `cuda:{ordinal}` (known: {})",
                known.join(", ")
            )));
        }
        let compiler = nvrtc::Nvrtc::find(driver.version()).map_err(missing)?;
        Ok(Box::new(device::CudaDevice::open(driver, compiler, ordinal)?))
    }

    fn controls(&self, address: &str) -> Result<Box<dyn Controls>, DeviceFault> {
        control::controls(address)
    }
}
