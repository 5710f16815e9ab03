//! `autobench space FILE…`: the size, restrictions and contents of a search space.

mod report;
mod source;
mod words;

use std::path::PathBuf;

use clap::Args;
use records::settings::parse_size;
use report::{ReportArgs, SpaceReport};
use source::SpaceSource;

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};

inventory::submit!(Command {
    rank: 22,
    name: "space",
    about: "Count, inspect and sample a search space without running anything",
    examples: &["space gemm.json --sample 3", "space gemm.json --restrict 'MWG >= 32'",],
    augment: SpaceArgs::augment_args,
    run: |matches| run(&read::<SpaceArgs>(matches)?),
});

/// The arguments of `space`.
#[derive(Debug, Args)]
pub(super) struct SpaceArgs {
    /// T1 files, Kernel Tuner cache files (also gzipped), or benchmarks
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    report: ReportArgs,
    /// The problem size of benchmarks whose restrictions use `size` [default: their first]
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_path: Vec<PathBuf>,
    /// Print JSON: an object, or an array of them for several files
    #[arg(long)]
    json: bool,
}

/// Builds the spaces and prints a report of each.
///
/// # Errors
/// If a file is not a space, or its restrictions or values are faulty.
pub(super) fn run(arguments: &SpaceArgs) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for name in &arguments.files {
        let source = SpaceSource::open(name, &arguments.plugin_path, arguments.size)?;
        let report = SpaceReport::of(&source, &arguments.report)
            .map_err(|fault| Failure::settings(format!("`{name}`: {fault}")))?;
        if !arguments.json {
            words::lines(&report).iter().try_for_each(|line| output::line(line))?;
        }
        reports.push(report);
    }
    if !arguments.json {
        return Ok(());
    }
    let text = match &reports[..] {
        [only] => serde_json::to_string_pretty(only),
        all => serde_json::to_string_pretty(all),
    };
    output::json(&text.map_err(Failure::bug)?)
}
