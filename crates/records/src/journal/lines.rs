//! Journals of any kind of event: append-only files; each line has a number and a checksum.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write as _},
    marker::PhantomData,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use chrono::{DateTime, SubsecRound as _, Utc};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::FileFault;

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry<E> {
    /// Number, counted from 1 without gaps.
    pub seq: u64,
    /// When the line was written.
    pub utc: DateTime<Utc>,
    /// What happened.
    #[serde(flatten)]
    pub event: E,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileFault),
    /// A study was begun, but its journal does not exist.
    #[error("there is no `{path}`: nothing of its study is recorded; `autobench resume` performs it from its start", path = .0.display())]
    Missing(PathBuf),
    /// A line before the last is not an event.
    #[error("line {line} of `{path}` is damaged ({why}); restore the file, or cut it before that line to go on from there", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is damaged.
        why: String,
    },
    /// The file was removed while it was written.
    #[error("`{path}` was removed while autobench wrote to it, and what it held is lost; begin again, and leave the folder in its place", path = .0.display())]
    Removed(PathBuf),
    /// Another process is writing the journal.
    #[error("another autobench is writing to `{path}`; wait for it or stop it first", path = .0.display())]
    Busy(PathBuf),
}

/// Content of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<E> {
    /// Complete events, in order.
    pub entries: Vec<Entry<E>>,
    /// Bytes up to the end of the last complete line.
    pub complete_bytes: u64,
    /// Bytes of a last line that a kill cut short; its event was never reported.
    pub torn_bytes: u64,
}

/// Reads the bytes of the journal at `path`.
///
/// # Errors
/// If a complete line is not the expected event.
pub fn parse_events<E: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
) -> Result<Read<E>, JournalError> {
    let complete = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let (mut entries, mut document) = (Vec::new(), Vec::new());
    let mut summed = false;
    for (at, line) in bytes[..complete].split_inclusive(|&b| b == b'\n').enumerate() {
        let damaged =
            |why: String| JournalError::Damaged { path: path.to_owned(), line: at + 1, why };
        // The message may quote the line; newlines in it are replaced.
        let fault = |error: serde_json::Error| error.to_string().replace(char::is_control, " ");
        let before = match without_sum(line).map_err(damaged)? {
            Some(before) => {
                summed = true;
                before
            }
            // Older versions wrote no checksums. If earlier lines have one, this line lost its own.
            None if summed => return Err(damaged("its checksum is missing".to_owned())),
            None => line,
        };
        document.clear();
        document.extend_from_slice(before);
        if summed {
            document.push(b'}');
        }
        let entry: Entry<E> = serde_json::from_slice(&document).map_err(|e| damaged(fault(e)))?;
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

/// Text between an event and its checksum, a CRC-32 of everything before it in the line.
const SUM: &str = ",\"sum\":\"";

/// The line without its checksum; `None` if it has none, an error if the checksum is wrong.
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

/// The only writer of a journal. Dropping it unlocks the file.
#[derive(Debug)]
pub struct EventLog<E> {
    lines: Appended,
    seq: u64,
    kind: PhantomData<E>,
}

impl<E: Serialize + DeserializeOwned> EventLog<E> {
    /// Creates or reopens a journal: cuts a torn last line, and returns the events.
    ///
    /// # Errors
    /// If another process is writing it, it is damaged, or it cannot be read or written.
    pub fn open(path: &Path) -> Result<(Self, Vec<Entry<E>>), JournalError> {
        let mut lines = Appended::open(path.to_owned())?;
        lines.lock()?;
        let bytes = std::fs::read(path).map_err(FileFault::reading(path))?;
        let read = parse_events(path, &bytes)?;
        lines.cut(read.complete_bytes)?;
        let seq = read.entries.len() as u64;
        Ok((Self { lines, seq, kind: PhantomData }, read.entries))
    }

    /// Appends an event. Once this returns, the event survives a kill of the process.
    ///
    /// # Errors
    /// If it cannot be written; the journal then stays as it was.
    pub fn append(&mut self, event: E) -> Result<Entry<E>, JournalError> {
        let entry = Entry { seq: self.seq + 1, utc: Utc::now().trunc_subsecs(3), event };
        self.append_entries(std::slice::from_ref(&entry))?;
        Ok(entry)
    }

    /// Entries for these events, with the next numbers and the current time.
    pub(crate) fn entries(&self, events: Vec<E>) -> Vec<Entry<E>> {
        let utc = Utc::now().trunc_subsecs(3);
        let entry = |(seq, event)| Entry { seq, utc, event };
        (self.seq + 1..).zip(events).map(entry).collect()
    }

    /// Appends entries in one write: a kill leaves all or none.
    pub(crate) fn append_entries(&mut self, entries: &[Entry<E>]) -> Result<(), JournalError> {
        let mut lines = Vec::new();
        for entry in entries {
            let mut line =
                serde_json::to_vec(entry).map_err(|e| self.lines.failed(io::Error::other(e)))?;
            line.pop();
            let sum = crc32fast::hash(&line);
            line.extend_from_slice(format!("{SUM}{sum:08x}\"}}\n").as_bytes());
            lines.extend(line);
        }
        self.lines.append(&lines)?;
        self.seq += entries.len() as u64;
        Ok(())
    }

    /// Waits until all lines are on disk.
    ///
    /// # Errors
    /// If the disk refuses them.
    pub fn wait(&self) -> Result<(), JournalError> {
        self.lines.wait()
    }
}

/// An append-only file that is written in whole pieces.
#[derive(Debug)]
pub(crate) struct Appended {
    path: PathBuf,
    file: File,
    pub(crate) length: u64,
}

impl Appended {
    pub(crate) fn open(path: PathBuf) -> Result<Self, JournalError> {
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
            // Some network file systems have no locks; the study then runs without one.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        if let Err(source) = self.file.write_all(bytes) {
            // Remove a half-written piece. If that fails too, the next resume cuts it.
            let _ = self.file.set_len(self.length);
            return Err(self.failed(source));
        }
        self.length += bytes.len() as u64;
        let links = self.file.metadata().map_or(1, |about| about.nlink());
        // Some file systems count no links of files that exist.
        if links == 0 && std::fs::symlink_metadata(&self.path).is_err() {
            return Err(JournalError::Removed(self.path.clone()));
        }
        Ok(())
    }

    pub(crate) fn cut(&mut self, length: u64) -> Result<(), JournalError> {
        if length < self.length {
            self.file.set_len(length).map_err(|e| self.failed(e))?;
        }
        self.length = length;
        Ok(())
    }

    pub(crate) fn wait(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|e| self.failed(e))
    }

    fn failed(&self, source: io::Error) -> JournalError {
        FileFault::recording(&self.path)(source).into()
    }
}
