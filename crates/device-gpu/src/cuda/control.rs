//! Clocks and the power limit, set through NVML by users who have the right.

use device::{Control, Controls, DeviceFault};
use nvml_wrapper::{Device, enums::device::GpuLockedClocksSetting, error::NvmlError};

use super::sensors;

pub(super) fn controls(address: &str) -> Result<Box<dyn Controls>, DeviceFault> {
    let device = sensors::device(address).ok_or_else(|| {
        DeviceFault(
            "clocks and power cannot be set: NVML (libnvidia-ml.so.1) was not found or does not \
             know the device"
                .to_owned(),
        )
    })?;
    Ok(Box::new(Managed(device)))
}

struct Managed(Device<'static>);

impl Managed {
    fn refused(&self, what: &str, error: &NvmlError) -> DeviceFault {
        let why = match error {
            NvmlError::NoPermission => {
                "this user may not: it takes root, and in a container or a job also the \
                 administrator's leave"
                    .to_owned()
            }
            NvmlError::NotSupported | NvmlError::FunctionNotFound => {
                "this device or its driver cannot".to_owned()
            }
            NvmlError::InvalidArg => format!("the driver refuses the value{}", self.ranges()),
            other => other.to_string(),
        };
        DeviceFault(format!("{what} cannot be set: {why}"))
    }

    fn ranges(&self) -> String {
        let power = self.0.power_management_limit_constraints().ok();
        let power = power.map(|limits| {
            format!("; power from {} to {} W", limits.min_limit / 1000, limits.max_limit / 1000)
        });
        let highest = self.0.max_clock_info(nvml_wrapper::enum_wrappers::device::Clock::SM).ok();
        let highest = highest.map(|clock| format!("; clocks up to {clock} MHz"));
        power.into_iter().chain(highest).collect()
    }
}

impl Controls for Managed {
    fn power_limit(&mut self) -> Result<u32, DeviceFault> {
        self.0.power_management_limit().map_err(|error| self.refused("the limit of power", &error))
    }

    fn set(&mut self, wanted: &Control) -> Result<(), DeviceFault> {
        if let Some(watts) = wanted.power_limit {
            self.set_power_limit(watts.saturating_mul(1000))?;
        }
        if let Some(clock) = wanted.sm_clock {
            let exactly =
                GpuLockedClocksSetting::Numeric { min_clock_mhz: clock, max_clock_mhz: clock };
            let what = format!("a clock of {clock} MHz");
            let set = self.0.set_gpu_locked_clocks(exactly);
            set.map_err(|error| self.refused(&what, &error))?;
        }
        Ok(())
    }

    fn free_clock(&mut self) -> Result<(), DeviceFault> {
        let freed = self.0.reset_gpu_locked_clocks();
        freed.map_err(|error| self.refused("the usual clock", &error))
    }

    fn set_power_limit(&mut self, milliwatts: u32) -> Result<(), DeviceFault> {
        let what = format!("a limit of {} W", milliwatts / 1000);
        let set = self.0.set_power_management_limit(milliwatts);
        set.map_err(|error| self.refused(&what, &error))
    }
}
