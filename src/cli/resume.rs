//! `autobench resume DIR`: goes on with an interrupted study, with repeats, or with a suite.

use std::path::PathBuf;

use clap::Args as _;

use super::{
    command::{Command, read},
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
    /// The study's folder, or that of repeats or of a suite
    dir: PathBuf,
    /// Go on although the kernel, plugin, device or compiler has changed
    #[arg(long)]
    accept_changes: bool,
    #[command(flatten)]
    screen: Screen,
}

pub(super) fn run(arguments: &ResumeArgs) -> Result<(), Failure> {
    if RepeatsFolder::is_at(&arguments.dir) {
        return repeats::resume(&arguments.dir, arguments.accept_changes, arguments.screen);
    }
    if SuiteFolder::is_at(&arguments.dir) {
        return suite::resume(&arguments.dir, arguments.accept_changes, arguments.screen);
    }
    let folder = StudyFolder::open(&arguments.dir).map_err(Failure::stored)?;
    let (mut study, journal) = take_up(&folder, arguments.accept_changes)?;
    study.run_and_print(&folder, journal, arguments.screen)
}
