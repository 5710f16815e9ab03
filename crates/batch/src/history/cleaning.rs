//! Which results may go, and letting them go: whole results of a folder, never one that is tagged,
//! written, or anything that is no result.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, TryLockError},
    io::ErrorKind::Unsupported,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Utc};
use records::{FileFault, JOURNAL_FILE};

use super::{
    entry::{Entry, State},
    index::History,
};

/// What changed less than this ago may be at its beginning, where nothing is locked yet.
const FRESH: Duration = Duration::from_mins(10);

/// How deep a result is looked into.
const DEEPEST: usize = 5;

/// Beginning of the name under which a result waits for its end.
const LEAVING: &str = ".autobench-leaving-";

/// Results that may go are all of these.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// Started before.
    pub before: Option<DateTime<Utc>>,
    /// Not among so many of the newest of the same benchmarks on the same devices.
    pub keep_last: Option<usize>,
    /// Without any study that has finished.
    pub unfinished: bool,
}

/// A result that may go.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its folder, from the folder of results on.
    pub result: String,
    /// Number of its studies.
    pub studies: usize,
    /// Number of those that have finished.
    pub finished: usize,
    /// When the newest of them started, where that is known.
    pub started: Option<DateTime<Utc>>,
    /// Bytes of its files.
    pub bytes: u64,
}

/// Why a result stays though it was to go.
#[derive(Debug, thiserror::Error)]
pub enum Kept {
    /// Another process writes it, or whether one does cannot be told.
    #[error("`{0}` is being written, or cannot be locked, and stays")]
    Written(String),
    /// It is no folder any more, or a link.
    #[error("`{0}` is not the folder that it was, and stays")]
    Changed(String),
    /// It cannot be moved or removed.
    #[error(transparent)]
    File(#[from] FileFault),
}

/// Results that a rule lets go, the oldest first, and those that it would let go but for something else,
/// with what that is.
#[must_use]
pub fn candidates(history: &History, rule: &Rule) -> (Vec<Candidate>, Vec<(String, &'static str)>) {
    let mut results: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    // The folder of results itself is no result of its own.
    for entry in history.entries.iter().filter(|entry| !entry.result.is_empty()) {
        results.entry(&entry.result).or_default().push(entry);
    }
    let mut all: Vec<(&str, Vec<&Entry>)> = results.into_iter().collect();
    all.sort_by_key(|(result, entries)| (newest(entries), (*result).to_owned()));
    let kept = rule.keep_last.map(|count| last(&all, count)).unwrap_or_default();
    let goes = |(result, entries): &&(&str, Vec<&Entry>)| {
        let old = rule.before.is_none_or(|before| started(history, result, entries) < before);
        let open = !rule.unfinished || entries.iter().all(|e| e.state == State::Unfinished);
        old && open && !kept.contains(result)
    };
    let (protected, free): (Vec<_>, Vec<_>) = all
        .iter()
        .filter(goes)
        .map(|(result, entries)| (result, entries, protection(entries)))
        .partition(|(.., protection)| protection.is_some());
    let candidates = free.into_iter().map(|(result, entries, _)| Candidate {
        result: (*result).to_owned(),
        studies: entries.len(),
        finished: entries.iter().filter(|entry| entry.state == State::Finished).count(),
        started: newest(entries),
        bytes: bytes(&history.root().join(result), DEEPEST),
    });
    let stay = |(result, _, why): (&&str, _, Option<_>)| Some(((*result).to_owned(), why?));
    (candidates.collect(), protected.into_iter().filter_map(stay).collect())
}

/// Why a result stays whatever the rule. What cannot be read may be a later version's, or not ours.
fn protection(entries: &[&Entry]) -> Option<&'static str> {
    if entries.iter().any(|entry| !entry.tags.is_empty()) {
        return Some("has a tag");
    }
    let unreadable = entries.iter().any(|entry| entry.state == State::Damaged);
    unreadable.then_some("cannot be read")
}

fn newest(entries: &[&Entry]) -> Option<DateTime<Utc>> {
    entries.iter().filter_map(|entry| entry.started()).max()
}

/// When the newest study of a result started, or else when its folder was last changed.
fn started(history: &History, result: &str, entries: &[&Entry]) -> DateTime<Utc> {
    let changed = || {
        let facts = fs::symlink_metadata(history.root().join(result));
        // What cannot be told is new.
        facts.and_then(|facts| facts.modified()).map_or_else(|_| Utc::now(), DateTime::from)
    };
    newest(entries).unwrap_or_else(changed)
}

/// Results that are among the newest of what they are; `all` has the newest last. An unfinished
/// one stands for no other.
fn last<'a>(all: &[(&'a str, Vec<&Entry>)], count: usize) -> BTreeSet<&'a str> {
    let mut counts: BTreeMap<BTreeSet<(&str, &str)>, usize> = BTreeMap::new();
    let mut kept = BTreeSet::new();
    for (result, entries) in all.iter().rev() {
        let studies = entries.iter().filter_map(|entry| entry.study.as_ref());
        let of = studies.map(|study| (study.subject.as_str(), study.device.as_str())).collect();
        let finished = entries.iter().any(|entry| entry.state == State::Finished);
        let seen = counts.entry(of).or_default();
        if *seen < count {
            kept.insert(*result);
            *seen += usize::from(finished);
        }
    }
    kept
}

fn bytes(path: &Path, depth: usize) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let sizes = entries.filter_map(|entry| {
        let facts = entry.metadata().ok()?;
        match (facts.is_dir(), depth.checked_sub(1)) {
            (true, Some(depth)) => Some(bytes(&entry.path(), depth)),
            (true, None) => None,
            (false, _) => Some(facts.len()),
        }
    });
    sizes.sum()
}

/// Deletes a result: its folder leaves the list at once, and what is in it goes after. Links in it
/// go, and what they lead to stays.
///
/// # Errors
/// If it is written by another process, is no folder, or cannot be deleted.
pub fn delete(root: &Path, result: &str) -> Result<(), Kept> {
    let path = root.join(result);
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    // A part of the path that has become a link would lead outside.
    let parts = path.ancestors().take_while(|part| *part != root);
    if result.is_empty() || !parts.into_iter().all(is_folder) {
        return Err(Kept::Changed(result.to_owned()));
    }
    // Held until it is gone, so that nobody goes on with it.
    let _locks = locked(&path, DEEPEST).ok_or_else(|| Kept::Written(result.to_owned()))?;
    let aside = aside(&path);
    fs::rename(&path, &aside).map_err(FileFault::writing(&path))?;
    fs::remove_dir_all(&aside).map_err(FileFault::writing(&aside))?;
    Ok(())
}

/// A free name beside a result.
fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = format!("{LEAVING}{}-{}", std::process::id(), name.unwrap_or_default());
    path.with_file_name(own)
}

/// Locks of all folders and journals of a result; `None` if another process holds one, or it is so
/// fresh that it may be at its beginning.
fn locked(path: &Path, depth: usize) -> Option<Vec<File>> {
    let mut locks = Vec::new();
    // A folder's lock is refused by some file systems; that of the journals counts.
    let mut lock = |file: File, is_folder: bool| -> Option<()> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return None,
            Err(TryLockError::Error(error)) if !is_folder && error.kind() != Unsupported => {
                return None;
            }
            Ok(()) | Err(TryLockError::Error(_)) => locks.push(file),
        }
        Some(())
    };
    lock(File::open(path).ok()?, true)?;
    let journal = path.join(JOURNAL_FILE);
    let has_journal = fs::symlink_metadata(&journal).is_ok_and(|facts| facts.is_file());
    if has_journal {
        // Network file systems lock only what is open for writing.
        lock(File::options().read(true).write(true).open(&journal).ok()?, false)?;
    } else if is_fresh(path) {
        return None;
    }
    let entries = fs::read_dir(path).ok()?.filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for folder in folders {
        let depth = depth.checked_sub(1)?;
        locks.extend(locked(&folder.path(), depth)?);
    }
    Some(locks)
}

fn is_fresh(path: &Path) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|facts| facts.modified());
    let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
    age.is_none_or(|age| age < FRESH)
}
