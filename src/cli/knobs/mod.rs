//! `autobench knobs`: the knobs of a strategy, searched on recorded spaces with another strategy.

mod answer;
mod arguments;
mod values;

use std::sync::atomic::Ordering;

use chrono::Utc;
use clap::Args as _;

use self::{answer::Answer, arguments::KnobsArgs};
use super::{
    command::{Command, read},
    score::spaces::{self, Aim, Spaces},
    studies::BoundArgs,
    terminal::{Failure, ProgressLine, interruption},
};
use crate::{
    records::StudyFolder,
    registry::Grid,
    scoring::{KnobSearch, ScoredStrategy, Watch},
};

inventory::submit!(Command {
    rank: 23,
    name: "knobs",
    about: "Search the knobs of a strategy on recorded spaces with another strategy",
    augment: KnobsArgs::augment_args,
    run: |matches| run(&read::<KnobsArgs>(matches)?),
});

fn run(arguments: &KnobsArgs) -> Result<(), Failure> {
    let with = ScoredStrategy::parse(&arguments.with).map_err(Failure::settings)?;
    let (text, name) = values::grid(&arguments.strategy)?;
    let grid = Grid::read(&text).map_err(Failure::settings)?;
    let defaults = values::defaults(&grid, &name)?;
    values::check(&grid, &defaults)?;
    let bounds = BoundArgs::default();
    let aim = Aim { objectives: &[], bounds: &bounds, timed: true };
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
    let of_spaces = format!("{} spaces", landscapes.len());
    let folder = StudyFolder::create(&arguments.out, Utc::now(), &name, &of_spaces, "knobs")
        .map_err(Failure::stored)?;
    let screen = arguments.screen;
    let runs = u64::from(arguments.repeats) * landscapes.len() as u64;
    let all = arguments.budget.min(size) * runs;
    let line = ProgressLine::new(all, screen.json || screen.quiet);
    let done = |_: Option<&str>| {
        let (done, _) = line.step();
        line.tell(format!("{} settings tried, {} to try at least", done / runs, all / runs));
    };
    let stopped = || interrupted.load(Ordering::Relaxed);
    let searched = search.search(Watch { done: &done, stopped: &stopped });
    line.finish();
    let Some(searched) = searched.map_err(Failure::settings)? else {
        return Err(Failure::interrupted("the search was interrupted"));
    };
    let answer = Answer { arguments, landscapes: &landscapes, searched: &searched, size };
    answer.write(&folder)?;
    answer.print(&folder)
}
