//! How fast the machine's memory has been is kept from study to study, so that one which meets it while others
//! use it says so.

use std::{
    fs,
    path::{Path, PathBuf},
};

use knees::Confidence;
use records::{CeilingsRecord, Event, Pace, Paces, StudyFolder, StudyView, settings::Goal, slug};

use super::kept;
use crate::{StudyFault, StudyJournal, health::HostFacts, prepare::Study};

impl Study {
    /// Copies what is known of the machine into the journal of a study that begins, once; of a virtual machine also
    /// that nothing is.
    pub(super) fn note_pace(
        &self,
        journal: &mut StudyJournal,
        note: impl FnMut(&str),
    ) -> Result<(), StudyFault> {
        if journal.events().next().is_some() {
            return Ok(());
        }
        let Some(path) = self.pace_file() else { return Ok(()) };
        let is_virtual = || HostFacts::read(Path::new("/")).virtual_machine == Some(true);
        let is_shared = || self.record.device.backend == "cpu" && is_virtual();
        let pace = known(&path, note).and_then(|paces| paces.known_to(&self.record));
        match pace.or_else(|| is_shared().then(Pace::default)) {
            Some(pace) => journal.write(Event::Pace(pace)),
            None => Ok(()),
        }
    }

    /// Keeps the pace that a finished study saw, and what it settled on, unless it is of several plans. It is no part of the answer, so where it cannot be written
    /// there is none.
    pub(super) fn keep_pace(
        &self,
        folder: &StudyFolder,
        view: &StudyView,
        mut note: impl FnMut(&str),
    ) {
        let Some(path) = self.pace_file() else { return };
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
        let mut paces = known(&path, &mut note).unwrap_or_default();
        let seen = paces.add(&self.record, &name, view.answer_rounds(), settled(view));
        if seen && path.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) {
            let written = paces.write(&path);
            written.unwrap_or_else(|fault| note(&format!("warning: {fault}")));
        }
    }

    /// The file of the benchmark on the device; none of recorded spaces, or where there is no home.
    fn pace_file(&self) -> Option<PathBuf> {
        if self.workers().is_empty() || self.record.settings.goal != Goal::Saturate {
            return None;
        }
        let device = CeilingsRecord::file_name(&self.record.host, &self.record.device);
        let name = format!("{}_{device}", slug(&self.record.benchmark.name));
        Some(kept::folder()?.join("paces").join(name))
    }
}

/// What is in a file, if there is one. A damaged file is a note: no study ends by it.
fn known(path: &Path, mut note: impl FnMut(&str)) -> Option<Paces> {
    if !path.is_file() {
        return None;
    }
    let read = Paces::read(path);
    read.map_err(|fault| note(&format!("warning: {fault}"))).ok()
}

/// The knee of a finished study that is settled: its finding is, and larger sizes confirmed it.
fn settled(view: &StudyView) -> Option<u64> {
    let accepted = view.accepted.as_ref().filter(|knee| knee.confirmed && !view.is_mixed)?;
    let confidence = Confidence::named(&view.deciding()?.confidence);
    (confidence == Some(Confidence::Settled)).then_some(accepted.size)
}
