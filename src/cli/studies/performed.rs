//! From checked arguments to a finished study, for `run`, `tune` and `resume`.

use std::cell::RefCell;

use super::{
    arguments::StudyArgs,
    dry_run::dry_run,
    prepared::{PreparedStudy, StudySource},
    progress::Bar,
    summary,
};
use crate::{
    cli::{
        terminal::{Failure, Screen, interruption},
        workers::{self, SETUP_TIMEOUT},
    },
    exporters,
    records::{Event, Journal, StudyFolder, StudyView},
    settings::StudySettings,
    study::{self, Conclusion, StudyFault, StudyJournal},
    worker::Client,
};

/// Performs a new study; one for each model among several devices.
pub(in crate::cli) fn begin(arguments: &StudyArgs, settings: StudySettings) -> Result<(), Failure> {
    for device in workers::models(&settings.device)? {
        begin_on(arguments, StudySettings { device, ..settings.clone() })?;
    }
    Ok(())
}

fn begin_on(arguments: &StudyArgs, settings: StudySettings) -> Result<(), Failure> {
    let StudyArgs { plugin_path, screen, .. } = arguments;
    let mut study = PreparedStudy::prepare(arguments.benchmark(), plugin_path, settings)?;
    if arguments.dry_run {
        return study.dry_run(*screen, 1);
    }
    study.check()?;
    study.take_control()?;
    let device = &study.record.device.name;
    let detector = study.record.settings.detectors.first().map_or("tune", String::as_str);
    let name = &study.record.benchmark.name;
    let started = study.record.started;
    let folder = StudyFolder::create(&arguments.out, started, name, device, detector)
        .map_err(Failure::stored)?;
    let journal = study.begin_journal(&folder)?;
    study.run_and_print(&folder, journal, *screen)
}

impl PreparedStudy {
    pub(in crate::cli) fn dry_run(&mut self, screen: Screen, studies: u32) -> Result<(), Failure> {
        let mut subject = self.subject();
        dry_run(&self.plan, &self.record, subject.as_mut(), screen, studies)
    }

    /// Writes the record into a new study's folder, and begins its journal.
    pub(in crate::cli) fn begin_journal(
        &self,
        folder: &StudyFolder,
    ) -> Result<StudyJournal, Failure> {
        folder.write_study(&self.record).map_err(Failure::bug)?;
        let journal = Journal::create(folder).map_err(Failure::bug)?;
        Ok(StudyJournal::new(journal, Vec::new()))
    }

    /// Runs the study from where its journal ends, and prints its answer.
    pub(in crate::cli) fn run_and_print(
        &mut self,
        folder: &StudyFolder,
        journal: StudyJournal,
        screen: Screen,
    ) -> Result<(), Failure> {
        let (conclusion, view, written) = self.run(folder, journal, screen)?;
        summary::print(&self.record, &view, &conclusion, folder, screen)?;
        written
    }

    /// Runs the study from where its journal ends: its answer, and whether files were written.
    pub(in crate::cli) fn run(
        &mut self,
        folder: &StudyFolder,
        mut journal: StudyJournal,
        screen: Screen,
    ) -> Result<(Conclusion, StudyView, Result<(), Failure>), Failure> {
        let interrupted = interruption()?;
        let mut bar = Bar::new(
            screen,
            (&self.plan, &self.record),
            (folder.path(), journal.is_finished()),
            self.among.as_ref(),
        );
        self.note_pace(&mut journal)?;
        let was_finished = journal.is_finished();
        let result = {
            let mut subject = self.subject();
            let mut evaluator = self.evaluator();
            study::run(
                &self.plan,
                subject.as_mut(),
                evaluator.as_mut(),
                &mut journal,
                &mut bar,
                &interrupted,
            )
        };
        bar.finish();
        self.release_control();
        if let (Ok(conclusion), StudySource::Live { workers, .. }) = (&result, &self.source) {
            keep_source(folder, &workers[0].client, conclusion);
        }
        if let Err(StudyFault::Interrupted) = &result {
            let why = "by Ctrl-C or a signal".to_owned();
            journal.write(Event::Interrupted { why }).map_err(Failure::bug)?;
        }
        if result.is_ok() {
            self.note_ceilings(&mut journal)?;
        }
        let view = journal.view();
        if result.is_ok() && !was_finished {
            self.keep_pace(folder, &view);
        }
        // The answer is reported even if its pages cannot be written.
        let written = exporters::STUDY
            .iter()
            .try_for_each(|format| exporters::write(format, folder, &self.record, &view));
        match result {
            Ok(conclusion) => Ok((conclusion, view, written.map_err(Failure::bug))),
            Err(fault) => Err(failure(fault, folder)),
        }
    }
}

/// Writes the winner's exact source, flags and geometry for readers.
fn keep_source(folder: &StudyFolder, client: &RefCell<Client>, conclusion: &Conclusion) {
    let Some(best) = &conclusion.chosen.best else { return };
    let size = conclusion.chosen.size;
    let source = client.borrow_mut().explain(size, &best.configuration, SETUP_TIMEOUT);
    if let Ok(text) = source {
        // The figure counts without its source; `show` says if that is missing.
        let _ = folder.write_whole("winner.cu", text.as_bytes());
    }
}

fn failure(fault: StudyFault, folder: &StudyFolder) -> Failure {
    let resume = format!("go on with `autobench resume {}`", folder.path().display());
    match fault {
        StudyFault::Interrupted => Failure::interrupted(fault).hint(resume),
        StudyFault::Records(_) => Failure::bug(fault).hint(resume),
        StudyFault::NoSize(_) => Failure::settings(fault),
        StudyFault::Benchmark(_) => Failure::plugin(fault).hint(resume),
        StudyFault::NothingValid(_) => Failure::nothing(fault).hint(format!(
            "`autobench show {} --journal` has every reason",
            folder.path().display()
        )),
    }
}
