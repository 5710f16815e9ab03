//! Starts workers and asks them to describe benchmarks and devices.

use std::time::Duration;

use plugins::{Benchmark, Locator};
use records::settings::StudySettings;
use worker::{Backends, Client, WorkerFault};

use super::PrepareFault;

/// Time limit for loading a benchmark or opening a device.
pub const SETUP_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for finding devices.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Starts a worker.
pub fn start(memory_limit: Option<u64>) -> Result<Client, PrepareFault> {
    Client::of_program(memory_limit).map_err(PrepareFault::NoWorker)
}

/// Asks a worker for the devices of all backends.
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

/// Returns the fault of a benchmark that a worker cannot use. The message names the benchmark once,
/// also if the worker's text begins with its name.
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

/// Returns the benchmark of a study: all of it, or the stage that the settings name. For a stage,
/// the parameters of other stages are narrowed to their defaults.
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
