//! `autobench devices`: every backend and device, and for what does not work, why.

use std::time::Duration;

use super::{Failure, launch, output};
use crate::worker::{Reply, Request};

/// How to show them.
#[derive(Debug, clap::Args)]
pub(super) struct DevicesArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Asks a worker, so that a driver that crashes costs a sentence.
pub(super) fn run(arguments: &DevicesArgs) -> Result<(), Failure> {
    let mut client = launch::worker(None)?;
    let backends = match client.request(&Request::Devices, Duration::from_secs(60)) {
        Ok(Reply::Devices(backends)) => backends,
        Ok(_) => return Err(Failure::bug("the worker answered something else than was asked")),
        Err(fault) => return Err(Failure::device(fault)),
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&backends).map_err(Failure::bug)?;
        return output::line(&text);
    }
    for (backend, devices) in backends {
        match devices {
            Err(missing) => output::line(&format!("{backend}: not available, {missing}"))?,
            Ok(devices) => {
                for device in devices {
                    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
                    output::line(&format!("{backend}:{}  {}", device.ordinal, device.name))?;
                    output::line(&format!("  compiler     {}", device.compiler))?;
                    output::line(&format!(
                        "  memory       {:.1} GiB, {:.1} GiB free",
                        gib(device.memory.0),
                        gib(device.memory.1)
                    ))?;
                    let formats: Vec<&str> = device.formats.iter().map(|f| f.name()).collect();
                    output::line(&format!("  formats      {}", formats.join(" ")))?;
                    for (name, value) in &device.facts {
                        output::line(&format!("  {name:12} {value}"))?;
                    }
                    for warning in &device.warnings {
                        output::line(&format!("  warning: {warning}"))?;
                    }
                }
            }
        }
    }
    Ok(())
}
