//! The folder of measured ceilings, which studies read.

use std::{env, ffi::OsString, path::PathBuf};

use records::{CeilingsRecord, DeviceRecord, Host};

/// Environment variable with the folder, instead of the one in the user's data directory.
pub const VARIABLE: &str = "AUTOBENCH_CEILINGS";

/// Returns the folder of ceilings, with a file per device; `None` without a home directory.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let named = env::var_os(VARIABLE).filter(|value: &OsString| !value.is_empty());
    named.map(PathBuf::from).or_else(|| Some(plugins::data_folder()?.join("ceilings")))
}

/// Returns the ceilings of a device, if they are known. A damaged file only causes a note.
pub fn ceilings(
    host: &Host,
    device: &DeviceRecord,
    mut note: impl FnMut(&str),
) -> Option<CeilingsRecord> {
    let path = folder()?.join(CeilingsRecord::file_name(host, device));
    if !path.is_file() {
        return None;
    }
    let read = CeilingsRecord::read(&path);
    read.map_err(|fault| note(&format!("warning: {fault}"))).ok()
}
