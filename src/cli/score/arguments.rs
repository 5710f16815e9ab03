//! Arguments of `score`.

use std::path::PathBuf;

use clap::{Args, builder::RangedU64ValueParser};

use crate::{
    cli::terminal::Failure, registry::rejoined, scoring::ScoredStrategy, strategies::STRATEGIES,
};

/// Who is scored, where, and how often.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct ScoreArgs {
    /// Recorded spaces: files, or folders of them
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1.., required = true)]
    pub(super) spaces: Vec<PathBuf>,
    /// Strategies, each with knobs or a preset if wanted: `name:knob=value:…` or
    /// `name:preset=paper` [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) strategies: Vec<String>,
    /// Runs of each strategy on each space
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) repeats: u32,
    /// Run i begins from seed S + i
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Score how near the front of these objectives strategies come, instead of how fast the
    /// fastest is found: `seconds`, `compile_seconds`, `noise` (at least two)
    #[arg(long = "objective", value_name = "NAME")]
    pub(super) objectives: Vec<String>,
    /// Evaluations at which the fraction of the optimum, or the distance from the front, is shown
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [50, 100, 220], value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub(super) evaluations: Vec<usize>,
    /// Count a strategy's own time too: then runs do not repeat exactly
    #[arg(long)]
    pub(super) charge_strategy_time: bool,
    /// Where the folder with CSV files and the plot is made
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(super) out: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The named strategies without repetition, or all.
pub(super) fn strategies(names: &[String]) -> Result<Vec<ScoredStrategy>, Failure> {
    let all = || STRATEGIES.names().map(str::to_owned).collect();
    let names: Vec<String> = if names.is_empty() { all() } else { rejoined(names) };
    let mut strategies: Vec<ScoredStrategy> = Vec::with_capacity(names.len());
    for name in &names {
        let scored_strategy = ScoredStrategy::parse(name).map_err(Failure::settings)?;
        if strategies.iter().all(|known| known.label != scored_strategy.label) {
            strategies.push(scored_strategy);
        }
    }
    Ok(strategies)
}
