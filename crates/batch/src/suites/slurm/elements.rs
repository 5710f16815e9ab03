//! The journals of elements. Each element writes the events of its study into its own journal, and
//! no other process writes there. Later the events are copied into the suite's journal.

use std::path::{Path, PathBuf};

use records::{Entry, FileFault, JournalError, parse_events};

use super::record::SLURM_FOLDER;
use crate::suites::{SuiteEvent, SuiteRecord, Told};

/// Path of the journal that a study's elements write.
#[must_use]
pub fn element_journal(suite: &Path, study: usize) -> PathBuf {
    suite.join(SLURM_FOLDER).join(format!("study-{study:04}.jsonl"))
}

/// The study of an event that an element wrote.
fn study(event: &SuiteEvent) -> Option<usize> {
    match event {
        SuiteEvent::StudyBegan { study, .. } | SuiteEvent::StudyEnded { study, .. } => Some(*study),
        _ => None,
    }
}

fn written(suite: &Path, number: usize) -> Result<Vec<SuiteEvent>, JournalError> {
    let path = element_journal(suite, number);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let bytes = std::fs::read(&path).map_err(FileFault::reading(&path))?;
    let entries = parse_events::<SuiteEvent>(&path, &bytes)?.entries;
    let events = entries.into_iter().map(|entry| entry.event);
    Ok(events.filter(|event| study(event) == Some(number)).collect())
}

/// Events of elements that the suite's journal does not have yet, in the order of the studies.
///
/// # Errors
/// If the journal of an element is damaged or cannot be read.
pub fn ungathered(
    suite: &Path,
    record: &SuiteRecord,
    entries: &[Entry<SuiteEvent>],
) -> Result<Vec<SuiteEvent>, JournalError> {
    let mut gathered = vec![0; record.studies.len() + 1];
    for number in entries.iter().filter_map(|entry| study(&entry.event)) {
        if let Some(many) = gathered.get_mut(number) {
            *many += 1;
        }
    }
    let mut events = Vec::new();
    for (number, _) in record.numbered() {
        events.extend(written(suite, number)?.into_iter().skip(gathered[number]));
    }
    Ok(events)
}

/// The state of all studies, including events that are only in elements' journals.
///
/// # Errors
/// If the journal of an element is damaged or cannot be read.
pub fn heard(
    suite: &Path,
    record: &SuiteRecord,
    entries: &[Entry<SuiteEvent>],
) -> Result<Told, JournalError> {
    let mut told = Told::by(entries);
    ungathered(suite, record, entries)?.iter().for_each(|event| told.hear(event));
    Ok(told)
}
