//! Benchmarks as workers describe them.

use std::time::Duration;

use plugins::{Benchmark, Locator};
use records::settings::StudySettings;
use worker::{Backends, Client, WorkerFault};

use super::PrepareFault;

/// Limit of loading a benchmark or opening a device.
pub const SETUP_TIMEOUT: Duration = Duration::from_secs(30);
/// Limit of looking for devices.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Starts a worker.
pub fn start(memory_limit: Option<u64>) -> Result<Client, PrepareFault> {
    Client::of_program(memory_limit).map_err(PrepareFault::NoWorker)
}

/// Asks a worker what devices there are.
pub fn probe(client: &mut Client) -> Result<Backends, PrepareFault> {
    client.devices(REQUEST_TIMEOUT).map_err(PrepareFault::Device)
}

/// Asks a worker for a benchmark's description.
pub fn describe(client: &mut Client, locator: &Locator) -> Result<Benchmark, PrepareFault> {
    let document =
        client.describe(locator, SETUP_TIMEOUT).map_err(|fault| unusable(locator, fault))?;
    Benchmark::new(document).map_err(|fault| PrepareFault::Benchmark {
        message: format!("benchmark `{locator}`: {fault}"),
        fault: None,
    })
}

/// A benchmark that a worker cannot use; what begins with the place of a fault says it once.
#[must_use]
pub fn unusable(locator: &Locator, fault: WorkerFault) -> PrepareFault {
    let (said, place) = (fault.to_string(), locator.to_string());
    let names_it = said.trim_start_matches('`').starts_with(&place);
    let message = match names_it {
        true => said,
        false => format!("benchmark `{place}` cannot be used: {said}"),
    };
    PrepareFault::Benchmark { message, fault: Some(fault) }
}

/// The benchmark of a study: the whole, or the stage that the settings name, whose other parameters
/// are then narrowed to their defaults.
pub fn staged(
    benchmark: Benchmark,
    settings: &mut StudySettings,
) -> Result<Benchmark, PrepareFault> {
    if settings.stage.is_empty() {
        return Ok(benchmark);
    }
    let stage = benchmark.of_stage(&settings.stage)?;
    let kept = benchmark.kept_at_defaults(&settings.stage, &settings.parameters);
    settings.parameters.extend(kept);
    Ok(stage)
}
