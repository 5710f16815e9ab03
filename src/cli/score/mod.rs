//! `autobench score`: how good strategies are, on recorded spaces, by the community's measure.

mod answer;
mod files;
mod fronts;
pub(super) mod spaces;

use std::path::PathBuf;

use clap::{Args, builder::RangedU64ValueParser};
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::{Failure, output};
use crate::{
    scoring::{Landscape, ScoredStrategy, Standing, StrategyComparison, Thinking, standings},
    strategies::STRATEGIES,
};

/// Who is scored, where, and how often.
#[derive(Debug, Clone, Args)]
pub(super) struct ScoreArgs {
    /// Recorded spaces: files, or folders of them
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1.., required = true)]
    spaces: Vec<PathBuf>,
    /// Strategies, each with settings if wanted: `name:knob=value:…` [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    strategies: Vec<String>,
    /// Runs of each strategy on each space
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeats: u32,
    /// Run i begins from seed S + i
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Score how near the front of these objectives strategies come, instead of how fast the
    /// fastest is found: `seconds`, `compile_seconds`, `noise` (at least two)
    #[arg(long = "objective", value_name = "NAME")]
    objectives: Vec<String>,
    /// Evaluations at which the fraction of the optimum, or the distance from the front, is shown
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [50, 100, 220], value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    evaluations: Vec<usize>,
    /// Count a strategy's own time too: then runs do not repeat exactly
    #[arg(long)]
    charge_strategy_time: bool,
    /// Where the folder with CSV files and the plot is made
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything that was found out.
struct Scored {
    landscapes: Vec<Landscape>,
    strategies: Vec<ScoredStrategy>,
    /// By strategy, then by landscape.
    standings: Vec<Vec<Standing>>,
    /// Sorted by the score, best first: indices of strategies.
    ranking: Vec<usize>,
    evaluations: Vec<usize>,
    repeats: usize,
    seed: u64,
}

/// Runs the comparison and tells how it went.
pub(super) fn run(arguments: &ScoreArgs) -> Result<(), Failure> {
    if !arguments.objectives.is_empty() {
        return fronts::run(arguments);
    }
    let strategies = strategies(&arguments.strategies)?;
    let landscapes = spaces::read(&arguments.spaces)?;
    let thinking = match arguments.charge_strategy_time {
        true => Thinking::Charged,
        false => Thinking::Free,
    };
    let repeats = arguments.repeats as usize;
    let comparison = StrategyComparison {
        landscapes: &landscapes,
        strategies: &strategies,
        repeats,
        seed: arguments.seed,
        thinking,
    };
    let total = (strategies.len() * landscapes.len() * repeats) as u64;
    let bar = if arguments.json {
        ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
    } else {
        ProgressBar::new(total)
    };
    let runs = comparison.hold(&|| bar.inc(1));
    let standings = standings(&comparison, &runs, &arguments.evaluations);
    bar.finish_and_clear();
    let ranking = ranking(&standings);
    let scored = Scored {
        landscapes,
        strategies,
        standings,
        ranking,
        evaluations: arguments.evaluations.clone(),
        repeats,
        seed: arguments.seed,
    };
    let folder = files::write(&scored, &arguments.out)?;
    let text = if arguments.json { answer::json(&scored) } else { answer::text(&scored) };
    output::line(text.trim_end())?;
    output::note(&format!("results   {}", folder.display()));
    Ok(())
}

/// Those named, each once, or everybody.
fn strategies(names: &[String]) -> Result<Vec<ScoredStrategy>, Failure> {
    let all = || STRATEGIES.names().map(str::to_owned).collect();
    let names: Vec<String> = if names.is_empty() { all() } else { names.to_vec() };
    let mut strategies: Vec<ScoredStrategy> = Vec::with_capacity(names.len());
    for name in &names {
        let scored_strategy = ScoredStrategy::parse(name).map_err(Failure::settings)?;
        if strategies.iter().all(|known| known.label != scored_strategy.label) {
            strategies.push(scored_strategy);
        }
    }
    Ok(strategies)
}

fn ranking(standings: &[Vec<Standing>]) -> Vec<usize> {
    let score = |at: usize| crate::scoring::total(&standings[at]).0;
    let mut ranking: Vec<usize> = (0..standings.len()).collect();
    ranking.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
    ranking
}
