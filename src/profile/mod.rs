//! `autobench profile`: measures the ceilings of a device with a built-in suite and stores them.

mod kept;
mod reading;

use std::path::PathBuf;

use clap::Args;
use records::{CEILINGS_FILE, CeilingsRecord, settings::DeviceSpec};
use report::exporters::ceilings;
use study::prepare::device_choice;

use super::{
    command::{Command, read},
    suite::{SuiteArgs, perform_built_in},
    terminal::{Failure, Screen, output},
};

pub(super) use kept::all;

inventory::submit!(Command {
    rank: 5,
    name: "profile",
    about: "Measure a device's ceilings, for studies to be held against",
    examples: &[
        "profile --quick  this processor, in three or four minutes",
        "profile --device cuda",
        "profile --show   what is known",
    ],
    augment: ProfileArgs::augment_args,
    run: |matches| run(&read::<ProfileArgs>(matches)?),
});

/// The arguments of `profile`.
#[derive(Debug, Args)]
struct ProfileArgs {
    /// The device: `cpu`, `cuda`, `cuda:1`
    #[arg(long, default_value = "cpu")]
    device: DeviceSpec,
    /// Three or four minutes instead of ten: fewer sizes and fewer evaluations
    #[arg(long)]
    quick: bool,
    /// Set a flag of all studies that accept it, as with `autobench suite` (repeatable)
    #[arg(long, value_name = "FLAG=VALUE", value_parser = super::suite::flag_and_value)]
    set: Vec<(String, String)>,
    /// Only these benchmarks, or studies whose label is or begins with this (repeatable, or a comma
    /// list)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Show the known ceilings of all devices, and measure nothing
    #[arg(long, conflicts_with_all = ["quick", "set", "only", "from"])]
    show: bool,
    /// Read the ceilings from the folder of an earlier or resumed profile, and store them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["quick", "set", "only"])]
    from: Option<PathBuf>,
    /// Where results go
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_path: Vec<PathBuf>,
    #[command(flatten)]
    screen: Screen,
}

fn run(arguments: &ProfileArgs) -> Result<(), Failure> {
    if arguments.show {
        return show(arguments.screen);
    }
    let folder = match &arguments.from {
        Some(folder) => super::results::named(folder)?,
        None => measure(arguments)?,
    };
    let record = reading::read(&folder)?;
    record.write(&folder.join(CEILINGS_FILE)).map_err(Failure::bug)?;
    let (kept, record) = kept::keep(record)?;
    print(&record, arguments.screen)?;
    if !(arguments.screen.quiet || arguments.screen.json) {
        output::line(&format!("kept in   {}", kept.display()))?;
    }
    Ok(())
}

/// Runs the suite. If one of its studies fails, that ceiling stays unknown.
fn measure(arguments: &ProfileArgs) -> Result<PathBuf, Failure> {
    // A profile is of one device, so several devices are rejected.
    device_choice(&arguments.device)?;
    let screen = arguments.screen;
    perform_built_in(&SuiteArgs {
        suite: Some(reading::PROFILE.to_owned()),
        devices: vec![arguments.device.clone()],
        quick: arguments.quick,
        set: arguments.set.clone(),
        only: arguments.only.clone(),
        out: arguments.out.clone(),
        plugin_path: arguments.plugin_path.clone(),
        // Prints no table of the suite: the result of this command is the ceilings.
        screen: Screen { json: false, quiet: screen.quiet || screen.json },
        ..SuiteArgs::default()
    })
}

fn print(record: &CeilingsRecord, screen: Screen) -> Result<(), Failure> {
    if screen.json {
        let text = serde_json::to_string_pretty(record).map_err(Failure::bug)?;
        return output::json(&text);
    }
    if screen.quiet {
        return Ok(());
    }
    output::line("")?;
    ceilings::lines(record).iter().try_for_each(|line| output::line(line))
}

fn show(screen: Screen) -> Result<(), Failure> {
    let records = all()?;
    if screen.json {
        let text = serde_json::to_string_pretty(&records).map_err(Failure::bug)?;
        return output::json(&text);
    }
    if records.is_empty() {
        return output::line("no ceilings are known here: `autobench profile` measures them");
    }
    for (at, record) in records.iter().enumerate() {
        if at > 0 {
            output::line("")?;
        }
        ceilings::lines(record).iter().try_for_each(|line| output::line(line))?;
    }
    Ok(())
}
