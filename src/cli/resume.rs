//! `autobench resume DIR`: goes on with an interrupted study, with repeats, or with a suite.

use std::path::PathBuf;

use clap::Args as _;

use super::{
    command::{Command, read},
    evolve, results,
    studies::{repeats, take_up},
    suite,
    terminal::{Failure, Screen},
};
use crate::{
    records::{RepeatsFolder, StudyFolder},
    suites::SuiteFolder,
};

inventory::submit!(Command {
    rank: 7,
    name: "resume",
    about: "Go on with an interrupted study, with repeats, or with a suite",
    augment: ResumeArgs::augment_args,
    run: |matches| run(&read::<ResumeArgs>(matches)?),
});

/// Which study.
#[derive(Debug, clap::Args)]
pub(super) struct ResumeArgs {
    /// The study's folder, or that of repeats or of a suite; `latest`, or a part of a name in `out`
    dir: PathBuf,
    /// Go on although the kernel, plugin, device or compiler has changed
    #[arg(long)]
    accept_changes: bool,
    /// Wait until a suite that was submitted to SLURM has ended
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    screen: Screen,
}

pub(super) fn run(arguments: &ResumeArgs) -> Result<(), Failure> {
    let dir = results::named(&arguments.dir)?;
    if arguments.wait && !SuiteFolder::is_at(&dir) {
        return Err(suite::never_submitted());
    }
    if RepeatsFolder::is_at(&dir) {
        return repeats::resume(&dir, arguments.accept_changes, arguments.screen);
    }
    if SuiteFolder::is_at(&dir) {
        return suite::resume(&dir, arguments.accept_changes, arguments.wait, arguments.screen);
    }
    if evolve::is_family(&dir) {
        return Err(evolve::shown::no_resume(&dir));
    }
    let folder = StudyFolder::open(&dir).map_err(Failure::stored)?;
    let (mut study, journal) = take_up(&folder, arguments.accept_changes)?;
    study.run_and_print(&folder, journal, arguments.screen)
}
