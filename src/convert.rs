//! `autobench convert IN… OUT`: writes recorded spaces in another format, and can merge several.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use exchange::{RecordedSpace, merge, read_space_at};
use flate2::{Compression, write::GzEncoder};
use records::{self, settings::parse_size, write_whole};
use registry::known;
use report::exporters::{EXPORTERS, Exporter};

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};

/// How to treat a configuration that several files record differently.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OnConflict {
    /// The row of the first file counts
    First,
    /// The row of the last file counts
    Last,
    /// Nothing is written
    Error,
}

impl From<OnConflict> for exchange::Conflict {
    fn from(choice: OnConflict) -> Self {
        match choice {
            OnConflict::First => Self::First,
            OnConflict::Last => Self::Last,
            OnConflict::Error => Self::Error,
        }
    }
}

inventory::submit!(Command {
    rank: 24,
    name: "convert",
    about: "Write recorded spaces in another format, several merged into one",
    examples: &[
        "convert cache.json results.t4.json",
        "convert a.json b.json all.t4.json  several, merged",
    ],
    augment: ConvertArgs::augment_args,
    run: |matches| run(&read::<ConvertArgs>(matches)?),
});

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub(super) struct ConvertArgs {
    /// The input files, then the file to write (`-` for standard output). Inputs are Kernel Tuner
    /// caches and T4 results (both may be gzipped) and folders of studies. The format follows the
    /// output's name: `.csv`, `.json` with `t4` in the name, or other `.json`; `.gz` compresses it
    #[arg(required = true, num_args = 2.., value_names = ["IN", "OUT"])]
    files: Vec<PathBuf>,
    /// The format: `kernel-tuner`, `t4` or `csv`
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// The size to take from a study; its largest by default
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
    /// What to do if several files record a configuration differently
    #[arg(long, value_enum, default_value = "error")]
    on_conflict: OnConflict,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &ConvertArgs) -> Result<(), Failure> {
    let Some((out, inputs)) = arguments.files.split_last().filter(|(_, inputs)| !inputs.is_empty())
    else {
        return Err(Failure::settings("convert what into what?").hint("autobench convert IN OUT"));
    };
    let exporter = format(arguments.to.as_deref(), out)?;
    let stream = out == Path::new("-");
    if !stream && !arguments.force && out.exists() {
        return Err(Failure::settings(format!("`{}` exists", out.display()))
            .hint("name another file, or replace it with --force"));
    }
    let mut spaces = Vec::new();
    for input in inputs {
        let space = read_space_at(input, arguments.size).map_err(Failure::settings)?;
        for warning in &space.warnings {
            output::note(&format!("{}: {warning}", input.display()));
        }
        spaces.push((input.display().to_string(), space));
    }
    let space = merge(spaces, arguments.on_conflict.into()).map_err(Failure::settings)?;
    let bytes = bytes(exporter, &space, out)?;
    if stream {
        return match io::stdout().lock().write_all(&bytes) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::bug(format!("cannot write to standard output: {error}")))
            }
            _ => Ok(()),
        };
    }
    write_whole(out, &bytes).map_err(Failure::settings)?;
    let (rows, format) = (space.len(), exporter.name);
    output::note(&format!("wrote {}: {rows} rows as {format}", out.display()));
    Ok(())
}

/// Returns the requested format, or else the format that the file's name implies.
fn format(asked: Option<&str>, out: &Path) -> Result<&'static Exporter, Failure> {
    let all = || EXPORTERS.iter().filter(|e| e.recorded.is_some()).map(|e| e.name);
    let file = out.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let plain = file.strip_suffix(".gz").unwrap_or(&file);
    let name = match asked {
        Some(name) => name,
        None if plain.ends_with(".csv") => "csv",
        None if plain.ends_with(".json") && plain.contains("t4") => "t4",
        None if plain.ends_with(".json") => "kernel-tuner",
        None => {
            let message = format!("`{}` names no format by its ending", out.display());
            let hint = format!("end it in .json, .t4.json or .csv, or use --to ({})", known(all()));
            return Err(Failure::settings(message).hint(hint));
        }
    };
    EXPORTERS.find(name).filter(|exporter| exporter.recorded.is_some()).ok_or_else(|| {
        let known = known(all());
        Failure::settings(format!("no format named `{name}` for recorded spaces (known: {known})"))
    })
}

/// Writes the file's bytes, compressed if its name ends in `.gz`.
fn bytes(exporter: &Exporter, space: &RecordedSpace, out: &Path) -> Result<Vec<u8>, Failure> {
    let Some(write) = exporter.recorded else { return Ok(Vec::new()) };
    let plain = write(space).map_err(Failure::settings)?;
    if out.extension().is_none_or(|ending| ending != "gz") {
        return Ok(plain);
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&plain).and_then(|()| packed.finish()).map_err(Failure::bug)
}
