//! Finds results that may be deleted, and deletes them. Keeps results that are tagged or being
//! written, and everything that is not a result.

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

/// A folder changed more recently than this may belong to a study that has not locked it yet.
const FRESH: Duration = Duration::from_mins(10);

/// How deep the folders of a result are searched.
const DEEPEST: usize = 5;

/// Prefix of the name that a result gets while it is deleted.
const LEAVING: &str = ".autobench-leaving-";

/// Conditions for deleting a result. All given conditions must hold.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// The result started before this time.
    pub before: Option<DateTime<Utc>>,
    /// The result is not among this many newest results of the same benchmarks on the same devices.
    pub keep_last: Option<usize>,
    /// The result has no finished study.
    pub unfinished: bool,
}

/// A result that may be deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The result's folder relative to the folder of results.
    pub result: String,
    /// Number of the result's studies.
    pub studies: usize,
    /// Number of the result's finished studies.
    pub finished: usize,
    /// When the newest study started, if known.
    pub started: Option<DateTime<Utc>>,
    /// Total size of the result's files in bytes.
    pub bytes: u64,
}

/// Why a result was not deleted.
#[derive(Debug, thiserror::Error)]
pub enum Kept {
    /// Another process writes the result, or it cannot be locked to find out.
    #[error("`{0}` is being written, or cannot be locked, and stays")]
    Written(String),
    /// The result is no longer a folder, or is a link.
    #[error("`{0}` is not the folder that it was, and stays")]
    Changed(String),
    /// The result cannot be moved or removed.
    #[error(transparent)]
    File(#[from] FileFault),
}

/// Returns the results that the rule selects, oldest first. The second list has the selected
/// results that are protected from deletion, each with the reason.
#[must_use]
pub fn candidates(history: &History, rule: &Rule) -> (Vec<Candidate>, Vec<(String, &'static str)>) {
    let mut results: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    // The folder of results may itself be a study. It is never deleted.
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

/// Why a result must stay. An unreadable result may come from a later version or another program.
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

/// When a result's newest study started. If unknown, when its folder was last changed.
fn started(history: &History, result: &str, entries: &[&Entry]) -> DateTime<Utc> {
    let changed = || {
        let facts = fs::symlink_metadata(history.root().join(result));
        // A folder whose time is unknown counts as new.
        facts.and_then(|facts| facts.modified()).map_or_else(|_| Utc::now(), DateTime::from)
    };
    newest(entries).unwrap_or_else(changed)
}

/// The newest `count` results of each benchmark and device. `all` is sorted, newest last.
/// Unfinished results are kept but not counted.
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

/// Deletes a result. The folder is renamed first, so that it disappears from lists at once. Links
/// in it are removed; their targets stay.
///
/// # Errors
/// If another process writes the result, or it is no folder, or it cannot be deleted.
pub fn delete(root: &Path, result: &str) -> Result<(), Kept> {
    let path = root.join(result);
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    // If a part of the path has become a link, the path could lead outside the folder of results.
    let parts = path.ancestors().take_while(|part| *part != root);
    if result.is_empty() || !parts.into_iter().all(is_folder) {
        return Err(Kept::Changed(result.to_owned()));
    }
    // The locks are held until the result is deleted, so that no process resumes it.
    let _locks = locked(&path, DEEPEST).ok_or_else(|| Kept::Written(result.to_owned()))?;
    let aside = aside(&path);
    fs::rename(&path, &aside).map_err(FileFault::writing(&path))?;
    fs::remove_dir_all(&aside).map_err(FileFault::writing(&aside))?;
    Ok(())
}

/// An unused name next to the result.
fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let own = format!("{LEAVING}{}-{}", std::process::id(), name.unwrap_or_default());
    path.with_file_name(own)
}

/// Locks all folders and journals of a result. `None` if another process holds a lock, or a study
/// may have just begun.
fn locked(path: &Path, depth: usize) -> Option<Vec<File>> {
    let mut locks = Vec::new();
    // Some file systems cannot lock folders, so only the journals' locks are required.
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
        // Network file systems lock only files that are open for writing.
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
