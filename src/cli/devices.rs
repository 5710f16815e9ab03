//! `autobench devices`: every backend and device, and for what does not work, why.

use std::time::Duration;

use super::{Failure, launch, output};
use crate::{
    backends::DeviceInfo,
    worker::{Reply, Request},
};

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
            Ok(devices) => devices.iter().try_for_each(|device| show(&backend, device))?,
        }
    }
    Ok(())
}

/// A device, a line for each thing that is known of it.
fn show(backend: &str, device: &DeviceInfo) -> Result<(), Failure> {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let (all, free) = (gib(device.memory.0), gib(device.memory.1));
    let formats: Vec<&str> = device.formats.iter().map(|format| format.name()).collect();
    let mut lines = vec![
        ("compiler", device.compiler.clone()),
        ("memory", format!("{all:.1} GiB, {free:.1} GiB free")),
        ("formats", formats.join(" ")),
    ];
    let peaks = [
        ("peak bandwidth", device.peak_bandwidth, "GB/s"),
        ("peak f32", device.peak_flops, "GFLOP/s"),
    ];
    for (name, peak, unit) in peaks {
        lines.extend(peak.map(|peak| (name, format!("{:.0} {unit} in theory", peak / 1e9))));
    }
    lines.extend(device.facts.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    output::line(&format!("{backend}:{}  {}", device.ordinal, device.name))?;
    for (name, value) in lines {
        output::line(&format!("  {name:width$}  {value}"))?;
    }
    for warning in &device.warnings {
        output::line(&format!("  warning: {warning}"))?;
    }
    Ok(())
}
