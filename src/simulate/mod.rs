//! `autobench simulate`: runs a strategy on a recorded space, once per seed, in simulated time.

mod answer;
mod files;
mod recordings;
mod simulated_runs;

use std::path::PathBuf;

use clap::Args;
use records::settings::{DEFAULT_STRATEGY, parse_seconds};
use scoring::{ScoredStrategy, Thinking, in_parallel, simulate};
use search_api::Budget;
use simulated_runs::SimulatedRuns;

use super::{
    command::{Command, read},
    memory::{LearnArgs, learn},
    score::spaces::{self, Spaces},
    studies::BoundArgs,
    terminal::{Failure, RunsBar, output},
};

inventory::submit!(Command {
    rank: 21,
    name: "simulate",
    about: "Run a strategy on a recorded space, many times, in simulated time",
    examples: &["simulate --space space.json.gz --budget 220 --seeds 20",],
    augment: SimulateArgs::augment_args,
    run: |matches| run(&read::<SimulateArgs>(matches)?),
});

/// The arguments of `simulate`.
#[derive(Debug, Clone, Args)]
pub(super) struct SimulateArgs {
    /// The recorded space
    #[arg(long, value_name = "FILE")]
    space: PathBuf,
    /// The strategy, optionally with knobs or a preset: `name:knob=value:…` or `name:preset=paper`;
    /// or a script: `./mine.luau`
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STRATEGY)]
    strategy: String,
    /// The metric to optimise instead of the run time: any metric of the space (`error`, `energy`,
    /// `GFLOP/s`, `min:NAME`)
    #[arg(long, value_name = "NAME")]
    objective: Option<String>,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    learning: LearnArgs,
    /// Evaluations of different configurations in each run
    #[arg(long, value_name = "N", default_value_t = 220)]
    budget: u64,
    /// Simulated seconds of each run [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<f64>,
    /// Number of runs
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    seeds: u32,
    /// Run i uses the seed S + i
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Count the strategy's own computing time too; runs are then not exactly repeatable
    #[arg(long)]
    charge_strategy_time: bool,
    /// Folder in which to create the folder with the CSV file and the plots
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Write the configurations that each run evaluated into this folder, as recorded spaces from
    /// which other searches can learn
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Write the plots as PNG too
    #[arg(long)]
    png: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &SimulateArgs) -> Result<(), Failure> {
    let scored_strategy = ScoredStrategy::parse(&arguments.strategy).map_err(Failure::settings)?;
    let timeless = arguments.time.is_some_and(|time| time.is_nan() || time <= 0.0);
    if arguments.budget == 0 || timeless {
        let option = if timeless { "--time" } else { "--budget" };
        return Err(Failure::settings("a budget of nothing finds nothing")
            .hint(format!("give {option} a number above zero")));
    }
    let objectives: Vec<String> = arguments.objective.iter().cloned().collect();
    let aim = spaces::Aim { objectives: &objectives, bounds: &arguments.bounds, timed: false };
    let mut landscape = spaces::landscape(&arguments.space, &aim).map_err(Failure::settings)?;
    learn(&mut landscape, &arguments.learning.read(&aim, &mut Spaces::default())?);
    let budget = Budget {
        evaluations: Some(arguments.budget),
        cost_seconds: arguments.time,
        ..Budget::default()
    };
    let thinking = match arguments.charge_strategy_time {
        true => Thinking::Charged,
        false => Thinking::Free,
    };
    let silent = arguments.json || arguments.seeds == 1;
    let bar = RunsBar::new("", u64::from(arguments.seeds), silent);
    let began = std::time::Instant::now();
    let searcher = scored_strategy.searcher();
    let runs = in_parallel(arguments.seeds as usize, &|at| {
        let seed = arguments.seed.wrapping_add(at as u64);
        let simulated = simulate(&landscape, searcher, budget, seed, thinking);
        bar.done();
        simulated
    });
    bar.finish();
    let wall = began.elapsed().as_secs_f64();
    let outcome =
        SimulatedRuns { landscape, scored_strategy, runs, first_seed: arguments.seed, wall };
    let folder = files::write(&outcome, &arguments.out, arguments.png)?;
    if let Some(folder) = &arguments.record {
        recordings::write(&outcome, &arguments.space, folder)?;
    }
    if arguments.json {
        output::json(answer::json(&outcome).trim_end())?;
    } else {
        answer::lines(&outcome).iter().try_for_each(|line| output::line(line))?;
    }
    output::note(&format!("results   {}", folder.display()));
    Ok(())
}
