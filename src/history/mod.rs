//! `autobench history`: searches a folder of results and follows trends over time.

mod changed;
mod chosen;
mod clean;
mod export;
mod list;
mod moment;
mod tag;
mod trend;

use clap::{Args as _, Subcommand};

use super::{
    command::{Command, read},
    terminal::Failure,
};

inventory::submit!(Command {
    rank: 13,
    name: "history",
    about: "Search results by device, driver, date and tag, and follow trends",
    examples: &[
        "history --benchmark gemm --since 30d",
        "history trend gemm --figure trend.svg",
        "history regressions --since 7d --fail-on slower:5%",
    ],
    augment: HistoryArgs::augment_args,
    run: |matches| run(&read::<HistoryArgs>(matches)?),
});

/// The arguments of `history`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct HistoryArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: list::ListArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List studies, newest first; `history` without a subcommand does the same
    List(list::ListArgs),
    /// Show how fast a benchmark was in each study, and where that changed
    Trend(trend::TrendArgs),
    /// Show where a benchmark became slower or faster, by more than chance
    Regressions(changed::RegressionsArgs),
    /// Write all studies as a table, for example for pandas
    Export(export::ExportArgs),
    /// Give a result a tag
    Tag(tag::TagArgs),
    /// List results that could be deleted, and delete them with --yes
    Clean(clean::CleanArgs),
}

fn run(arguments: &HistoryArgs) -> Result<(), Failure> {
    match &arguments.action {
        None => list::run(&arguments.list),
        Some(Action::List(arguments)) => list::run(arguments),
        Some(Action::Trend(arguments)) => trend::run(arguments),
        Some(Action::Regressions(arguments)) => changed::run(arguments),
        Some(Action::Export(arguments)) => export::run(arguments),
        Some(Action::Tag(arguments)) => tag::run(arguments),
        Some(Action::Clean(arguments)) => clean::run(arguments),
    }
}
