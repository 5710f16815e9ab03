//! Where ceilings are kept for later studies: a file for each device.

use std::{env, ffi::OsString, fs, path::PathBuf};

use crate::{
    cli::terminal::{Failure, output},
    plugins,
    records::{CeilingsRecord, DeviceRecord, FileFault, Host},
};

/// The folder, if not the one in the user's data directory.
const VARIABLE: &str = "AUTOBENCH_CEILINGS";

/// Where what is known of machines lies.
pub(in crate::cli) fn folder() -> Option<PathBuf> {
    let named = env::var_os(VARIABLE).filter(|value: &OsString| !value.is_empty());
    named.map(PathBuf::from).or_else(|| Some(plugins::data_folder()?.join("ceilings")))
}

/// Keeps ceilings, in the place of earlier ones of the same device and kind. Returns the file and all
/// that are known now.
pub(super) fn keep(record: CeilingsRecord) -> Result<(PathBuf, CeilingsRecord), Failure> {
    let hint = format!("set {VARIABLE} to a folder that can be written to");
    let folder = folder().ok_or_else(|| {
        Failure::settings("the ceilings can be kept nowhere: there is no home").hint(hint.clone())
    })?;
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::bug(FileFault::creating(&folder)(error)).hint(hint.clone()))?;
    let path = folder.join(CeilingsRecord::file_name(&record.host, &record.device));
    let record = match known(&record.host, &record.device) {
        Some(earlier) => record.beside(earlier),
        None => record,
    };
    record.write(&path).map_err(|fault| Failure::bug(fault).hint(hint))?;
    Ok((path, record))
}

/// The ceilings of a device, if they are known. A damaged file is a note: no study ends by it.
pub(in crate::cli) fn known(host: &Host, device: &DeviceRecord) -> Option<CeilingsRecord> {
    let path = folder()?.join(CeilingsRecord::file_name(host, device));
    if !path.is_file() {
        return None;
    }
    let read = CeilingsRecord::read(&path);
    read.map_err(|fault| output::note(&format!("warning: {fault}"))).ok()
}

/// All that are kept, by the names of their files; damaged ones are notes.
pub(in crate::cli) fn all() -> Result<Vec<CeilingsRecord>, Failure> {
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
