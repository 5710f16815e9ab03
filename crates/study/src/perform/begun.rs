//! From a study that is prepared to one that has its folder and its journal, new or from before.

use std::path::Path;

use records::{Event, Journal, SAMPLES_FILE, StudyFolder, StudyRecord};

use crate::{
    StudyJournal,
    prepare::{PrepareFault, Preparing, Study, argv},
};

/// A study with its folder and its journal.
pub struct BegunStudy {
    /// What is studied.
    pub study: Study,
    /// Where its results are.
    pub folder: StudyFolder,
    pub(crate) journal: StudyJournal,
}

impl Study {
    /// Checks what can be checked only now, and makes the study's folder in `out`.
    pub fn begin(self, out: &Path) -> Result<BegunStudy, PrepareFault> {
        self.check()?;
        let folder = self.folder_in(out)?;
        self.begin_in(folder)
    }

    /// Writes the record into a new study's folder, and begins its journal.
    pub fn begin_in(self, folder: StudyFolder) -> Result<BegunStudy, PrepareFault> {
        folder.write_study(&self.record).map_err(crate::StudyFault::from)?;
        let journal = Journal::create(&folder).map_err(crate::StudyFault::from)?;
        Ok(BegunStudy { study: self, folder, journal: StudyJournal::new(journal, Vec::new()) })
    }

    /// Goes on with the study of a folder from where its journal ends. What changed meanwhile is refused, unless
    /// changes are accepted.
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
        // A finished study is not resumed: it keeps its answer.
        if !journal.is_finished() {
            journal.write(Event::Resumed { argv: argv(), accepted })?;
        }
        Ok(BegunStudy { study, folder, journal })
    }

    /// Refuses a study that differs from its record, unless changes are accepted; returns the changes.
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
