//! A benchmark with what runs its code: a plugin, a guest, or nothing.

use device::{BACKENDS, Device};
use guest::GuestDevice;
use plugins::{Benchmark, Locator, Plugin};

use super::{DeviceChoice, Setup};

pub(super) struct Opening {
    pub(super) benchmark: Benchmark,
    pub(super) plugin: Option<Plugin>,
    guest: Option<GuestDevice>,
}

impl Opening {
    /// Loads a benchmark, or starts its guest.
    pub(super) fn of(locator: &Locator) -> Result<Self, String> {
        let Locator::Guest(path) = locator else {
            let (benchmark, plugin) = plugins::open(locator).map_err(|fault| fault.to_string())?;
            return Ok(Self { benchmark, plugin, guest: None });
        };
        let (document, guest) = guest::open(path)?;
        let benchmark =
            Benchmark::new(document).map_err(|fault| format!("the guest's benchmark: {fault}"))?;
        Ok(Self { benchmark, plugin: None, guest: Some(guest) })
    }

    /// The guest as a device, or the device of the setup.
    pub(super) fn device(&mut self, setup: &Setup) -> Result<Box<dyn Device>, String> {
        if let Some(guest) = self.guest.take() {
            return Ok(Box::new(guest.cold(setup.cold)));
        }
        let DeviceChoice { backend, ordinal } = &setup.device;
        let backend = BACKENDS.named(backend).map_err(|unknown| unknown.to_string())?;
        (backend.open)(*ordinal).map_err(|fault| fault.to_string())
    }
}
