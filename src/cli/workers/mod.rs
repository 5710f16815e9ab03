//! Worker processes of a command: started, asked for devices, set up.

pub(super) mod controls;
mod of_devices;
mod temporary;

use std::time::Duration;

use super::terminal::Failure;
use crate::{
    plugins::{Benchmark, Locator},
    worker::{Backends, Client, WorkerFault},
};

pub(super) use of_devices::{DeviceWorkers, device_choice, device_choices, models};
pub(super) use temporary::{remove as remove_temporary_files, worker as client_settings};

/// Limit of loading a benchmark or opening a device.
pub(super) const SETUP_TIMEOUT: Duration = Duration::from_secs(30);
/// Limit of looking for devices.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn start(memory_limit: Option<u64>) -> Result<Client, Failure> {
    Client::start(client_settings(memory_limit)).map_err(Failure::bug)
}

pub(super) fn probe(client: &mut Client) -> Result<Backends, Failure> {
    client.devices(PATIENCE).map_err(|fault| Failure::device(&fault).unless_machine(&fault))
}

/// Asks a worker for a benchmark's description.
pub(super) fn describe(client: &mut Client, locator: &Locator) -> Result<Benchmark, Failure> {
    let document =
        client.describe(locator, SETUP_TIMEOUT).map_err(|fault| unusable(locator, &fault))?;
    Benchmark::new(document)
        .map_err(|fault| Failure::plugin(format!("benchmark `{locator}`: {fault}")))
}

/// A benchmark that a worker cannot use; what begins with the place of a fault says it once.
pub(super) fn unusable(locator: &Locator, fault: &WorkerFault) -> Failure {
    let (said, place) = (fault.to_string(), locator.to_string());
    let names_it = said.trim_start_matches('`').starts_with(&place);
    let message = match names_it {
        true => said,
        false => format!("benchmark `{place}` cannot be used: {said}"),
    };
    Failure::plugin(message).unless_machine(fault)
}
