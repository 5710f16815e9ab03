//! `autobench knobs`: searches the knobs of a strategy on recorded spaces, with another strategy.

mod answer;
mod arguments;
mod settings_file;
mod values;

use std::sync::atomic::Ordering;

use autobench::{
    command::{Command, read},
    score::spaces::{self, Aim, Spaces},
    terminal::{Failure, ProgressLine, interruption},
};
use chrono::Utc;
use clap::Args as _;
use records::StudyFolder;
use registry::Grid;
use report::exporters::quantities::counted;
use scoring::{KnobSearch, ScoredStrategy, TriedSetting, Watch};

use self::{answer::Answer, arguments::KnobsArgs, settings_file::SettingsFile};

inventory::submit!(Command {
    rank: 26,
    name: "knobs",
    about: "Search the knobs of a strategy on recorded spaces",
    examples: &[
        "knobs genetic_algorithm --spaces DIR",
        "knobs 'pso:particles={10,40}:social={1,2}' --spaces DIR --with mls",
    ],
    augment: KnobsArgs::augment_args,
    run: |matches| run(&read::<KnobsArgs>(matches)?),
});

fn run(arguments: &KnobsArgs) -> Result<(), Failure> {
    let with = ScoredStrategy::parse(&arguments.with).map_err(Failure::settings)?;
    let (text, name) = values::grid(&arguments.strategy)?;
    let grid = Grid::read(&text).map_err(Failure::settings)?;
    let defaults = values::defaults(&grid, &name)?;
    values::check(&grid, &defaults)?;
    let objectives: Vec<String> = arguments.objective.iter().cloned().collect();
    let aim = Aim { objectives: &objectives, bounds: &arguments.bounds, timed: true };
    let landscapes = spaces::landscapes(&arguments.spaces, &aim, &mut Spaces::default())?;
    let search = KnobSearch {
        grid: &grid,
        defaults: &defaults,
        landscapes: &landscapes,
        with: &with,
        evaluations: arguments.budget,
        repeats: arguments.repeats as usize,
        seed: arguments.seed,
    };
    let size = search.size().map_err(Failure::settings)?;
    let interrupted = interruption()?;
    let of_spaces = match landscapes.as_slice() {
        [one] => one.name.clone(),
        many => format!("{} spaces", many.len()),
    };
    let folder = StudyFolder::create(&arguments.out, Utc::now(), &name, &of_spaces, "knobs")
        .map_err(Failure::stored)?;
    let file = SettingsFile::create(&folder, &landscapes)?;
    let stopped = || interrupted.load(Ordering::Relaxed) || file.is_faulty();
    let runs = u64::from(arguments.repeats) * landscapes.len() as u64;
    let all = arguments.budget.min(size) * runs;
    let screen = arguments.screen;
    let line = ProgressLine::new(all, screen.json || screen.quiet);
    let done = |_: Option<&str>| {
        let (done, _) = line.step();
        let tried = counted((done / runs) as usize, "setting");
        line.tell(format!("{tried} tried, {} to try at least", all / runs));
    };
    let searched =
        search.search(Watch { done: &done, stopped: &stopped }, &|tried| file.add(tried));
    line.finish();
    let searched = searched.map_err(|why| {
        Failure::nothing(why).hint(format!("`{}` has what was tried", file.path().display()))
    })?;
    let Some(searched) = searched else { return Err(file.ended()) };
    let answer = Answer { arguments, landscapes: &landscapes, searched: &searched, size };
    answer.write_left_out(&folder)?;
    let best = &searched.tried[searched.best].strategy;
    let Some(fresh) = fresh(&search, [best, &name], arguments, &stopped)? else {
        return Err(file.ended().hint(format!("the best of them is `{best}`")));
    };
    answer.write_fresh(&fresh, &folder)?;
    answer.print(&fresh, &folder)
}

/// Scores the best setting and the unchanged strategy with fresh seeds: the best of many settings
/// scored too high by selection.
fn fresh(
    search: &KnobSearch<'_>,
    strategies: [&str; 2],
    arguments: &KnobsArgs,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<[TriedSetting; 2]>, Failure> {
    let repeats = arguments.fresh_repeats as usize;
    let runs = (strategies.len() * repeats * search.landscapes.len()) as u64;
    let screen = arguments.screen;
    let line = ProgressLine::new(runs, screen.json || screen.quiet);
    let done = |_: Option<&str>| {
        let (done, _) = line.step();
        line.tell(format!("{done} of {runs} runs from fresh seeds"));
    };
    let watch = Watch { done: &done, stopped };
    let [best, own] = strategies.map(|strategy| search.fresh(strategy, repeats, watch));
    line.finish();
    let (best, own) = (best.map_err(Failure::settings)?, own.map_err(Failure::settings)?);
    Ok(best.zip(own).map(|(best, own)| [best, own]))
}
