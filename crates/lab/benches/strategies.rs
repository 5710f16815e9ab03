//! Time that strategies spend themselves: 220 evaluations on the spaces of two public kernels,
//! convolution (4,362 configurations) and dedispersion (11,130), with costs from a formula.
//!
//! Run `cargo bench -p autobench-lab`, or `cargo bench -p autobench-lab -- bayes_opt
//! form=published` for one strategy with settings. The strategy may be a script
//! (`genetic_algorithm.luau`). Arguments that end in `.json` are T1 files of other spaces.
#![expect(clippy::print_stdout, reason = "a benchmark speaks to people")]

use std::{error::Error, path::Path, sync::Arc, time::Instant};

use exchange::read_t1;
use lab::scripts::EXAMPLES;
use math::median;
use registry::Knobs;
use search_api::{Analytic, Budget, Evaluation, STRATEGIES, Strategy};
use space::{ConfigurationId, Parameter, Space};

const EVALUATIONS: u64 = 220;
const REPEATS: u64 = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (files, arguments): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| argument.ends_with(".json"));
    let mut spaces = vec![("convolution".to_owned(), convolution()?)];
    spaces.push(("dedispersion".to_owned(), dedispersion()?));
    if !files.is_empty() {
        let read = |file: &String| Ok((file.clone(), Arc::new(read_t1(Path::new(file))?.space()?)));
        spaces = files.iter().map(read).collect::<Result<_, Box<dyn Error>>>()?;
    }
    let settings = arguments.get(1..).unwrap_or_default();
    let names: Vec<&str> = match arguments.first() {
        Some(name) => vec![name],
        None => STRATEGIES.names().chain(EXAMPLES.iter().map(|example| example.name)).collect(),
    };
    let found = |name: &&str| search_api::strategy(name, "").map(|found| found.strategy);
    let chosen: Vec<&Strategy> = names.iter().map(found).collect::<Result<_, _>>()?;
    println!(
        "{:<32} {:<14} {:>8} {:>14} {:>16}",
        "strategy", "space", "in all", "an evaluation", "best cost found"
    );
    for strategy in chosen {
        let knobs = Knobs::parse(strategy.knobs, settings)?;
        for (name, space) in &spaces {
            let name = name.rsplit('/').next().unwrap_or(name);
            let runs: Vec<(f64, f64)> =
                (0..REPEATS).map(|seed| run(strategy, &knobs, space, seed)).collect();
            let of =
                |pick: fn(&(f64, f64)) -> f64| median(&runs.iter().map(pick).collect::<Vec<_>>());
            let (ms, best) = (of(|run| run.0), of(|run| run.1));
            println!(
                "{:<32} {name:<14} {ms:>5.1} ms {:>11.2} µs {best:>16.3}",
                strategy.name,
                1e3 * ms / EVALUATIONS as f64,
            );
        }
    }
    Ok(())
}

/// The milliseconds of a search, and its best cost.
fn run(strategy: &Strategy, knobs: &Knobs, space: &Arc<Space>, seed: u64) -> (f64, f64) {
    let budget = Budget::evaluations(EVALUATIONS);
    let mut problem = Analytic::new(Arc::clone(space), budget, seed, cost);
    let start = Instant::now();
    let _ = (strategy.search)(&mut problem, knobs);
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    (elapsed, problem.ledger().best().map_or(f64::INFINITY, |(_, score)| score))
}

/// A bent valley with ripples: the best value of each parameter depends on the other parameters.
fn cost(space: &Space, id: ConfigurationId) -> Evaluation {
    let places = space.configuration(id);
    let share = |(at, parameter): (&u32, &Parameter)| {
        f64::from(*at) / (parameter.values.len() - 1).max(1) as f64
    };
    let x: Vec<f64> = places.0.iter().zip(space.parameters()).map(share).collect();
    let bends = x.windows(2).map(|pair| (pair[1] - 0.7 * (1.0 - pair[0])).powi(2)).sum::<f64>();
    let ripples = x.iter().map(|x| 0.05 * (1.0 - (9.0 * x).cos())).sum::<f64>();
    Evaluation::scored((0.5 + 2.0 * bends + ripples).exp())
}

fn space(lists: &[(&str, Vec<i64>)], restrictions: &[&str]) -> Result<Arc<Space>, Box<dyn Error>> {
    let parameter = |(name, values): &(&str, Vec<i64>)| Parameter::new(*name, values.clone());
    Ok(Arc::new(Space::build(lists.iter().map(parameter).collect(), restrictions, &[])?))
}

fn convolution() -> Result<Arc<Space>, Box<dyn Error>> {
    let lists = [
        ("block_size_x", (1..=16).map(|n| 16 * n).collect()),
        ("block_size_y", vec![1, 2, 4, 8, 16]),
        ("tile_size_x", vec![1, 2, 3, 4]),
        ("tile_size_y", vec![1, 2, 3, 4]),
        ("read_only", vec![0, 1]),
        ("use_padding", vec![0, 1]),
        ("use_shmem", vec![0, 1]),
    ];
    let restrictions = [
        "use_padding == 0 or block_size_x % 32 != 0",
        "block_size_x * block_size_y <= 1024",
        "use_padding == 0 or use_shmem != 0",
        "use_shmem == 0 or (block_size_x * tile_size_x + 14) * (block_size_y * tile_size_y + 14) \
         < 12 * 1024",
    ];
    space(&lists, &restrictions)
}

fn dedispersion() -> Result<Arc<Space>, Box<dyn Error>> {
    let lists = [
        ("block_size_x", vec![1, 2, 4, 8, 16, 32]),
        ("block_size_y", (4..=32).map(|n| 8 * n).collect()),
        ("tile_size_x", vec![1, 2, 3, 4]),
        ("tile_size_y", (1..=8).collect()),
        ("tile_stride_x", vec![0, 1]),
        ("tile_stride_y", vec![0, 1]),
    ];
    let restrictions = [
        "32 <= block_size_x * block_size_y <= 1024",
        "tile_size_x > 1 or tile_stride_x == 0",
        "tile_size_y > 1 or tile_stride_y == 0",
    ];
    space(&lists, &restrictions)
}
