//! The worker processes of a command: started, asked what there is, given their devices.

pub(super) mod controls;
mod of_devices;
mod temporary;

use std::time::Duration;

use super::terminal::Failure;
use crate::{
    plugins::{Benchmark, Locator},
    worker::{Backends, Client},
};

pub(super) use of_devices::{DeviceWorkers, device_choice, device_choices, models};
pub(super) use temporary::{remove as remove_temporary_files, worker as client_settings};

/// Loading a benchmark or opening a device takes no longer than this.
pub(super) const SETUP_TIMEOUT: Duration = Duration::from_secs(30);
/// Looking for devices takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// A worker that has nothing set up yet.
pub(super) fn start(memory_limit: Option<u64>) -> Result<Client, Failure> {
    Client::start(client_settings(memory_limit)).map_err(Failure::bug)
}

/// Every backend's devices.
pub(super) fn probe(client: &mut Client) -> Result<Backends, Failure> {
    client.devices(PATIENCE).map_err(|fault| Failure::device(&fault).unless_machine(&fault))
}

/// Asks a plugin what it is.
pub(super) fn describe(client: &mut Client, locator: &Locator) -> Result<Benchmark, Failure> {
    let path = locator.path().display();
    let document = client.describe(locator, SETUP_TIMEOUT).map_err(|fault| {
        Failure::plugin(format!("benchmark `{path}` cannot be used: {fault}"))
            .unless_machine(&fault)
    })?;
    Benchmark::new(document)
        .map_err(|fault| Failure::plugin(format!("benchmark `{path}`: {fault}")))
}
