//! Tags that were added after a study: a text file in its folder, or in the folder of its suite.

use std::{collections::BTreeSet, fs, io, path::Path};

use records::{FileFault, settings::parse_tag, write_whole};

/// Name of the file with the tags of a folder, one per line.
pub const TAGS_FILE: &str = "tags.txt";

/// Reads the tags of a folder; empty if it has no tags file. Invalid lines are ignored.
///
/// # Errors
/// If the file cannot be read.
pub fn read_tags(folder: &Path) -> Result<BTreeSet<String>, FileFault> {
    let path = folder.join(TAGS_FILE);
    match fs::read(&path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            Ok(text.lines().filter_map(|line| parse_tag(line.trim()).ok()).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(FileFault::reading(&path)(error)),
    }
}

/// Writes the tags of a folder.
///
/// # Errors
/// If the file cannot be written. The previous file is then unchanged.
pub fn write_tags(folder: &Path, tags: &BTreeSet<String>) -> Result<(), FileFault> {
    let lines: String = tags.iter().map(|tag| format!("{tag}\n")).collect();
    write_whole(&folder.join(TAGS_FILE), lines.as_bytes())
}
