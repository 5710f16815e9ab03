//! How commands name a result: its folder, `latest`, or a part of its name.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use records::{FAMILY_FILE, FileFault, REPEATS_FILE, SCORE_FILE, STUDY_FILE, SUITE_FILE};

use crate::terminal::Failure;

/// Default folder of results, in which commands look for results by name.
pub(crate) const OUT: &str = "out";

/// The word that names the newest result.
const LATEST: &str = "latest";

/// Finds the folder that a word names. An existing path is returned as it is. Otherwise `latest` is
/// the newest result in `out`, and another word is the only result whose name contains it.
pub(crate) fn named(path: &Path) -> Result<PathBuf, Failure> {
    let word = path.to_string_lossy();
    if path.exists() || path.components().count() != 1 {
        return Ok(path.to_owned());
    }
    let out = Path::new(OUT);
    // Families and scores are named only by their path, so they are not searched.
    let mut found = if out.is_dir() { newest(out)? } else { Vec::new() };
    found.retain(|path| [FAMILY_FILE, SCORE_FILE].iter().all(|file| !path.join(file).is_file()));
    if word == LATEST {
        let first = found.into_iter().next();
        return first.ok_or_else(|| {
            Failure::settings("there is no latest result: `out` holds none here")
                .hint("call autobench where results are, or name a folder")
        });
    }
    let fits: Vec<&PathBuf> = found.iter().filter(|path| name(path).contains(&*word)).collect();
    match fits.as_slice() {
        // The command that opens the path reports that it does not exist.
        [] => Ok(path.to_owned()),
        [one] => Ok((*one).clone()),
        [first, .., last] => Err(Failure::settings(format!(
            "`{word}` is part of the names of {} results, from {} to {}",
            fits.len(),
            name(last),
            name(first)
        ))
        .hint("write more of the name; `autobench results` lists them")),
    }
}

/// Folders of results, newest first. Sorted by the time at the start of their names, or else by
/// their modification time.
pub(super) fn newest(out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(out).map_err(FileFault::reading(out)).map_err(Failure::stored)?;
    let holds = |path: &PathBuf| {
        let files = [STUDY_FILE, REPEATS_FILE, SUITE_FILE, FAMILY_FILE, SCORE_FILE];
        files.iter().any(|file| path.join(file).is_file())
    };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = paths.filter(holds).collect();
    folders.sort_by_cached_key(|path| std::cmp::Reverse(time(path)));
    Ok(folders)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The time of a folder, as `20261121T120000Z…`.
fn time(path: &Path) -> String {
    let name = name(path);
    if name.len() > 15 && name.starts_with(|c: char| c.is_ascii_digit()) && name.contains("Z_") {
        return name;
    }
    let changed = fs::metadata(path).and_then(|facts| facts.modified()).ok();
    changed
        .map_or(name, |changed| DateTime::<Utc>::from(changed).format("%Y%m%dT%H%M%SZ").to_string())
}
