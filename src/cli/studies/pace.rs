//! How fast the machine's memory has been is kept from study to study, so that one which meets it while others
//! use it says so.

use std::{fs, path::PathBuf};

use super::prepared::{PreparedStudy, StudySource};
use crate::{
    cli::{
        profile,
        terminal::{Failure, output},
    },
    records::{CeilingsRecord, Event, Pace, StudyFolder, StudyView},
    settings::Goal,
    study::StudyJournal,
};

impl PreparedStudy {
    /// Copies what is known of the machine into the journal of a study that begins, once.
    pub(super) fn note_pace(&self, journal: &mut StudyJournal) -> Result<(), Failure> {
        if journal.events().next().is_some() {
            return Ok(());
        }
        match self.pace_file().and_then(known).filter(|pace| pace.holds_at(self.record.started)) {
            Some(pace) => journal.write(Event::Pace(pace)).map_err(Failure::bug),
            None => Ok(()),
        }
    }

    /// Keeps the pace that a finished study saw, if none is known that is faster. It is no part of the
    /// answer, so where it cannot be written there is none.
    pub(super) fn keep_pace(&self, folder: &StudyFolder, view: &StudyView) {
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
        let Some(path) = self.pace_file() else { return };
        let Some(seen) = Pace::of(&self.record, &name, view.answer_rounds()) else { return };
        let holds = |pace: &Pace| pace.holds_at(seen.measured) && pace.seconds <= seen.seconds;
        if known(path.clone()).is_some_and(|pace| holds(&pace)) {
            return;
        }
        let written = path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok());
        if let Some(Err(fault)) = written.then(|| seen.write(&path)) {
            output::note(&format!("warning: {fault}"));
        }
    }

    /// The file of the device; none of recorded spaces, or where there is no home.
    fn pace_file(&self) -> Option<PathBuf> {
        let is_live = matches!(self.source, StudySource::Live { .. });
        if !is_live || self.record.settings.goal != Goal::Saturate {
            return None;
        }
        let name = CeilingsRecord::file_name(&self.record.host, &self.record.device);
        Some(profile::folder()?.join("paces").join(name))
    }
}

/// The pace in a file, if there is one. A damaged file is a note: no study ends by it.
fn known(path: PathBuf) -> Option<Pace> {
    if !path.is_file() {
        return None;
    }
    let read = Pace::read(&path);
    read.map_err(|fault| output::note(&format!("warning: {fault}"))).ok()
}
