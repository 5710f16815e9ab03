//! Journal of a study: `journal.jsonl` with a line per event is the source of truth; `samples.f32`
//! holds the samples. Both are append-only.
//!
//! Each line is one `write` that finishes before its event is reported, so a killed process loses
//! nothing that was reported. A crash of the machine could lose lines. Closing a size therefore
//! also waits for the disk: a crash costs at most the open size.

pub(crate) mod event;
pub(crate) mod hours;
pub(crate) mod lines;

use std::path::Path;

use self::lines::{Appended, EventLog, JournalError, Read, parse_events};
use crate::{
    Event, FileFault, JOURNAL_FILE, JournalEntry, SAMPLES_FILE, StudyFolder, Trial, TrialEvent,
    study::folder::sync_folder,
};

/// Reads a journal, without a last line that a kill cut short.
///
/// # Errors
/// If the file cannot be read, or a complete line is not the expected event.
pub fn read_journal(path: &Path) -> Result<Read<Event>, JournalError> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => JournalError::Missing(path.to_owned()),
        _ => FileFault::reading(path)(error).into(),
    })?;
    parse_journal(path, &bytes)
}

/// Reads the bytes of the journal at `path`.
///
/// # Errors
/// If a complete line is not the expected event.
pub fn parse_journal(path: &Path, bytes: &[u8]) -> Result<Read<Event>, JournalError> {
    parse_events(path, bytes)
}

/// The only writer of a study's journal. Dropping it unlocks the study.
#[derive(Debug)]
pub struct Journal {
    log: EventLog<Event>,
    samples: Appended,
    lost_samples: u64,
}

impl Journal {
    /// Starts the journal of a new study.
    ///
    /// # Errors
    /// If its files cannot be created.
    pub fn create(folder: &StudyFolder) -> Result<Self, JournalError> {
        let (log, _) = EventLog::open(&folder.file(JOURNAL_FILE))?;
        let samples = Appended::open(folder.file(SAMPLES_FILE))?;
        sync_folder(folder.path())?;
        Ok(Self { log, samples, lost_samples: 0 })
    }

    /// Reopens the journal of an interrupted study: cuts torn data and returns the events.
    ///
    /// # Errors
    /// If another process is writing it, it is damaged, or it cannot be read or written.
    pub fn resume(folder: &StudyFolder) -> Result<(Self, Vec<JournalEntry>), JournalError> {
        let (log, entries) = EventLog::open(&folder.file(JOURNAL_FILE))?;
        let mut samples = Appended::open(folder.file(SAMPLES_FILE))?;
        // Samples are written before the line that refers to them: samples without a line are torn.
        let named = entries.iter().filter_map(|entry: &JournalEntry| match &entry.event {
            Event::Trial(t) => Some(4 * (t.samples_offset + t.samples_count)),
            _ => None,
        });
        let end = named.max().unwrap_or(0);
        let kept = end.min(samples.length) & !3;
        samples.cut(kept)?;
        // Fill lost samples with NaN, so that later samples keep their positions.
        let lost_samples = (end - kept) / 4;
        for _ in 0..lost_samples {
            samples.append(&f32::NAN.to_le_bytes())?;
        }
        Ok((Self { log, samples, lost_samples }, entries))
    }

    /// Number of lost samples: the journal refers to them, and they are NaN now.
    #[must_use]
    pub fn lost_samples(&self) -> u64 {
        self.lost_samples
    }

    /// Appends an event. Once this returns, the event survives a kill of the process.
    ///
    /// # Errors
    /// If it cannot be written; the journal then stays as it was.
    pub fn append(&mut self, event: Event) -> Result<JournalEntry, JournalError> {
        let wait = matches!(event, Event::SizeClosed(_) | Event::Finished { .. });
        let entry = self.log.append(event)?;
        if wait {
            self.samples.wait()?;
            self.log.wait()?;
        }
        Ok(entry)
    }

    /// Appends trials with their samples in one write: a kill leaves all or none.
    ///
    /// # Errors
    /// If they cannot be written; the journal then stays as it was.
    pub fn append_trials(
        &mut self,
        trials: impl IntoIterator<Item = Trial>,
    ) -> Result<Vec<JournalEntry>, JournalError> {
        let (mut events, mut samples) = (Vec::new(), Vec::new());
        for mut trial in trials {
            let samples_offset = (self.samples.length + samples.len() as u64) / 4;
            let mut samples_count = 0;
            if let Some(measurement) = &mut trial.outcome.measurement {
                // JSON has no NaN and no infinity.
                measurement.metrics.retain(|_, value| value.is_finite());
                measurement.error = measurement.error.filter(|e| e.is_finite());
                samples_count = measurement.samples.len() as u64;
                samples.extend(measurement.samples.iter().flat_map(|s| s.to_le_bytes()));
            }
            trial.score = trial.score.filter(|s| s.is_finite());
            let charged = trial.outcome.costs.total();
            events.push(Event::Trial(TrialEvent { trial, samples_offset, samples_count, charged }));
        }
        let entries = self.log.entries(events);
        self.samples.append(&samples)?;
        self.log.append_entries(&entries)?;
        Ok(entries)
    }
}

#[cfg(test)]
mod tests;
