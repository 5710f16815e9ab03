//! `autobench score`: scores of strategies on recorded spaces, by the community's methodology.

mod answer;
mod arguments;
mod files;
mod fronts;
mod scored;
pub(super) mod spaces;

use clap::Args as _;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::{
    command::{Command, read},
    terminal::{Failure, output},
};
use crate::scoring::{Standing, StrategyComparison, Thinking, standings};
use arguments::{ScoreArgs, strategies};
use scored::Scored;

inventory::submit!(Command {
    rank: 13,
    name: "score",
    about: "Score strategies on recorded spaces against random search",
    augment: ScoreArgs::augment_args,
    run: |matches| run(&read::<ScoreArgs>(matches)?),
});

pub(super) fn run(arguments: &ScoreArgs) -> Result<(), Failure> {
    if arguments.objectives.len() > 1 {
        return fronts::run(arguments);
    }
    let strategies = strategies(&arguments.strategies)?;
    let landscapes = spaces::read(&arguments.spaces, &arguments.aim())?;
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

fn ranking(standings: &[Vec<Standing>]) -> Vec<usize> {
    let score = |at: usize| crate::scoring::total(&standings[at]).0;
    let mut ranking: Vec<usize> = (0..standings.len()).collect();
    ranking.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
    ranking
}
