//! `autobench devices`: every backend and device, and for what does not work, why.

use std::time::Duration;

use super::{Failure, controls, crew::device_choice, launch, output};
use crate::{
    backends::{DeviceInfo, Missing},
    numeric::median,
    worker::{Client, DeviceChoice, Reply, Request},
};

/// Looking for devices takes no longer than this, nor does measuring one.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to show them.
#[derive(Debug, clap::Args)]
pub(super) struct DevicesArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Measure how fast this device copies within its own memory (the fact `copy_bandwidth`)
    #[arg(long, value_name = "DEVICE")]
    measure: Option<String>,
    /// Undo what a study that was killed has left set: clocks and limits of power
    #[arg(long, conflicts_with_all = ["json", "measure"])]
    restore: bool,
}

/// Each backend's name and its devices, or why there are none.
type Backends = Vec<(String, Result<Vec<DeviceInfo>, Missing>)>;

/// Asks a worker, so that a driver that crashes costs a sentence.
pub(super) fn run(arguments: &DevicesArgs) -> Result<(), Failure> {
    if arguments.restore {
        let said = controls::restored()?;
        if said.is_empty() {
            return output::line("nothing is left to undo");
        }
        return said.iter().try_for_each(|line| output::line(line));
    }
    let mut client = launch::worker(None)?;
    let mut backends = probe(&mut client)?;
    if let Some(name) = &arguments.measure {
        measure(&mut client, &device_choice(name)?, &mut backends)?;
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&backends).map_err(Failure::bug)?;
        return output::line(&text);
    }
    table(&backends).iter().try_for_each(|line| output::line(line))?;
    let working = backends.iter().filter_map(|(_, devices)| devices.as_ref().ok());
    working.flatten().try_for_each(details)
}

/// Every backend's devices.
pub(super) fn probe(client: &mut Client) -> Result<Backends, Failure> {
    match client.request(&Request::Devices, PATIENCE) {
        Ok(Reply::Devices(backends)) => Ok(backends),
        Ok(_) => Err(Failure::bug("the worker answered something else than was asked")),
        Err(fault) => Err(Failure::device(fault)),
    }
}

/// Adds what copying within the device's memory reaches: bytes read and bytes written count.
fn measure(
    client: &mut Client,
    choice: &DeviceChoice,
    backends: &mut Backends,
) -> Result<(), Failure> {
    let copied = client.request(&Request::MeasureCopy(choice.clone()), PATIENCE);
    let (bytes, seconds) = match copied {
        Ok(Reply::Copied { bytes, seconds }) => (bytes, seconds),
        Ok(_) => return Err(Failure::bug("the worker answered something else than was asked")),
        Err(fault) => return Err(Failure::device(fault)),
    };
    let bandwidth = format!("{:.1} GB/s", 2.0 * bytes as f64 / median(&seconds) / 1e9);
    let devices = backends.iter_mut().filter_map(|(_, devices)| devices.as_mut().ok()).flatten();
    let is_meant = |device: &&mut DeviceInfo| {
        device.backend == choice.backend && device.ordinal == choice.ordinal
    };
    for device in devices.filter(is_meant) {
        device.facts.insert("copy_bandwidth".to_owned(), bandwidth.clone());
    }
    Ok(())
}

/// What works, and for what does not, why and how to get it.
fn table(backends: &Backends) -> Vec<String> {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for (backend, devices) in backends {
        match devices {
            Ok(devices) => rows.extend(devices.iter().map(|device| {
                let what = format!("{}, {:.1} GiB", device.name, gib(device.memory.0));
                [format!("{backend}:{}", device.ordinal), "works".to_owned(), what]
            })),
            Err(Missing { why, cure }) => {
                rows.push([backend.clone(), "not available".to_owned(), why.clone()]);
                rows.push([String::new(), String::new(), format!("to get it: {cure}")]);
            }
        }
    }
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let row = |[device, state, what]: &[String; 3]| {
        format!("{device:first$}  {state:second$}  {what}").trim_end().to_owned()
    };
    rows.iter().map(row).collect()
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

/// A device, a line for each thing that is known of it.
fn details(device: &DeviceInfo) -> Result<(), Failure> {
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
    output::line(&format!("\n{}:{}  {}", device.backend, device.ordinal, device.name))?;
    for (name, value) in lines {
        output::line(&format!("  {name:width$}  {value}"))?;
    }
    for warning in &device.warnings {
        output::line(&format!("  warning: {warning}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_work_says_why_and_how_to_get_it() {
        let missing = Missing { why: "no driver".to_owned(), cure: "install one".to_owned() };
        let backends = vec![("cuda".to_owned(), Err(missing))];
        assert_eq!(
            table(&backends),
            ["cuda  not available  no driver", "                     to get it: install one"]
        );
    }
}
