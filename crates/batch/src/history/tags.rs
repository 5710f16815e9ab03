//! Tags that were added after a study: a text file in its folder, or in the folder of its suite.

use std::{collections::BTreeSet, fs, io, path::Path};

use records::{FileFault, WriterLock, settings::parse_tag, write_whole};

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

/// Changes the tags of a folder and returns them. Programs that do so at the same time wait for
/// each other.
///
/// # Errors
/// If `change` fails, or the file cannot be read or written. The file is then unchanged.
pub fn change_tags<Fault: From<FileFault>>(
    folder: &Path,
    change: impl FnOnce(&mut BTreeSet<String>) -> Result<(), Fault>,
) -> Result<BTreeSet<String>, Fault> {
    let path = folder.join(TAGS_FILE);
    let _lock = WriterLock::of(&path)?;
    let mut tags = read_tags(folder)?;
    change(&mut tags)?;
    let lines: String = tags.iter().map(|tag| format!("{tag}\n")).collect();
    write_whole(&path, lines.as_bytes())?;
    Ok(tags)
}
