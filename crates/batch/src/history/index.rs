//! The index: a file of JSON lines with one study each. The first line has the number of studies
//! and a checksum.
//!
//! A study is read again if its record or journal has another time or length than in the index. The
//! file is written under another name and then renamed, so that several programs may write it at
//! the same time: every version is complete, and the last one remains.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use records::{FileFault, write_whole};
use serde::{Deserialize, Serialize};

use super::{
    entry::{Entry, State},
    scan::{Found, scan},
};

/// Name of the index file in a folder of results.
pub const INDEX_FILE: &str = "history.jsonl";

/// Format name in an index file.
pub const INDEX_FORMAT: &str = "autobench-history";

/// Version of the index. A file of another version is rebuilt.
pub const INDEX_VERSION: u32 = 3;

/// The first line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    studies: usize,
    /// CRC-32 of all following lines.
    sum: u32,
}

/// The studies in a folder of results.
#[derive(Debug, Clone)]
pub struct History {
    root: PathBuf,
    /// All studies, sorted by the names of their folders.
    pub entries: Vec<Entry>,
    /// Why the index had to be rebuilt, if so.
    pub remade: Option<String>,
    /// Number of studies that had to be read.
    pub read: usize,
    changed: bool,
}

impl History {
    /// Lists the studies in a folder. Unchanged studies come from the index. An unusable index is
    /// rebuilt.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn of(root: &Path) -> Result<Self, FileFault> {
        let found = scan(root)?;
        let (known, remade) = match load(&root.join(INDEX_FILE)) {
            Ok(known) => (known, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let before = known.len();
        let mut known: HashMap<String, Entry> =
            known.into_iter().map(|entry| (entry.folder.clone(), entry)).collect();
        let mut entries: Vec<Option<Entry>> = found
            .iter()
            .map(|found| {
                let entry = known.remove(&found.folder);
                // A damaged study may have become readable, so it is read again.
                let usable = |e: &Entry| e.stamp == found.stamp && e.state != State::Damaged;
                let mut entry = entry.filter(usable)?;
                entry.result.clone_from(&found.result);
                entry.tag(&found.tags);
                Some(entry)
            })
            .collect();
        let missing: Vec<usize> = (0..found.len()).filter(|at| entries[*at].is_none()).collect();
        for (at, entry) in read_all(root, &found, &missing) {
            entries[at] = Some(entry);
        }
        let entries: Vec<Entry> = entries.into_iter().flatten().collect();
        let changed = !missing.is_empty() || entries.len() != before;
        Ok(Self { root: root.to_owned(), entries, remade, read: missing.len(), changed })
    }

    /// The folder of results.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes the index if it has changed.
    ///
    /// # Errors
    /// If the index cannot be written. Only the time to rebuild it is lost.
    pub fn keep(&self) -> Result<(), FileFault> {
        // A study's own folder gets no index.
        let is_study = self.entries.iter().any(|entry| entry.folder.is_empty());
        if is_study || (!self.changed && self.remade.is_none()) {
            return Ok(());
        }
        let path = self.root.join(INDEX_FILE);
        let failed = |error| FileFault::writing(&path)(io::Error::other(error));
        let mut lines = Vec::new();
        for entry in &self.entries {
            serde_json::to_writer(&mut lines, entry).map_err(failed)?;
            lines.push(b'\n');
        }
        let head = Head {
            format: INDEX_FORMAT.to_owned(),
            version: INDEX_VERSION,
            studies: self.entries.len(),
            sum: crc32fast::hash(&lines),
        };
        let mut bytes = serde_json::to_vec(&head).map_err(failed)?;
        bytes.push(b'\n');
        bytes.extend(lines);
        write_whole(&path, &bytes)
    }
}

/// Reads an index. A missing file has no entries; an unusable one is an error with the reason.
fn load(path: &Path) -> Result<Vec<Entry>, String> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileFault::reading(path)(error).to_string()),
    };
    let damaged = || format!("`{}` was damaged", path.display());
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
    let (first, rest) = (&bytes[..end], &bytes[end + 1..]);
    let head: serde_json::Value = serde_json::from_slice(first).map_err(|_| damaged())?;
    if head["format"] != INDEX_FORMAT {
        return Err(damaged());
    }
    if head["version"] != INDEX_VERSION {
        return Err(format!("`{}` was of another version", path.display()));
    }
    let head: Head = serde_json::from_value(head).map_err(|_| damaged())?;
    if head.sum != crc32fast::hash(rest) {
        return Err(damaged());
    }
    let lines = rest.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let entries: Result<Vec<Entry>, _> = lines.map(serde_json::from_slice).collect();
    entries.ok().filter(|entries| entries.len() == head.studies).ok_or_else(damaged)
}

/// Reads the studies at these positions in parallel.
fn read_all(root: &Path, found: &[Found], positions: &[usize]) -> Vec<(usize, Entry)> {
    let (next, read) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(at) = positions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let entry = Entry::read(root, &found[*at]);
            read.lock().unwrap_or_else(PoisonError::into_inner).push((*at, entry));
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get()).min(positions.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    read.into_inner().unwrap_or_else(PoisonError::into_inner)
}
