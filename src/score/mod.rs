//! `autobench score`: compares strategies on recorded spaces.

mod arguments;
mod best;
mod fronts;
mod prepared;
pub mod spaces;
mod text;

use chrono::Utc;
use clap::Args as _;
use scoring::Watch;
use spaces::Spaces;

use super::{
    command::{Command, read},
    terminal::{Failure, RunsBar, output},
};

pub(super) use arguments::ScoreArgs;
pub(super) use prepared::{PreparedScore, RECORDING};

inventory::submit!(Command {
    rank: 20,
    name: "score",
    about: "Score strategies on recorded spaces against random search",
    examples: &[
        "score --spaces DIR --strategies default,random --repeats 100",
        "score --spaces DIR --strategies 'pso:particles={10,20,40}' --choose",
    ],
    augment: ScoreArgs::augment_args,
    run: |matches| run(&read::<ScoreArgs>(matches)?),
});

pub(super) fn run(arguments: &ScoreArgs) -> Result<(), Failure> {
    let prepared = PreparedScore::prepare(arguments, &mut Spaces::default())?;
    let started = Utc::now();
    let folder = prepared.folder(&arguments.out, started)?;
    let bar = RunsBar::new("", prepared.runs(), arguments.json);
    let watch = Watch { done: &|_| bar.done(), ..Watch::NOBODY };
    let answer = prepared.perform(&folder, started, watch)?;
    bar.finish();
    if arguments.json {
        output::json(answer.json.trim_end())?;
    } else {
        answer.lines.iter().try_for_each(|line| output::line(line))?;
    }
    answer.faults.iter().for_each(|fault| output::note(fault));
    output::note(&format!("results   {}", folder.path().display()));
    Ok(())
}
