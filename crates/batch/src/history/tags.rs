//! Tags that were given after a study: a small file of words in its folder, or in that of its suite.

use std::{collections::BTreeSet, fs, io, path::Path};

use records::{FileFault, settings::parse_tag, write_whole};

/// File of the tags of a folder, one a line.
pub const TAGS_FILE: &str = "tags.txt";

/// The tags of a folder; none if it has no such file. Lines that are no tags are passed over.
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
/// If the file cannot be written; then it is as before.
pub fn write_tags(folder: &Path, tags: &BTreeSet<String>) -> Result<(), FileFault> {
    let lines: String = tags.iter().map(|tag| format!("{tag}\n")).collect();
    write_whole(&folder.join(TAGS_FILE), lines.as_bytes())
}
