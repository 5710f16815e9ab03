//! Runs one study as an element of a job array. The element writes only its own folder and its own
//! journal, which no other process writes.

use std::path::Path;

use batch::suites::{
    SuiteFolder, SuiteJournal,
    slurm::{element_journal, heard},
};
use records::StudyState;

use crate::{
    suite::{arguments::SuiteArgs, performed::SuiteRun},
    terminal::{Failure, interruption, output},
};

/// Runs a study, from the end of its journal if it has one.
pub(in crate::suite) fn element(
    path: &Path,
    study: usize,
    arguments: &SuiteArgs,
) -> Result<(), Failure> {
    // Installed first, so that a signal always ends the study in order.
    interruption()?;
    let folder = SuiteFolder::at(path);
    let record = folder.read().map_err(Failure::stored)?;
    if study == 0 || study > record.studies.len() {
        return Err(Failure::settings(format!(
            "the suite in `{}` has no study {study}",
            path.display()
        )));
    }
    let own = element_journal(path, study);
    let (journal, _) = SuiteJournal::open(&own).map_err(Failure::stored)?;
    let entries = folder.entries().map_err(Failure::stored)?;
    let told = heard(path, &record, &entries).map_err(Failure::stored)?;
    let mut run = SuiteRun::new(folder, record, journal, told, arguments.screen)
        .accepting(arguments.slurm.accept_changes);
    if run.row(study).state == StudyState::Finished {
        output::note(&format!("study {study} has its answer"));
        return Ok(());
    }
    run.perform_one(study)?
}
