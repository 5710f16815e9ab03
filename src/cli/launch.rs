//! From checked arguments to a finished study: what `run`, `tune` and `resume` share.

use std::{
    cell::RefCell,
    sync::{Arc, OnceLock, atomic::AtomicBool},
};

use super::{
    Failure, crew,
    progress::Bar,
    stage::{SETUP_TIMEOUT, Source, Stage},
    study_arguments::StudyArgs,
    summary, temporary,
};
use crate::{
    exporters,
    records::{Event, Journal, StudyFolder, StudyView},
    settings::StudySettings,
    study::{self, Chronicle, Conclusion, StudyFault},
    worker::Client,
};

/// How much the program says while it works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    pub(super) quiet: bool,
    pub(super) json: bool,
}

impl Screen {
    pub(super) fn of(arguments: &StudyArgs) -> Self {
        Self { quiet: arguments.quiet, json: arguments.json }
    }
}

/// Begins a new study; of several models of devices, one after the other for each.
pub(super) fn begin(
    arguments: &StudyArgs,
    settings: StudySettings,
    screen: &Screen,
) -> Result<(), Failure> {
    for device in crew::models(&settings.device)? {
        begin_on(arguments, StudySettings { device, ..settings.clone() }, screen)?;
    }
    Ok(())
}

fn begin_on(
    arguments: &StudyArgs,
    settings: StudySettings,
    screen: &Screen,
) -> Result<(), Failure> {
    let mut stage =
        Stage::prepare(arguments.benchmark.as_deref(), &arguments.plugin_path, settings)?;
    if arguments.dry_run {
        return stage.dry_run(*screen, 1);
    }
    stage.check()?;
    stage.take_control()?;
    let device = &stage.record.device.name;
    let detector = stage.record.settings.detectors.first().map_or("tune", String::as_str);
    let name = &stage.record.benchmark.name;
    let started = stage.record.started;
    let folder = StudyFolder::create(&arguments.out, started, name, device, detector)
        .map_err(Failure::stored)?;
    let chronicle = stage.open_books(&folder)?;
    stage.perform(&folder, chronicle, screen)
}

/// A worker that has nothing set up yet.
pub(super) fn worker(memory_limit: Option<u64>) -> Result<Client, Failure> {
    Client::start(temporary::worker(memory_limit)).map_err(Failure::bug)
}

impl Stage {
    /// Says sizes, configurations, bytes and time of so many studies, and does nothing.
    pub(super) fn dry_run(&mut self, screen: Screen, studies: u32) -> Result<(), Failure> {
        let mut subject = self.subject();
        summary::dry_run(&self.plan, &self.record, subject.as_mut(), screen, studies)
    }

    /// Writes what is run into a new study's folder, and begins its journal.
    pub(super) fn open_books(&self, folder: &StudyFolder) -> Result<Chronicle, Failure> {
        folder.write_study(&self.record).map_err(Failure::bug)?;
        let journal = Journal::create(folder).map_err(Failure::bug)?;
        Ok(Chronicle::new(journal, Vec::new()))
    }

    /// Runs the study in its folder, from wherever the chronicle stands, and says its answer.
    pub(super) fn perform(
        &mut self,
        folder: &StudyFolder,
        chronicle: Chronicle,
        screen: &Screen,
    ) -> Result<(), Failure> {
        let (conclusion, view, written) = self.measure(folder, chronicle, screen)?;
        summary::print(&self.record, &view, &conclusion, folder, *screen)?;
        written
    }

    /// Runs the study in its folder, from wherever the chronicle stands: its answer, and whether all
    /// of its files are written.
    pub(super) fn measure(
        &mut self,
        folder: &StudyFolder,
        mut chronicle: Chronicle,
        screen: &Screen,
    ) -> Result<(Conclusion, StudyView, Result<(), Failure>), Failure> {
        let interrupted = interruption()?;
        let mut bar = Bar::new(*screen, &self.plan, folder.path());
        let result = {
            let mut subject = self.subject();
            let mut evaluator = self.evaluator();
            study::run(
                &self.plan,
                subject.as_mut(),
                evaluator.as_mut(),
                &mut chronicle,
                &mut bar,
                &interrupted,
            )
        };
        bar.finish();
        self.release_control();
        if let (Ok(conclusion), Source::Live { hands, .. }) = (&result, &self.source) {
            keep_source(folder, &hands[0].client, conclusion);
        }
        if let Err(StudyFault::Interrupted) = &result {
            let why = "by Ctrl-C or a signal".to_owned();
            chronicle.write(Event::Interrupted { why }).map_err(Failure::bug)?;
        }
        let view = chronicle.view();
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

/// Ctrl-C, SIGTERM and the end of a terminal ask the program to end; a second Ctrl-C ends it at
/// once. All studies of the program share the flag, so that one between two of them is not lost.
pub(super) fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(flag) = FLAG.get() {
        return Ok(Arc::clone(flag));
    }
    let flag = Arc::clone(FLAG.get_or_init(Arc::default));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))
            .map_err(Failure::bug)?;
        signal_hook::flag::register(signal, Arc::clone(&flag)).map_err(Failure::bug)?;
    }
    Ok(flag)
}
