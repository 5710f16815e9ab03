//! `autobench devices`: shows every backend and device, and why a device does not work.

mod examining;
mod in_words;

use clap::Args as _;
use device::{DeviceInfo, Missing};
use examining::Findings;
use records::settings::{DeviceSpec, parse_seconds};
use study::prepare::{controls, device_choice, probe, start};
use worker::{Backends, DeviceChoice};

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};

/// Allowed values of `--seconds`.
const SECONDS: std::ops::RangeInclusive<f64> = 0.1..=3600.0;

inventory::submit!(Command {
    rank: 41,
    name: "devices",
    about: "Show every device, and why one does not work",
    examples: &[
        "devices                what works here, and what does not",
        "devices --measure cpu  the smallest difference to be seen",
    ],
    augment: DevicesArgs::augment_args,
    run: |matches| run(&read::<DevicesArgs>(matches)?),
});

/// The arguments of `devices`.
#[derive(Debug, clap::Args)]
pub(super) struct DevicesArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Check whether this device and its host are fit for measurements: how fast the device copies
    /// within its own memory (the fact `copy_bandwidth`), whether cold samples are cold, noise, the
    /// smallest visible difference, and what to change
    #[arg(long, value_name = "DEVICE")]
    measure: Option<DeviceSpec>,
    /// Watch the noise of the measured device for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, requires = "measure", value_parser = parse_seconds)]
    seconds: f64,
    /// Restore clocks and power limits that a killed study left changed
    #[arg(long, conflicts_with_all = ["json", "measure"])]
    restore: bool,
}

/// Queries devices in a worker, so that a crashing driver does not end the program.
pub(super) fn run(arguments: &DevicesArgs) -> Result<(), Failure> {
    if arguments.restore {
        let said = controls::restored()?;
        if said.is_empty() {
            return output::line("nothing is left to undo");
        }
        return said.iter().try_for_each(|line| output::line(line));
    }
    let mut client = start(None)?;
    let Some(name) = &arguments.measure else {
        return print(&probe(&mut client)?, None, arguments.json);
    };
    let choice = device_choice(name)?;
    if !SECONDS.contains(&arguments.seconds) {
        return Err(Failure::settings(format!(
            "--seconds {}: not a time to watch",
            arguments.seconds
        ))
        .hint(format!("write a number from {} to {}", SECONDS.start(), SECONDS.end())));
    }
    let mut backends = probe(&mut client)?;
    let device = find(&mut backends, &choice)?;
    let findings = examining::examine(client, choice.clone(), arguments.seconds)?;
    let bandwidth = format!("{:.1} GB/s", findings.copied / 1e9);
    device.facts.insert("copy_bandwidth".to_owned(), bandwidth);
    print(&backends, Some((&choice, &findings)), arguments.json)
}

fn print(
    backends: &Backends,
    findings: Option<(&DeviceChoice, &Findings)>,
    as_json: bool,
) -> Result<(), Failure> {
    if as_json {
        let text = json(backends, findings).and_then(|value| serde_json::to_string_pretty(&value));
        return output::json(&text.map_err(Failure::bug)?);
    }
    table(backends).iter().try_for_each(|line| output::line(line))?;
    let working = backends.iter().filter_map(|(_, devices)| devices.as_ref().ok());
    working.flatten().try_for_each(details)?;
    let Some((choice, Findings { examined, .. })) = findings else { return Ok(()) };
    output::line("")?;
    output::line(&format!("health of {}:{}", choice.backend, choice.ordinal))?;
    in_words::lines(examined).iter().try_for_each(|line| output::line(line))
}

/// All devices. The examined device has its findings as `health`.
fn json(
    backends: &Backends,
    findings: Option<(&DeviceChoice, &Findings)>,
) -> serde_json::Result<serde_json::Value> {
    let mut value = serde_json::to_value(backends)?;
    if let Some((choice, Findings { examined, .. })) = findings {
        let ours = backends.iter().position(|(name, _)| *name == choice.backend);
        let device = ours.and_then(|at| value.get_mut(at)?.get_mut(1)?.get_mut("Ok"));
        if let Some(device) = device.and_then(|devices| devices.get_mut(choice.ordinal)) {
            device["health"] = serde_json::to_value(examined)?;
        }
    }
    Ok(value)
}

fn find<'a>(
    backends: &'a mut Backends,
    choice: &DeviceChoice,
) -> Result<&'a mut DeviceInfo, Failure> {
    let found = backends.iter_mut().find(|(name, _)| *name == choice.backend);
    let devices = match found.map(|(_, devices)| devices) {
        Some(Ok(devices)) => devices.as_mut_slice(),
        Some(Err(missing)) => return Err(Failure::device(&*missing)),
        None => &mut [],
    };
    devices.iter_mut().find(|device| device.ordinal == choice.ordinal).ok_or_else(|| {
        Failure::device(format!("there is no `{}:{}`", choice.backend, choice.ordinal))
            .hint("`autobench devices` lists what there is")
    })
}

/// A table of the devices that work. For missing ones it says why, and how to get them.
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
    output::line("")?;
    output::line(&format!("{}:{}  {}", device.backend, device.ordinal, device.name))?;
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
