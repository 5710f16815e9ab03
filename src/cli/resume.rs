//! `autobench resume DIR`: goes on where a study stopped, or where repeats did.

use std::path::PathBuf;

use super::{
    studies::{repeats, take_up},
    terminal::{Failure, Screen},
};
use crate::records::{RepeatsFolder, StudyFolder};

/// Which study.
#[derive(Debug, clap::Args)]
pub(super) struct ResumeArgs {
    /// The study's folder, or that of repeats
    dir: PathBuf,
    /// Go on although the kernel, plugin, device or compiler has changed
    #[arg(long)]
    accept_changes: bool,
    #[command(flatten)]
    screen: Screen,
}

/// Takes up the journal and goes on.
pub(super) fn run(arguments: &ResumeArgs) -> Result<(), Failure> {
    if RepeatsFolder::is_at(&arguments.dir) {
        return repeats::resume(&arguments.dir, arguments.accept_changes, arguments.screen);
    }
    let folder = StudyFolder::open(&arguments.dir).map_err(Failure::stored)?;
    let (mut study, journal) = take_up(&folder, arguments.accept_changes)?;
    study.run_and_print(&folder, journal, arguments.screen)
}
