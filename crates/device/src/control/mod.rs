//! Clocks and power limits that a study sets, and how they are restored. A note of the previous
//! state is written before any change. Any process that finds the note of a study that is gone
//! undoes the change.

mod note;

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{BACKENDS, DeviceFault};
pub use note::Note;

/// Settings of a device; `None` leaves a setting as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// The clock that kernels run at, in megahertz.
    pub sm_clock: Option<u32>,
    /// The power limit, in watts.
    pub power_limit: Option<u32>,
}

/// A device whose clock and power limit can be set, with sufficient rights.
pub trait Controls {
    /// The power limit now, in milliwatts.
    fn power_limit(&mut self) -> Result<u32, DeviceFault>;
    /// Sets every setting that is not `None`.
    fn set(&mut self, wanted: &Control) -> Result<(), DeviceFault>;
    /// Releases a fixed clock.
    fn free_clock(&mut self) -> Result<(), DeviceFault>;
    /// Sets the power limit, in milliwatts.
    fn set_power_limit(&mut self, milliwatts: u32) -> Result<(), DeviceFault>;
}

/// Process number of the study for which this process has set devices. Locked while a device is set
/// or restored: otherwise a watchdog could undo half of a change and leave the other half.
static HELD: Mutex<Option<u32>> = Mutex::new(None);

/// Sets a device for the study of process `owner`, after writing a note of the previous state.
pub fn set(backend: &str, address: &str, owner: u32, wanted: &Control) -> Result<(), DeviceFault> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let mut controls = controls(backend, address)?;
    let _lock = Note::lock();
    let note = match Note::read(backend, address) {
        Some(note) if note.owner == owner => note,
        Some(note) if note.is_abandoned() => {
            undo(&note)?;
            Note::new(backend, address, owner)
        }
        Some(note) => {
            return Err(DeviceFault(format!(
                "the clocks of this device are set by another study, process {}; wait for it, or \
                 end it",
                note.owner
            )));
        }
        None => Note::new(backend, address, owner),
    };
    let mut after = note.clone();
    after.clock_is_held |= wanted.sm_clock.is_some();
    if wanted.power_limit.is_some() && after.milliwatts_before.is_none() {
        after.milliwatts_before = Some(controls.power_limit()?);
    }
    *held = Some(owner);
    after.write()?;
    controls.set(wanted)
}

/// Undoes the notes of a study, or of all studies that are gone. Returns a sentence for each.
pub fn restore(owner: Option<u32>) -> Result<Vec<String>, DeviceFault> {
    let wanted = |note: &Note| match owner {
        Some(owner) => note.owner == owner,
        None => note.is_abandoned(),
    };
    if Note::all().is_empty() {
        return Ok(Vec::new());
    }
    let _lock = Note::lock();
    let mut done = Vec::new();
    for note in Note::all().into_iter().filter(wanted) {
        done.push(undo(&note)?);
    }
    Ok(done)
}

/// Undoes what this process has set, when its study is gone.
pub fn restore_held() {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(owner) = held.take() {
        // Nobody is left to report to. If this fails, the note stays.
        let _ = restore(Some(owner));
    }
}

fn undo(note: &Note) -> Result<String, DeviceFault> {
    let mut controls = controls(&note.backend, &note.address)?;
    let mut said = Vec::new();
    if let Some(milliwatts) = note.milliwatts_before {
        controls.set_power_limit(milliwatts)?;
        said.push(format!("its limit of power is {} W again", milliwatts / 1000));
    }
    if note.clock_is_held {
        controls.free_clock()?;
        said.push("its clock is free again".to_owned());
    }
    note.remove();
    Ok(format!("{} device at {}: {}", note.backend, note.address, said.join(", ")))
}

fn controls(backend: &str, address: &str) -> Result<Box<dyn Controls>, DeviceFault> {
    let found = BACKENDS.named(backend).map_err(|unknown| DeviceFault(unknown.to_string()))?;
    let none = || DeviceFault(format!("clocks and power of `{backend}` cannot be set"));
    found.controls.ok_or_else(none)?(address)
}
