//! Sets a device's clock and power limit, in a separate worker. No kernel runs in that worker that
//! could crash it, and it undoes everything when the program is gone, however the program ended.

use std::time::Duration;

use device::Control;
use records::Named;
use space::Value;

use super::Client;

/// Names of the parameters that set a device, in megahertz and in watts.
pub const CONTROLS: [&str; 2] = ["sm_clock", "power_limit"];
/// Time limit: setting takes milliseconds, but a driver may first take seconds to start.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A worker that sets one device, and restores it when dropped.
#[derive(Debug)]
pub struct ControlWorker {
    client: Client,
    backend: String,
    address: String,
    now: Option<Control>,
}

impl ControlWorker {
    /// Makes the worker for the device at an address. Sets nothing yet.
    #[must_use]
    pub fn new(client: Client, backend: &str, address: &str) -> Self {
        let (backend, address) = (backend.to_owned(), address.to_owned());
        Self { client, backend, address, now: None }
    }

    /// Restores the settings from before the first configuration.
    ///
    /// # Errors
    /// One sentence, if it cannot be restored now.
    pub fn release(&mut self) -> Result<(), String> {
        self.now = None;
        let restored = self.client.restore(Some(std::process::id()), REQUEST_TIMEOUT);
        restored.map(drop).map_err(|fault| fault.to_string())
    }

    /// Sets the controls that are among a configuration's parameters.
    ///
    /// # Errors
    /// One sentence, if the device or the user's rights do not allow it.
    pub fn apply(&mut self, configuration: &Named) -> Result<(), String> {
        let number = |name: &str| match configuration.get(name) {
            Some(Value::Int(value)) => u32::try_from(*value).ok(),
            _ => None,
        };
        let wanted = Control { sm_clock: number(CONTROLS[0]), power_limit: number(CONTROLS[1]) };
        if self.now == Some(wanted) {
            return Ok(());
        }
        self.now = None;
        let device = (self.backend.as_str(), self.address.as_str());
        let set = self.client.control(device, std::process::id(), wanted, REQUEST_TIMEOUT);
        set.map_err(|fault| fault.to_string())?;
        self.now = Some(wanted);
        Ok(())
    }
}

impl Drop for ControlWorker {
    fn drop(&mut self) {
        // If this fails the note stays, and `autobench devices --restore` undoes it.
        let _ = self.release();
    }
}
