//! `autobench space FILE…`: how large a search space is, what restricts it, and what is in it.

mod report;
mod source;
mod words;

use std::path::PathBuf;

use clap::Args;

use super::{Failure, output};
use crate::settings::parse_size;
use report::Report;
use source::Source;

/// Which spaces, and what to say of them.
#[derive(Debug, Args)]
pub(super) struct SpaceArgs {
    /// T1 files, Kernel Tuner cache files (also gzipped), or benchmarks
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Narrow a parameter: `block_size_x=64,128` (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUES")]
    parameters: Vec<String>,
    /// A further restriction: `block_size_x * block_size_y <= 256` (repeatable)
    #[arg(long = "restrict", value_name = "EXPR")]
    restrictions: Vec<String>,
    /// Draw this many different valid configurations, each equally likely
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
    /// What all chance is a function of
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Count the neighbours of a thousand random configurations
    #[arg(long)]
    neighbours: bool,
    /// The problem size of benchmarks whose restrictions name it [default: their first]
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_path: Vec<PathBuf>,
    /// Print JSON: an object, or an array of them for several files
    #[arg(long)]
    json: bool,
}

/// Builds the spaces and says what they are.
///
/// # Errors
/// When a file is no space, or its restrictions or values are faulty.
pub(super) fn run(arguments: &SpaceArgs) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for name in &arguments.files {
        let source = Source::open(name, &arguments.plugin_path, arguments.size)?;
        let report = Report::of(&source, arguments)
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
    output::line(&text.map_err(Failure::bug)?)
}
