//! Resuming a study.

use super::{prepared::PreparedStudy, provenance::argv};
use crate::{
    cli::terminal::{Failure, output},
    records::{Event, Journal, SAMPLES_FILE, StudyFolder, StudyRecord},
    study::StudyJournal,
};

pub(in crate::cli) fn take_up(
    folder: &StudyFolder,
    accept_changes: bool,
) -> Result<(PreparedStudy, StudyJournal), Failure> {
    let record = folder.read_study().map_err(Failure::stored)?;
    let benchmark = record.settings.benchmark.clone();
    let study = PreparedStudy::prepare(Some(&benchmark), &[], record.settings.clone())?;
    let accepted = unchanged(&record, &study, accept_changes)?;
    study.take_control()?;
    let (journal, entries) = Journal::resume(folder).map_err(Failure::stored)?;
    match journal.lost_samples() {
        0 => {}
        lost => output::note(&format!(
            "`{}` lost {lost} samples, which stay missing; every figure is in the journal",
            folder.file(SAMPLES_FILE).display()
        )),
    }
    let mut journal = StudyJournal::new(journal, entries);
    // A finished study is not resumed: it keeps its answer.
    if !journal.is_finished() {
        journal.write(Event::Resumed { argv: argv(), accepted }).map_err(Failure::bug)?;
    }
    Ok((study, journal))
}

/// Refuses a study that differs from its record, unless changes are accepted; returns the changes.
pub(in crate::cli) fn unchanged(
    record: &StudyRecord,
    study: &PreparedStudy,
    accept_changes: bool,
) -> Result<Vec<String>, Failure> {
    let changes = record.differences(study.record());
    if changes.is_empty() || accept_changes {
        return Ok(changes);
    }
    let message = format!("the study cannot go on as it was: {}", changes.join("; "));
    let hint = "restore what changed, or mix the results knowingly with --accept-changes";
    Err(Failure::settings(message).hint(hint))
}
