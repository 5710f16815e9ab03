//! `autobench resume DIR`: goes on where a study stopped.

use std::path::PathBuf;

use super::{Failure, launch::Screen, stage::Stage};
use crate::{
    records::{Event, Journal, StudyFolder},
    study::Chronicle,
};

/// Which study.
#[derive(Debug, clap::Args)]
pub(super) struct ResumeArgs {
    /// The study's folder
    dir: PathBuf,
    /// Go on although the kernel, plugin, device or compiler has changed
    #[arg(long)]
    accept_changes: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors and, with --json, the result
    #[arg(long, short)]
    quiet: bool,
}

/// Takes up the journal and goes on.
pub(super) fn run(arguments: &ResumeArgs) -> Result<(), Failure> {
    let folder = StudyFolder::open(&arguments.dir).map_err(Failure::settings)?;
    let record = folder.read_study().map_err(Failure::settings)?;
    let benchmark = record.settings.benchmark.clone();
    let mut stage = Stage::prepare(Some(&benchmark), &[], record.settings.clone())?;
    let changes = record.differences(stage.record());
    if !changes.is_empty() && !arguments.accept_changes {
        return Err(Failure::settings(format!(
            "the study cannot go on as it was: {}",
            changes.join("; ")
        ))
        .hint("restore what changed, or mix the results knowingly with --accept-changes"));
    }
    stage.take_control()?;
    let (journal, entries) = Journal::resume(&folder).map_err(Failure::settings)?;
    let mut chronicle = Chronicle::new(journal, entries);
    let argv = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    chronicle.write(Event::Resumed { argv, accepted: changes }).map_err(Failure::bug)?;
    let screen = Screen { quiet: arguments.quiet, json: arguments.json };
    stage.perform(&folder, chronicle, &screen)
}
