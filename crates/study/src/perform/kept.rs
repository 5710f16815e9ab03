//! Where what is known of machines lies, for later studies.

use std::{env, ffi::OsString, path::PathBuf};

use records::{CeilingsRecord, DeviceRecord, Host};

/// The variable that names the folder, if it is not the one in the user's data directory.
pub const VARIABLE: &str = "AUTOBENCH_CEILINGS";

/// The folder of all that is known of machines, a file for each device; none where there is no home.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let named = env::var_os(VARIABLE).filter(|value: &OsString| !value.is_empty());
    named.map(PathBuf::from).or_else(|| Some(plugins::data_folder()?.join("ceilings")))
}

/// The ceilings of a device, if they are known. A damaged file is a note: no study ends by it.
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
