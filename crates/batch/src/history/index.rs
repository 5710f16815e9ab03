//! The index: a file of JSON lines, a study each, behind a line with their number and their sum.
//!
//! A study is read again when its record or its journal is of another time or length than the index
//! says. The file is written aside and renamed, so several programs may do so at once: each file is
//! whole, and the last one stays.

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

/// The index's file in a folder of results.
pub const INDEX_FILE: &str = "history.jsonl";

/// Word that marks a file as an index.
pub const INDEX_FORMAT: &str = "autobench-history";

/// Version of the index that this program writes; any other is made again.
pub const INDEX_VERSION: u32 = 2;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    studies: usize,
    /// CRC-32 of all that follows.
    sum: u32,
}

/// The studies of a folder of results.
#[derive(Debug, Clone)]
pub struct History {
    root: PathBuf,
    /// Every study, in the order of the names of their folders.
    pub entries: Vec<Entry>,
    /// What was wrong with the index, if it was made again.
    pub remade: Option<String>,
    /// How many studies had to be read.
    pub read: usize,
    changed: bool,
}

impl History {
    /// The studies of a folder as they are now; those that have not changed come from the index.
    ///
    /// # Errors
    /// If the folder cannot be read. An index that cannot be used is made again.
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
                // What could not be read may be readable now.
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

    /// Writes the index, if it is not as it should be.
    ///
    /// # Errors
    /// If it cannot be written; nothing but time is lost then.
    pub fn keep(&self) -> Result<(), FileFault> {
        // A study's own folder is no place for an index.
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

/// Reads an index; nothing if there is none; why, if it cannot be used.
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

/// Reads the studies at these positions, on all processors.
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
