//! Flags of `suite`.

use std::path::PathBuf;

use crate::{cli::terminal::Screen, settings::DeviceSpec};

/// Which suite, and how.
#[derive(Debug, clap::Args)]
pub(super) struct SuiteArgs {
    /// The suite: a YAML file, or the name of a built-in one
    pub(super) suite: Option<String>,
    /// Show the file of a built-in suite, to begin your own from
    #[arg(long, value_name = "NAME", conflicts_with = "suite")]
    pub(super) print: Option<String>,
    /// What the suite calls quick: less of everything, to see whether it works
    #[arg(long)]
    pub(super) quick: bool,
    /// Only these benchmarks, or labels that are or begin so (repeatable, or a comma list)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// The device of all studies in place of their own; several are measured one after the other
    /// (repeatable). Recorded spaces stay
    #[arg(long = "device", value_name = "DEVICE")]
    pub(super) devices: Vec<DeviceSpec>,
    /// `tune` without a size takes the latest knee of its benchmark and device from the runs in this
    /// folder, or in suites in it
    #[arg(long, value_name = "DIR")]
    pub(super) sizes_from: Option<PathBuf>,
    /// The recorded spaces of all `score` studies, in place of their own: a folder of files, of
    /// studies that tried everything, or of a suite of these
    #[arg(long, value_name = "DIR")]
    pub(super) spaces: Option<PathBuf>,
    /// Where results go
    #[arg(long, default_value = "out", value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Folders to look for benchmarks in (repeatable)
    #[arg(long, value_name = "DIR")]
    pub(super) plugin_path: Vec<PathBuf>,
    /// List the studies, and stop
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) screen: Screen,
}
