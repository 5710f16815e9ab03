//! Notes of a device's state before a study changed it: a file per device, written before the
//! change.

use std::{env, fs, io::Write, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::DeviceFault;

/// What to undo on a device, and for which study it was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Host name, since users' folders may be shared between machines.
    pub host: String,
    /// Name of the backend.
    pub backend: String,
    /// Address by which the backend finds the device.
    pub address: String,
    /// Process number of the study.
    pub owner: u32,
    /// Start time of that process in the kernel's ticks, since process numbers are reused.
    pub owner_started: Option<u64>,
    /// Whether the clock is fixed and must be released.
    pub clock_is_held: bool,
    /// The power limit before the change, if it was changed.
    pub milliwatts_before: Option<u32>,
}

impl Note {
    /// A note before any change.
    pub(super) fn new(backend: &str, address: &str, owner: u32) -> Self {
        Self {
            host: host(),
            backend: backend.to_owned(),
            address: address.to_owned(),
            owner,
            owner_started: started(owner),
            clock_is_held: false,
            milliwatts_before: None,
        }
    }

    pub(super) fn read(backend: &str, address: &str) -> Option<Self> {
        Self::all().into_iter().find(|note| note.backend == backend && note.address == address)
    }

    /// Held from before notes are read until they are written, so that two studies never both find
    /// a device free. `None` where there can be no lock.
    pub(super) fn lock() -> Option<fs::File> {
        fs::create_dir_all(folder()).ok()?;
        let path = folder().with_extension("lock");
        let file = fs::File::options().create(true).truncate(false).write(true).open(path).ok()?;
        file.lock().ok().map(|()| file)
    }

    /// All notes of this machine.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let Ok(entries) = fs::read_dir(folder()) else { return Vec::new() };
        let read = |entry: fs::DirEntry| {
            serde_json::from_str(&fs::read_to_string(entry.path()).ok()?).ok()
        };
        entries.flatten().filter_map(read).filter(|note: &Self| note.host == host()).collect()
    }

    /// Whether the study's process is gone.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        let now = started(self.owner);
        now.is_none() || now != self.owner_started
    }

    /// Writes the note to disk and syncs it, since power may fail after the change.
    pub(super) fn write(&self) -> Result<(), DeviceFault> {
        let written = || -> std::io::Result<()> {
            fs::create_dir_all(folder())?;
            let aside = self.path().with_extension(format!("{}.part", std::process::id()));
            let mut file = fs::File::create(&aside)?;
            file.write_all(serde_json::to_string(self)?.as_bytes())?;
            file.sync_all()?;
            fs::rename(aside, self.path())
        };
        written().map_err(|error| {
            DeviceFault(format!(
                "nothing is changed, for what was there cannot be noted in `{}`: {error}; set \
                 XDG_STATE_HOME to a folder that can be written to",
                folder().display()
            ))
        })
    }

    pub(super) fn remove(&self) {
        // Another process may have undone the change already.
        let _ = fs::remove_file(self.path());
    }

    fn path(&self) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String =
            format!("{}-{}-{}", self.host, self.backend, self.address).chars().map(plain).collect();
        folder().join(name + ".json")
    }
}

fn folder() -> PathBuf {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = named("XDG_STATE_HOME")
        .or_else(|| named("HOME").map(|home| home.join(".local/state")))
        .unwrap_or_else(env::temp_dir);
    base.join("autobench").join("controls")
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Start time of a process in ticks; `None` if it does not run.
fn started(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The process name in parentheses may contain any character. State Z is a dead child.
    let mut after = text.rsplit_once(')')?.1.split_whitespace();
    if after.next()? == "Z" {
        return None;
    }
    after.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_abandoned_when_its_process_is_gone_or_another_has_its_number() {
        let note = Note::new("cuda", "0000:00:00.0", std::process::id());
        assert!(!note.is_abandoned());
        assert!(Note { owner_started: Some(1), ..note.clone() }.is_abandoned());
        assert!(Note { owner: u32::MAX, ..note }.is_abandoned());
    }
}
