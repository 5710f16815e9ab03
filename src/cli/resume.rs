//! `autobench resume DIR`: goes on where a study stopped, or where repeats did.

use std::path::PathBuf;

use super::{Failure, launch::Screen, output, provenance::argv, repeat, stage::Stage};
use crate::{
    records::{Event, Journal, RepeatsFolder, SAMPLES_FILE, StudyFolder, StudyRecord},
    study::Chronicle,
};

/// Which study.
#[derive(Debug, clap::Args)]
pub(super) struct ResumeArgs {
    /// The study's folder, or that of repeats
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
    let screen = Screen { quiet: arguments.quiet, json: arguments.json };
    if RepeatsFolder::is_at(&arguments.dir) {
        return repeat::resume(&arguments.dir, arguments.accept_changes, screen);
    }
    let folder = StudyFolder::open(&arguments.dir).map_err(Failure::stored)?;
    let (mut stage, chronicle) = take_up(&folder, arguments.accept_changes)?;
    stage.perform(&folder, chronicle, &screen)
}

/// A study that has begun, ready to go on.
pub(super) fn take_up(
    folder: &StudyFolder,
    accept_changes: bool,
) -> Result<(Stage, Chronicle), Failure> {
    let record = folder.read_study().map_err(Failure::stored)?;
    let benchmark = record.settings.benchmark.clone();
    let stage = Stage::prepare(Some(&benchmark), &[], record.settings.clone())?;
    let accepted = unchanged(&record, &stage, accept_changes)?;
    stage.take_control()?;
    let (journal, entries) = Journal::resume(folder).map_err(Failure::stored)?;
    match journal.lost_samples() {
        0 => {}
        lost => output::note(&format!(
            "`{}` lost {lost} samples, which stay missing; every figure is in the journal",
            folder.file(SAMPLES_FILE).display()
        )),
    }
    let mut chronicle = Chronicle::new(journal, entries);
    // A study that has its answer keeps it.
    if !chronicle.is_finished() {
        chronicle.write(Event::Resumed { argv: argv(), accepted }).map_err(Failure::bug)?;
    }
    Ok((stage, chronicle))
}

/// Refuses a stage that is not what was recorded; says what was accepted.
pub(super) fn unchanged(
    record: &StudyRecord,
    stage: &Stage,
    accept_changes: bool,
) -> Result<Vec<String>, Failure> {
    let changes = record.differences(stage.record());
    if changes.is_empty() || accept_changes {
        return Ok(changes);
    }
    let message = format!("the study cannot go on as it was: {}", changes.join("; "));
    let hint = "restore what changed, or mix the results knowingly with --accept-changes";
    Err(Failure::settings(message).hint(hint))
}
