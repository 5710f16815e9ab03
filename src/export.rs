//! `autobench export`: writes a study in another format.

use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use clap::Args;
use records::{settings::parse_size, sinks, write_whole};
use registry::known;
use report::exporters::{AxisScale, Delivery, EXPORTERS, Exporter, NamedFile, Options, Scales};

use super::{
    command::{Command, read},
    knee::ScaleChoice,
    results, show,
    terminal::{Failure, output},
};

impl From<ScaleChoice> for AxisScale {
    fn from(scale: ScaleChoice) -> Self {
        match scale {
            ScaleChoice::Linear => Self::Linear,
            ScaleChoice::Log => Self::Log,
        }
    }
}

inventory::submit!(Command {
    rank: 14,
    name: "export",
    about: "Write a study in another format",
    examples: &["export latest --format header  the winner as macros", "export latest --format t4",],
    augment: ExportArgs::augment_args,
    run: |matches| run(&read::<ExportArgs>(matches)?),
});

/// The arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The study's folder; `latest`, or a part of a name in `out`
    dir: PathBuf,
    /// The format; `autobench list exporters` shows all
    #[arg(long, short, value_name = "FORMAT")]
    format: String,
    /// Where to write: a file, a folder (all files of the format), or `-` for standard output. By
    /// default text goes to standard output, and pictures and pages go into the study's folder
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The size to write, for formats that hold one size (`kernel-tuner`, `t4`); the largest by
    /// default
    #[arg(long, value_name = "N", value_parser = parse_size)]
    size: Option<u64>,
    /// Spacing of the sizes in plots
    #[arg(long, value_name = "SCALE", default_value = "log")]
    size_scale: ScaleChoice,
    /// Spacing of the run time in plots
    #[arg(long, value_name = "SCALE", default_value = "log")]
    time_scale: ScaleChoice,
    /// Spacing of the metric in plots
    #[arg(long, value_name = "SCALE", default_value = "linear")]
    metric_scale: ScaleChoice,
}

pub(super) fn run(arguments: &ExportArgs) -> Result<(), Failure> {
    let exporter = EXPORTERS.named(&arguments.format).map_err(Failure::settings)?;
    let study = show::Study::open(&results::named(&arguments.dir)?)?;
    let scales = Scales {
        size: arguments.size_scale.into(),
        time: arguments.time_scale.into(),
        metric: arguments.metric_scale.into(),
    };
    let options = Options { scales, size: arguments.size };
    let files =
        (exporter.export)(&study.record, &study.view, &options).map_err(Failure::settings)?;
    match arguments.output.as_deref() {
        Some(path) if path == Path::new("-") => stream(exporter, &files),
        Some(path) if path.is_dir() => folder(path, &files),
        Some(path) => file(path, &files),
        None if exporter.delivery == Delivery::Stream => stream(exporter, &files),
        None => folder(study.folder.path(), &files),
    }
}

/// Writes the main file to standard output.
fn stream(exporter: &Exporter, files: &[NamedFile]) -> Result<(), Failure> {
    let Some((name, bytes)) = files.first() else { return Ok(()) };
    let mut out = io::stdout().lock();
    let written = out.write_all(&shown(bytes, out.is_terminal())).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        return Err(Failure::bug(format!("cannot write to standard output: {error}")));
    }
    if files.len() > 1 && !io::stdout().is_terminal() {
        let rest = known(exporter.file_names.iter().copied().filter(|other| other != name));
        output::note(&format!("this is {name}; give a folder with --output for {rest} too"));
    }
    Ok(())
}

/// A terminal gets nothing that it would obey; all others get the bytes as they are.
fn shown(bytes: &[u8], is_terminal: bool) -> Cow<'_, [u8]> {
    if !is_terminal {
        return Cow::Borrowed(bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    Cow::Owned(sinks::terminal(&text).into_owned().into_bytes())
}

/// Writes to the path the file that has the same extension, or else the main file.
fn file(path: &Path, files: &[NamedFile]) -> Result<(), Failure> {
    let fits = |name: &str| Path::new(name).extension() == path.extension();
    let fitting = files.iter().find(|(name, _)| fits(name)).or_else(|| files.first());
    let Some((name, bytes)) = fitting else { return Ok(()) };
    write(path, bytes)?;
    if files.len() > 1 {
        output::note(&format!("this is {name}; give a folder with --output for all files"));
    }
    output::note(&format!("wrote {}", path.display()));
    Ok(())
}

/// Writes all files into a folder.
fn folder(path: &Path, files: &[NamedFile]) -> Result<(), Failure> {
    for (name, bytes) in files {
        let path = path.join(name);
        write(&path, bytes)?;
        output::note(&format!("wrote {}", path.display()));
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(path, bytes).map_err(Failure::settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_escape_sequence_and_a_pipe_every_byte() {
        let bytes = b"a\x1b[31m,\xff,b\n";
        assert_eq!(&*shown(bytes, false), bytes);
        assert_eq!(&*shown(bytes, true), "a\u{FFFD}[31m,\u{FFFD},b\n".as_bytes());
    }
}
