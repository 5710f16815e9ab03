//! Stores ceilings for later studies, in a file for each device.

use std::{fs, path::PathBuf};

use records::{CeilingsRecord, FileFault, WriterLock};
use study::perform::kept::{VARIABLE, ceilings, folder};

use crate::terminal::{Failure, output};

/// Stores ceilings. They replace earlier ceilings of the same device and kind. Returns the file and
/// all ceilings of the device.
pub(super) fn keep(record: CeilingsRecord) -> Result<(PathBuf, CeilingsRecord), Failure> {
    let hint = format!("set {VARIABLE} to a folder that can be written to");
    let folder = folder().ok_or_else(|| {
        Failure::settings("the ceilings can be kept nowhere: there is no home").hint(hint.clone())
    })?;
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::bug(FileFault::creating(&folder)(error)).hint(hint.clone()))?;
    let path = folder.join(CeilingsRecord::file_name(&record.host, &record.device));
    let lock = WriterLock::of(&path);
    let _lock = lock.map_err(|fault| Failure::bug(fault).hint(hint.clone()))?;
    let record = match ceilings(&record.host, &record.device, output::note) {
        Some(earlier) => record.beside(earlier),
        None => record,
    };
    record.write(&path).map_err(|fault| Failure::bug(fault).hint(hint))?;
    Ok((path, record))
}

/// All stored ceilings, sorted by file name. Damaged files cause a warning.
pub(crate) fn all() -> Result<Vec<CeilingsRecord>, Failure> {
    let Some(folder) = folder().filter(|folder| folder.is_dir()) else { return Ok(Vec::new()) };
    let entries =
        fs::read_dir(&folder).map_err(|e| Failure::bug(FileFault::reading(&folder)(e)))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = paths.iter().filter_map(|path| {
        let read = CeilingsRecord::read(path);
        read.map_err(|fault| output::note(&format!("warning: {fault}"))).ok()
    });
    Ok(read.collect())
}
