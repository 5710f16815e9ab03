//! `autobench knobs`: the settings of a strategy, searched on recorded spaces by any strategy.

mod files;
mod found;

use std::{path::PathBuf, sync::atomic::Ordering};

use clap::Args;

use super::{
    command::{Command, read},
    score::spaces::{self, Aim, Spaces},
    studies::BoundArgs,
    terminal::{Failure, RunsBar, interruption, output},
};
use crate::{
    records::StudyFolder,
    scoring::{KnobGrid, KnobSearch, ScoredStrategy, Watch},
    settings::DEFAULT_STRATEGY,
    strategies::Stop,
};
use files::KnobsFile;
use found::Found;

inventory::submit!(Command {
    rank: 22,
    name: "knobs",
    about: "Search the best settings of a strategy on recorded spaces",
    augment: KnobsArgs::augment_args,
    run: |matches| run(&read::<KnobsArgs>(matches)?),
});

/// Further seeds, which no search has used, begin here.
const FRESH: u64 = 1 << 32;

/// Whose settings, where, and how they are searched.
#[derive(Debug, Clone, Args)]
struct KnobsArgs {
    /// The strategy; knobs in braces are searched: `genetic_algorithm:population={10,20,40}`, those
    /// without are fixed. Without any braces, all others are searched around their defaults
    #[arg(value_name = "STRATEGY")]
    strategy: String,
    /// Recorded spaces: files, folders of studies, or folders of these
    #[arg(long, value_name = "FILE_OR_DIR", num_args = 1.., required = true)]
    spaces: Vec<PathBuf>,
    /// The strategy that searches, with knobs if wanted
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STRATEGY)]
    with: String,
    /// Settings that are tried at most; all of them where there are no more
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    budget: u64,
    /// Runs of each setting on each space
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeats: u32,
    /// Runs with which the best setting is scored again, from seeds that the search did not use
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    fresh_repeats: u32,
    /// Run i of a setting begins from seed S + i
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// What is sought instead of the fastest: any metric of the spaces
    #[arg(long, value_name = "NAME")]
    objective: Option<String>,
    #[command(flatten)]
    bounds: BoundArgs,
    /// Where the folder with the table is made
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn run(arguments: &KnobsArgs) -> Result<(), Failure> {
    let grid = KnobGrid::parse(&arguments.strategy).map_err(Failure::settings)?;
    let searcher = ScoredStrategy::parse(&arguments.with).map_err(Failure::settings)?;
    let objectives: Vec<String> = arguments.objective.iter().cloned().collect();
    let aim = Aim { objectives: &objectives, bounds: &arguments.bounds, timed: true };
    let landscapes = spaces::landscapes(&arguments.spaces, &aim, &mut Spaces::default())?;
    let search = KnobSearch {
        grid: &grid,
        landscapes: &landscapes,
        repeats: arguments.repeats as usize,
        seed: arguments.seed,
    };
    let interrupted = interruption()?;
    let folder = StudyFolder::create(
        &arguments.out,
        chrono::Utc::now(),
        grid.plain(),
        &format!("{} spaces", landscapes.len()),
        "knobs",
    )
    .map_err(Failure::stored)?;
    let mut file = KnobsFile::begin(&folder, &grid, &landscapes)?;

    let settings = arguments.budget.min(grid.space.len());
    let of_setting = u64::from(arguments.repeats) * landscapes.len() as u64;
    let fresh = 2 * u64::from(arguments.fresh_repeats) * landscapes.len() as u64;
    let bar = RunsBar::new("", (settings + 1) * of_setting + fresh, arguments.json);
    let stopped = || interrupted.load(Ordering::Relaxed);
    let watch = Watch { done: &|| bar.done(), stopped: &stopped };
    let mut all = vec![search.scored(None, watch).map_err(Failure::settings)?];
    let mut written = file.add(&all[0]);
    let ended = search.search(searcher.searcher(), settings, watch, &mut |setting| {
        if written.is_ok() {
            written = file.add(setting);
        }
        all.push(setting.clone());
    });
    written?;
    let end = || {
        Failure::interrupted("the search was interrupted")
            .hint(format!("`{}` has every setting that was scored", file.path().display()))
    };
    if stopped() {
        bar.finish();
        return Err(end());
    }
    if let Err(Stop::Fault(why)) = ended {
        output::note(&format!("the search ended early: {why}"));
    }
    let fresh = KnobSearch {
        repeats: arguments.fresh_repeats as usize,
        seed: arguments.seed.wrapping_add(FRESH),
        ..search
    };
    let found = Found::among(all, &fresh, watch).map_err(Failure::settings)?;
    bar.finish();
    if stopped() {
        return Err(end());
    }
    let json = found.json(&grid, &landscapes);
    folder.write_whole("knobs.json", json.as_bytes()).map_err(Failure::stored)?;
    match arguments.json {
        true => output::line(json.trim_end())?,
        false => output::line(&found.text(&landscapes))?,
    }
    output::note(&format!("results   {}", folder.path().display()));
    Ok(())
}
