//! Arguments of `knobs`.

use std::path::PathBuf;

use autobench::{studies::BoundArgs, terminal::Screen};
use clap::Args;
use records::settings::DEFAULT_STRATEGY;

/// Arguments of `knobs`.
#[derive(Debug, Clone, Args)]
pub(super) struct KnobsArgs {
    /// The strategy, with values of its knobs in braces: `pso:particles={10,40}:social={1,2}`, or a
    /// script. Without braces, every knob that is not set gets values around its default
    pub(super) strategy: String,
    /// Recorded spaces: files, folders of studies, or folders of these
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1.., required = true)]
    pub(super) spaces: Vec<PathBuf>,
    /// The strategy that searches for the knobs
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STRATEGY)]
    pub(super) with: String,
    /// Number of settings that the search tries
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) budget: u64,
    /// Runs of a setting on each space
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) repeats: u32,
    /// Runs of the best setting and of the unchanged strategy on each space at the end, with seeds
    /// that no search used
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) fresh_repeats: u32,
    /// Metric to optimise instead of the run time: any metric of the spaces (`error`, `energy`,
    /// `GFLOP/s`, `min:NAME`)
    #[arg(long, value_name = "NAME")]
    pub(super) objective: Option<String>,
    #[command(flatten)]
    pub(super) bounds: BoundArgs,
    /// Seed of the searches; run i uses seed S + i
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Where to create the folder with CSV files
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) screen: Screen,
}
