//! From checked arguments to a finished study: what `run`, `tune` and `resume` share.

use std::cell::RefCell;

use super::{
    arguments::StudyArgs,
    dry_run::dry_run,
    prepared::{PreparedStudy, Source},
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

/// Begins a new study; of several models of devices, one after the other for each.
pub(in crate::cli) fn begin(arguments: &StudyArgs, settings: StudySettings) -> Result<(), Failure> {
    for device in workers::models(&settings.device)? {
        begin_on(arguments, StudySettings { device, ..settings.clone() })?;
    }
    Ok(())
}

fn begin_on(arguments: &StudyArgs, settings: StudySettings) -> Result<(), Failure> {
    let StudyArgs { benchmark, plugin_path, screen, .. } = arguments;
    let mut study = PreparedStudy::prepare(benchmark.as_deref(), plugin_path, settings)?;
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
    /// Says sizes, configurations, bytes and time of so many studies, and does nothing.
    pub(in crate::cli) fn dry_run(&mut self, screen: Screen, studies: u32) -> Result<(), Failure> {
        let mut subject = self.subject();
        dry_run(&self.plan, &self.record, subject.as_mut(), screen, studies)
    }

    /// Writes what is run into a new study's folder, and begins its journal.
    pub(in crate::cli) fn begin_journal(
        &self,
        folder: &StudyFolder,
    ) -> Result<StudyJournal, Failure> {
        folder.write_study(&self.record).map_err(Failure::bug)?;
        let journal = Journal::create(folder).map_err(Failure::bug)?;
        Ok(StudyJournal::new(journal, Vec::new()))
    }

    /// Runs the study in its folder, from wherever the journal stands, and says its answer.
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

    /// Runs the study in its folder, from wherever the journal stands: its answer, and whether all
    /// of its files are written.
    pub(in crate::cli) fn run(
        &mut self,
        folder: &StudyFolder,
        mut journal: StudyJournal,
        screen: Screen,
    ) -> Result<(Conclusion, StudyView, Result<(), Failure>), Failure> {
        let interrupted = interruption()?;
        let mut bar = Bar::new(screen, &self.plan, folder.path());
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
        if let (Ok(conclusion), Source::Live { workers, .. }) = (&result, &self.source) {
            keep_source(folder, &workers[0].client, conclusion);
        }
        if let Err(StudyFault::Interrupted) = &result {
            let why = "by Ctrl-C or a signal".to_owned();
            journal.write(Event::Interrupted { why }).map_err(Failure::bug)?;
        }
        let view = journal.view();
        // What was found is said even where its pages cannot be written.
        let written = exporters::STUDY
            .iter()
            .try_for_each(|format| exporters::write(format, folder, &self.record, &view));
        match result {
            Ok(conclusion) => Ok((conclusion, view, written.map_err(Failure::bug))),
            Err(fault) => Err(failure(fault, folder)),
        }
    }
}

/// The winner's exact source, flags and geometry, for people.
fn keep_source(folder: &StudyFolder, client: &RefCell<Client>, conclusion: &Conclusion) {
    let Some(best) = &conclusion.workload.best else { return };
    let size = conclusion.workload.size;
    let source = client.borrow_mut().explain(size, &best.configuration, SETUP_TIMEOUT);
    if let Ok(text) = source {
        // The figure stands without its source; `show` says when it is missing.
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
