//! How fast the machine's memory has been is kept from study to study, so that one which meets it while others
//! use it says so.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::prepared::{PreparedStudy, StudySource};
use crate::{
    cli::{
        profile,
        terminal::{Failure, output},
    },
    exporters::knee_answer::KneeAnswer,
    health::HostFacts,
    knees::Confidence,
    records::{CeilingsRecord, Event, Pace, Paces, StudyFolder, StudyView, slug},
    settings::Goal,
    study::StudyJournal,
};

impl PreparedStudy {
    /// Copies what is known of the machine into the journal of a study that begins, once; of a virtual machine also
    /// that nothing is.
    pub(super) fn note_pace(&self, journal: &mut StudyJournal) -> Result<(), Failure> {
        if journal.events().next().is_some() {
            return Ok(());
        }
        let Some(path) = self.pace_file() else { return Ok(()) };
        let is_virtual = || HostFacts::read(Path::new("/")).virtual_machine == Some(true);
        let is_shared = || self.record.device.backend == "cpu" && is_virtual();
        let pace = known(&path).and_then(|paces| paces.known_to(&self.record));
        match pace.or_else(|| is_shared().then(Pace::default)) {
            Some(pace) => journal.write(Event::Pace(pace)).map_err(Failure::bug),
            None => Ok(()),
        }
    }

    /// Keeps the pace that a finished study saw, and what it settled on, unless it is of several plans. It is no part of the answer, so where it cannot be written
    /// there is none.
    pub(super) fn keep_pace(&self, folder: &StudyFolder, view: &StudyView) {
        let Some(path) = self.pace_file() else { return };
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
        let mut paces = known(&path).unwrap_or_default();
        let answer = KneeAnswer::of(&self.record, view).filter(|_| !view.is_mixed);
        let settled = answer.filter(|answer| answer.confidence == Some(Confidence::Settled));
        let settled = settled.and_then(|answer| answer.knee);
        let seen = paces.add(&self.record, &name, view.answer_rounds(), settled);
        if seen && path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) {
            let written = paces.write(&path);
            written.unwrap_or_else(|fault| output::note(&format!("warning: {fault}")));
        }
    }

    /// The file of the benchmark on the device; none of recorded spaces, or where there is no home.
    fn pace_file(&self) -> Option<PathBuf> {
        let is_live = matches!(self.source, StudySource::Live { .. });
        if !is_live || self.record.settings.goal != Goal::Saturate {
            return None;
        }
        let device = CeilingsRecord::file_name(&self.record.host, &self.record.device);
        let name = format!("{}_{device}", slug(&self.record.benchmark.name));
        Some(profile::folder()?.join("paces").join(name))
    }
}

/// What is in a file, if there is one. A damaged file is a note: no study ends by it.
fn known(path: &Path) -> Option<Paces> {
    if !path.is_file() {
        return None;
    }
    let read = Paces::read(path);
    read.map_err(|fault| output::note(&format!("warning: {fault}"))).ok()
}
