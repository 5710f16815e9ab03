//! Journal: `journal.jsonl`, a line per event, the source of truth, and `samples.f32`; append-only.
//!
//! A line is one `write` and is in the kernel's hands before its event is reported: a killed
//! process loses nothing that was reported. Only a crash of the machine could, so closing a size
//! also waits for the disk; at most the open size is lost then.

pub(in crate::records) mod event;
pub(in crate::records) mod hours;

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use chrono::{SubsecRound as _, Utc};

use crate::records::{
    Event, FileFault, JOURNAL_FILE, JournalEntry, SAMPLES_FILE, StudyFolder, Trial, TrialEvent,
    study::folder::sync_folder,
};

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileFault),
    /// A line before the last is not an event.
    #[error("line {line} of `{path}` is damaged ({why}); restore the file, or cut it before that line to go on from there", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Damage.
        why: String,
    },
    /// Another process writes it.
    #[error("another autobench is writing to `{path}`; wait for it or stop it first", path = .0.display())]
    Busy(PathBuf),
}

/// Content of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Complete events, in order.
    pub entries: Vec<JournalEntry>,
    /// Bytes up to the end of the last complete line.
    pub complete_bytes: u64,
    /// Bytes of a last line that a kill cut short; its event was never reported.
    pub torn_bytes: u64,
}

/// Reads a journal without a last line that a kill has torn.
///
/// # Errors
/// If the file cannot be read, or a complete line is not the event that belongs there.
pub fn read_journal(path: &Path) -> Result<Read, JournalError> {
    let bytes = std::fs::read(path).map_err(FileFault::reading(path))?;
    parse_journal(path, &bytes)
}

/// Reads the bytes of the journal at `path`.
///
/// # Errors
/// If a complete line is not the event that belongs there.
pub fn parse_journal(path: &Path, bytes: &[u8]) -> Result<Read, JournalError> {
    let complete = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let (mut entries, mut document) = (Vec::new(), Vec::new());
    let mut summed = false;
    for (at, line) in bytes[..complete].split_inclusive(|&b| b == b'\n').enumerate() {
        let damaged =
            |why: String| JournalError::Damaged { path: path.to_owned(), line: at + 1, why };
        // The message may quote the line, and must stay one line itself.
        let fault = |error: serde_json::Error| error.to_string().replace(char::is_control, " ");
        let before = match without_sum(line).map_err(damaged)? {
            Some(before) => {
                summed = true;
                before
            }
            // Older versions wrote no checksums; a line among others with one has lost it.
            None if summed => return Err(damaged("its checksum is missing".to_owned())),
            None => line,
        };
        document.clear();
        document.extend_from_slice(before);
        if summed {
            document.push(b'}');
        }
        let entry: JournalEntry =
            serde_json::from_slice(&document).map_err(|e| damaged(fault(e)))?;
        let expected = at as u64 + 1;
        if entry.seq != expected {
            return Err(damaged(format!("it is event {}, not {expected}", entry.seq)));
        }
        entries.push(entry);
    }
    Ok(Read {
        entries,
        complete_bytes: complete as u64,
        torn_bytes: (bytes.len() - complete) as u64,
    })
}

/// Separator between an event and the checksum (CRC-32) of everything before it in the line.
const SUM: &str = ",\"sum\":\"";

/// A line without its checksum, if it has one; an error if that is wrong.
fn without_sum(line: &[u8]) -> Result<Option<&[u8]>, String> {
    let line = line.trim_ascii_end();
    let Some(at) = line.len().checked_sub(SUM.len() + 8 + 2) else { return Ok(None) };
    let (before, behind) = line.split_at(at);
    let alike = behind.iter().zip(SUM.as_bytes()).filter(|(a, b)| a == b).count();
    let stated = behind.strip_prefix(SUM.as_bytes()).and_then(|s| s.strip_suffix(b"\"}"));
    let Some(stated) = stated else {
        // A damaged checksum, or a line of a version without any.
        let damaged = alike + 2 >= SUM.len();
        return if damaged { Err("its checksum is damaged".to_owned()) } else { Ok(None) };
    };
    let sum = format!("{:08x}", crc32fast::hash(before));
    match stated == sum.as_bytes() {
        true => Ok(Some(before)),
        false => Err("its checksum is another".to_owned()),
    }
}

/// The only writer of a study's journal; dropping it unlocks the study.
#[derive(Debug)]
pub struct Journal {
    lines: Appended,
    samples: Appended,
    seq: u64,
    lost_samples: u64,
}

impl Journal {
    /// Starts the journal of a new study.
    ///
    /// # Errors
    /// If its files cannot be made.
    pub fn create(folder: &StudyFolder) -> Result<Self, JournalError> {
        let lines = Appended::open(folder.file(JOURNAL_FILE))?;
        lines.lock()?;
        let samples = Appended::open(folder.file(SAMPLES_FILE))?;
        sync_folder(folder.path())?;
        Ok(Self { lines, samples, seq: 0, lost_samples: 0 })
    }

    /// Resumes the journal of an interrupted study: cuts what was torn and returns the events.
    ///
    /// # Errors
    /// If another process writes it, it is damaged, or it cannot be read or written.
    pub fn resume(folder: &StudyFolder) -> Result<(Self, Vec<JournalEntry>), JournalError> {
        let path = folder.file(JOURNAL_FILE);
        let mut lines = Appended::open(path.clone())?;
        lines.lock()?;
        let read = read_journal(&path)?;
        lines.cut(read.complete_bytes)?;
        let mut samples = Appended::open(folder.file(SAMPLES_FILE))?;
        // Samples are written before the line that names them: samples without a line are torn.
        let named = read.entries.iter().filter_map(|entry| match &entry.event {
            Event::Trial(t) => Some(4 * (t.samples_offset + t.samples_count)),
            _ => None,
        });
        let end = named.max().unwrap_or(0);
        let kept = end.min(samples.length) & !3;
        samples.cut(kept)?;
        // Placeholders for lost samples, so that later ones keep their positions.
        let lost_samples = (end - kept) / 4;
        for _ in 0..lost_samples {
            samples.append(&f32::NAN.to_le_bytes())?;
        }
        let seq = read.entries.len() as u64;
        Ok((Self { lines, samples, seq, lost_samples }, read.entries))
    }

    /// Number of samples that the journal names and that were lost; they are NaN now.
    #[must_use]
    pub fn lost_samples(&self) -> u64 {
        self.lost_samples
    }

    /// Appends an event; returns once it would survive this process.
    ///
    /// # Errors
    /// If it cannot be written; then the journal is as before.
    pub fn append(&mut self, event: Event) -> Result<JournalEntry, JournalError> {
        let wait = matches!(event, Event::SizeClosed(_) | Event::Finished { .. });
        let entry = JournalEntry { seq: self.seq + 1, utc: Utc::now().trunc_subsecs(3), event };
        self.lines.append(&self.line(&entry)?)?;
        self.seq += 1;
        if wait {
            self.samples.wait()?;
            self.lines.wait()?;
        }
        Ok(entry)
    }

    /// Appends trials with the samples of each measurement in one piece: a kill leaves all or none.
    ///
    /// # Errors
    /// If they cannot be written; then the journal is as before.
    pub fn append_trials(
        &mut self,
        trials: impl IntoIterator<Item = Trial>,
    ) -> Result<Vec<JournalEntry>, JournalError> {
        let utc = Utc::now().trunc_subsecs(3);
        let (mut lines, mut samples) = (Vec::new(), Vec::new());
        let mut entries = Vec::new();
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
            let event = Event::Trial(TrialEvent { trial, samples_offset, samples_count, charged });
            let entry = JournalEntry { seq: self.seq + 1 + entries.len() as u64, utc, event };
            lines.extend(self.line(&entry)?);
            entries.push(entry);
        }
        self.samples.append(&samples)?;
        self.lines.append(&lines)?;
        self.seq += entries.len() as u64;
        Ok(entries)
    }

    fn line(&self, entry: &JournalEntry) -> Result<Vec<u8>, JournalError> {
        let mut line =
            serde_json::to_vec(entry).map_err(|e| self.lines.failed(io::Error::other(e)))?;
        line.pop();
        let sum = crc32fast::hash(&line);
        line.extend_from_slice(format!("{SUM}{sum:08x}\"}}\n").as_bytes());
        Ok(line)
    }
}

/// A file that only grows, by whole pieces.
#[derive(Debug)]
struct Appended {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Appended {
    fn open(path: PathBuf) -> Result<Self, JournalError> {
        let open = || {
            let file = OpenOptions::new().append(true).create(true).open(&path)?;
            let length = file.metadata()?.len();
            Ok((file, length))
        };
        match open() {
            Ok((file, length)) => Ok(Self { path, file, length }),
            Err(source) => Err(FileFault::recording(&path)(source).into()),
        }
    }

    fn lock(&self) -> Result<(), JournalError> {
        match self.file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(JournalError::Busy(self.path.clone())),
            // Some network file systems have no locks; a study there goes on without one.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        if let Err(source) = self.file.write_all(bytes) {
            // Half a piece must not stay before whole ones; if this fails too, a resume cuts it.
            let _ = self.file.set_len(self.length);
            return Err(self.failed(source));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn cut(&mut self, length: u64) -> Result<(), JournalError> {
        if length < self.length {
            self.file.set_len(length).map_err(|e| self.failed(e))?;
        }
        self.length = length;
        Ok(())
    }

    fn wait(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|e| self.failed(e))
    }

    fn failed(&self, source: io::Error) -> JournalError {
        FileFault::recording(&self.path)(source).into()
    }
}

#[cfg(test)]
mod tests;
