//! Gives a prepared study its folder and its journal, new or from an interrupted run.

use std::path::Path;

use records::{Event, Journal, SAMPLES_FILE, StudyFolder, StudyRecord};

use crate::{
    StudyJournal,
    prepare::{PrepareFault, Preparing, Study, argv},
};

/// A study with a folder and a journal.
pub struct BegunStudy {
    /// The study.
    pub study: Study,
    /// The folder of the results.
    pub folder: StudyFolder,
    pub(crate) journal: StudyJournal,
}

impl Study {
    /// Checks the space and the control of the device, and makes the study's folder in `out`.
    pub fn begin(self, out: &Path) -> Result<BegunStudy, PrepareFault> {
        self.check()?;
        let folder = self.folder_in(out)?;
        self.begin_in(folder)
    }

    /// Writes the record into the folder of a new study, and begins its journal.
    pub fn begin_in(self, folder: StudyFolder) -> Result<BegunStudy, PrepareFault> {
        folder.write_study(&self.record).map_err(crate::StudyFault::from)?;
        let journal = Journal::create(&folder).map_err(crate::StudyFault::from)?;
        Ok(BegunStudy { study: self, folder, journal: StudyJournal::new(journal, Vec::new()) })
    }

    /// Resumes the study of a folder where its journal ends. Fails if device, compiler or hashes
    /// changed since, unless changes are accepted.
    pub fn resume(
        folder: StudyFolder,
        accept_changes: bool,
        with: Preparing<'_>,
    ) -> Result<BegunStudy, PrepareFault> {
        let record = folder.read_study()?;
        let study = Self::prepare_with(record.settings.clone(), with)?;
        let accepted = study.unchanged(&record, accept_changes)?;
        study.take_control()?;
        let (journal, entries) = Journal::resume(&folder)?;
        match journal.lost_samples() {
            0 => {}
            lost => (with.note)(&format!(
                "`{}` lost {lost} samples, which stay missing; every figure is in the journal",
                folder.file(SAMPLES_FILE).display()
            )),
        }
        let mut journal = StudyJournal::new(journal, entries);
        // A finished study keeps its answer, so it is not marked as resumed.
        if !journal.is_finished() {
            journal.write(Event::Resumed { argv: argv(), accepted })?;
        }
        Ok(BegunStudy { study, folder, journal })
    }

    /// Returns the differences from an earlier record. Fails if there are any, unless changes are
    /// accepted.
    pub fn unchanged(
        &self,
        record: &StudyRecord,
        accept_changes: bool,
    ) -> Result<Vec<String>, PrepareFault> {
        let changes = record.differences(&self.record);
        match changes.is_empty() || accept_changes {
            true => Ok(changes),
            false => Err(PrepareFault::Changed(changes)),
        }
    }
}
