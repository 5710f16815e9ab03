//! Finds the studies below a folder, and the times and lengths of their files, without reading the
//! files. Links are not followed.

use std::{
    fs::{self, File},
    io::Read as _,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use records::{FileFault, JOURNAL_FILE, REPEATS_FILE, STUDY_FILE, SUITE_FILE};
use serde::{Deserialize, Serialize};

use super::tags::{TAGS_FILE, read_tags};

/// Deepest nesting of studies: a folder of results in `out`, a suite, its repeats, a study.
const DEEPEST: usize = 5;

/// The tag that stands for tags that cannot be read.
const UNREADABLE: &str = "unreadable-tags";

/// First bytes of every journal.
const JOURNAL_START: &[u8; 9] = b"{\"seq\":1,";

/// Modification time in nanoseconds and length in bytes, of the record and of the journal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    study: (u64, u64),
    journal: (u64, u64),
}

/// A folder of a study, or of a study that was only begun.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) folder: String,
    pub(super) result: String,
    pub(super) stamp: Stamp,
    /// Tags of the folder and of the folders that contain it.
    pub(super) tags: Vec<String>,
    /// Why the folder holds no study yet; `None` for a study.
    pub(super) half_written: Option<&'static str>,
}

/// Finds everything below a folder of results, sorted by name.
pub(super) fn scan(root: &Path) -> Result<Vec<Found>, FileFault> {
    fs::read_dir(root).map_err(FileFault::reading(root))?;
    let mut found = Vec::new();
    walk(root, "", None, &[], DEEPEST, &mut found);
    Ok(found)
}

fn walk(
    root: &Path,
    folder: &str,
    result: Option<&str>,
    around: &[String],
    depth: usize,
    found: &mut Vec<Found>,
) {
    let path = root.join(folder);
    let study = stamp_of(&path.join(STUDY_FILE));
    let journal = stamp_of(&path.join(JOURNAL_FILE));
    let tags: Vec<String> = match path.join(TAGS_FILE).is_file() {
        // An unreadable file may hold tags, so it protects the result as a tag does.
        true => {
            let own = read_tags(&path).unwrap_or_else(|_| [UNREADABLE.to_owned()].into());
            around.iter().cloned().chain(own).collect()
        }
        false => around.to_vec(),
    };
    let mut add = |half_written| {
        let stamp =
            Stamp { study: study.unwrap_or_default(), journal: journal.unwrap_or_default() };
        let result = result.unwrap_or(folder).to_owned();
        let (folder, tags) = (folder.to_owned(), tags.clone());
        found.push(Found { folder, result, stamp, tags, half_written });
    };
    // The folder of results may itself be a study. Its relative path is then empty.
    if study.is_some() {
        return add(None);
    }
    let several = [REPEATS_FILE, SUITE_FILE].iter().any(|file| path.join(file).is_file());
    let ours = result.is_some() || is_named_as_a_result(folder) || begins_as_a_journal(&path);
    if journal.is_some() && !several && ours {
        return add(Some("it has a journal and no `study.json`: its beginning is lost"));
    }
    let inside = subfolders(&path);
    if is_empty(&path) && is_named_as_a_result(folder) {
        return add(Some("it is empty: its study was killed at its beginning"));
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    let own = if several { Some(folder) } else { None };
    for name in inside {
        let below = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        walk(root, &below, result.or(own), &tags, depth, found);
    }
}

/// Whether a folder is empty. An unreadable folder counts as not empty.
fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Names of the subfolders, without links and hidden folders.
fn subfolders(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    // Non-UTF-8 names are skipped: the index cannot hold them, and results never have such names.
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

/// Whether a folder's journal is one of autobench. Other programs use the same file name.
fn begins_as_a_journal(path: &Path) -> bool {
    let mut bytes = [0; JOURNAL_START.len()];
    let read = File::open(path.join(JOURNAL_FILE)).and_then(|mut file| file.read_exact(&mut bytes));
    read.is_ok() && bytes == *JOURNAL_START
}

/// Whether a name begins like a result's: `20261121T120000Z_`.
fn is_named_as_a_result(folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or_default();
    let Some((time, _)) = name.split_once("Z_") else { return false };
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "00000000T000000"
}

fn stamp_of(path: &Path) -> Option<(u64, u64)> {
    let facts = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let changed = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some((u64::try_from(since.as_nanos()).unwrap_or_default(), facts.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ours_or_empty_is_half_written() {
        let root = tempfile::tempdir().unwrap();
        let file = |path: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        file("20261121T120000Z_3-strategies_3-spaces_score/score.json");
        file("project/journal.jsonl");
        file("20261121T120001Z_gemm_a100_tune/journal.jsonl");
        fs::create_dir(root.path().join("20261121T120002Z_gemm_a100_tune")).unwrap();
        let found = scan(root.path()).unwrap();
        let told: Vec<&str> = found.iter().map(|one| one.folder.as_str()).collect();
        assert_eq!(told, ["20261121T120001Z_gemm_a100_tune", "20261121T120002Z_gemm_a100_tune"]);
    }

    #[test]
    fn names_of_results_begin_with_a_time() {
        assert!(is_named_as_a_result("20261121T120000Z_gemm_a100_kneedle"));
        assert!(is_named_as_a_result("knees/20261121T120000Z_gemm_a100_kneedle-2"));
        for other in ["", "notes", "20261121T120000Z", "x0261121T120000Z_a", "Z_a"] {
            assert!(!is_named_as_a_result(other), "{other}");
        }
    }
}
