//! Runs the studies of a suite one after the other, from the end of the suite's journal.

use std::{
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use batch::suites::{
    self, SizeFrom, StudyEnd, SuiteEvent, SuiteFolder, SuiteJournal, SuiteRecord, SuiteRow,
    SuiteView, Told, words,
};
use chrono::Utc;
use records::{StudyFolder, StudyState};
use scoring::Watch;
use serde_json::json;
use study::Study;

use super::{command_lines::StudyLine, pace::Pace};
use crate::{
    score::{PreparedScore, ScoreArgs, spaces::Spaces},
    studies::{self, Among, argv},
    terminal::{ExitStatus, Failure, RunsBar, Screen, interruption, output},
};

/// Runs a new suite. Returns its folder.
pub(super) fn begin(record: SuiteRecord, out: &Path, screen: Screen) -> Result<PathBuf, Failure> {
    let folder = SuiteFolder::create(out, &record).map_err(Failure::stored)?;
    let (journal, _) = folder.journal().map_err(Failure::stored)?;
    if !(screen.quiet || screen.json) {
        output::note(&format!("writing to {}", folder.path().display()));
    }
    let path = folder.path().to_owned();
    SuiteRun::new(folder, record, journal, Told::default(), screen).perform()?;
    Ok(path)
}

/// Continues with the interrupted study and those after it. Failed studies are tried once more.
pub(crate) fn resume(path: &Path, accept_changes: bool, screen: Screen) -> Result<(), Failure> {
    let folder = SuiteFolder::at(path);
    let record = folder.read().map_err(Failure::stored)?;
    let (journal, entries) = folder.journal().map_err(Failure::stored)?;
    let told = Told::by(&entries);
    let mut run = SuiteRun::new(folder, record, journal, told, screen).accepting(accept_changes);
    let open = |run: &SuiteRun| {
        (1..=run.record.studies.len()).any(|number| run.row(number).state != StudyState::Finished)
    };
    if open(&run) {
        run.write(SuiteEvent::Resumed { argv: argv() })?;
    }
    run.perform()
}

/// A running suite, with the journal that this process writes.
pub(super) struct SuiteRun {
    pub(super) folder: SuiteFolder,
    pub(super) record: SuiteRecord,
    journal: SuiteJournal,
    pub(super) told: Told,
    pub(super) accept_changes: bool,
    pub(super) screen: Screen,
    /// Recorded spaces that were already read.
    spaces: Spaces,
    /// Estimates the remaining time of the suite.
    pace: Pace,
}

impl SuiteRun {
    pub(super) fn new(
        folder: SuiteFolder,
        record: SuiteRecord,
        journal: SuiteJournal,
        told: Told,
        screen: Screen,
    ) -> Self {
        let (spaces, pace) = (Spaces::kept(), Pace::of(&record.studies));
        Self { folder, record, journal, told, accept_changes: false, screen, spaces, pace }
    }

    /// Runs all unfinished studies, even after failures.
    fn perform(mut self) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let (mut ended, mut changed) = (Ok(()), false);
        for number in 1..=self.record.studies.len() {
            if self.row(number).state == StudyState::Finished {
                self.keep_pace(number);
                continue;
            }
            changed = true;
            if interrupted.load(Ordering::Relaxed) {
                ended = Err(self.interrupted(number));
                break;
            }
            match self.perform_one(number)? {
                Err(failure) if failure.exit == ExitStatus::Interrupted => {
                    ended = Err(self.interrupted(number));
                    break;
                }
                result => ended = ended.and(result),
            }
        }
        let stopped = ended.as_ref().is_err_and(|failure| failure.exit == ExitStatus::Interrupted);
        if changed && !stopped {
            self.write(SuiteEvent::Finished)?;
            self.journal.wait().map_err(Failure::bug)?;
        }
        let view = self.view();
        let written = self.write_files(&view);
        self.conclude(&view)?;
        match ended {
            // Some studies failed, but others have an answer.
            Err(failure) if stopped => written.and(Err(failure)),
            Err(failure) if view.finished() == 0 => written.and(Err(self.fruitless(failure))),
            Err(_) | Ok(()) => written,
        }
    }

    /// Runs one study, and records how it ended. The inner error says why the study has no answer.
    pub(super) fn perform_one(&mut self, number: usize) -> Result<Result<(), Failure>, Failure> {
        let result = self.study(number);
        self.keep_pace(number);
        let finished = self.row(number).state == StudyState::Finished;
        match result {
            Err(failure) if finished => {
                output::note(&format!("warning: study {number}: {failure}"));
            }
            Err(failure) if failure.exit == ExitStatus::Interrupted => {
                self.end(number, StudyEnd::Interrupted, String::new())?;
                return Ok(Err(failure));
            }
            Err(failure) => {
                self.end(number, StudyEnd::Failed, failure.message.clone())?;
                self.tell(number, failure.hint.as_deref())?;
                return Ok(Err(failure));
            }
            Ok(()) => {}
        }
        self.end(number, StudyEnd::Finished, String::new())?;
        self.tell(number, None)?;
        Ok(Ok(()))
    }

    /// Runs one study, from the end of its journal if it has one.
    fn study(&mut self, number: usize) -> Result<(), Failure> {
        let path = self.told.folders.get(&number).map(|name| self.folder.path().join(name));
        let argv = &self.record.studies[number - 1].argv;
        if let StudyLine::Score(arguments) = StudyLine::read(argv).map_err(Failure::settings)? {
            return self.compare(number, &arguments, path.as_deref());
        }
        let made = path.as_deref().and_then(|path| StudyFolder::open(path).ok());
        let mut begun = match made {
            Some(folder) => studies::resume(folder, self.accept_changes)?,
            None => {
                let (study, sized) = self.prepare(number)?;
                let folder = match path {
                    // The process was killed after creating this folder, which is still empty.
                    Some(path) => StudyFolder::create_at(&path).map_err(Failure::stored)?,
                    None => {
                        let folder = study.folder_in(self.folder.path())?;
                        self.begun(number, &folder, sized)?;
                        folder
                    }
                };
                study.begin_in(folder)?
            }
        };
        let (_, written) = studies::run(&mut begun, self.screen, Some(&self.among(number)))?;
        written.map_err(Failure::bug)
    }

    /// Compares strategies. An interrupted comparison starts again: it records nothing before its
    /// end, and its results are reproducible.
    fn compare(
        &mut self,
        number: usize,
        arguments: &ScoreArgs,
        made: Option<&Path>,
    ) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let prepared = PreparedScore::prepare(arguments, &mut self.spaces)?;
        let started = Utc::now();
        let folder = match made {
            Some(path) => StudyFolder::again(path).map_err(Failure::stored)?,
            None => {
                let folder = prepared.folder(self.folder.path(), started)?;
                self.begun(number, &folder, None)?;
                folder
            }
        };
        let silent = self.screen.json || self.screen.quiet;
        let bar = RunsBar::new(&format!("{}: ", self.among(number).place), prepared.runs(), silent);
        let watch =
            Watch { done: &|_| bar.done(), stopped: &|| interrupted.load(Ordering::Relaxed) };
        let performed = prepared.perform(&folder, started, watch);
        bar.finish();
        performed.map(|answer| answer.faults.iter().for_each(|fault| output::note(fault)))
    }

    /// Prepares a study, with what it takes from earlier studies of the suite.
    fn prepare(&self, number: usize) -> Result<(Study, Option<SizeFrom>), Failure> {
        let mut argv = self.record.studies[number - 1].argv.clone();
        let sized = suites::size_of(self.folder.path(), &self.record, &self.told, number);
        let sized = sized.map_err(Failure::settings)?;
        if let Some(SizeFrom { size, folder, .. }) = &sized {
            argv.retain(|word| !word.starts_with("--size="));
            argv.push(format!("--size={size}"));
            argv.push(format!("--learn-from={}", folder.display()));
        }
        let won = suites::won(self.folder.path(), &self.record, &self.told, number);
        for narrowing in won.map_err(Failure::settings)? {
            // A `--param` of the study itself takes precedence over the winner's value.
            let name = narrowing.split('=').next().unwrap_or_default();
            let own = format!("--param={name}=");
            if !argv.iter().any(|word| word.starts_with(&own)) {
                argv.push(format!("--param={narrowing}"));
            }
        }
        let line = StudyLine::read(&argv).map_err(Failure::settings)?;
        let StudyLine::Measured(line) = line else {
            return Err(Failure::bug("a comparison measures nothing"));
        };
        let mut study = studies::prepare(line.arguments(), line.settings()?)?;
        study.record.argv = ["autobench".to_owned()].into_iter().chain(argv).collect();
        study.check()?;
        Ok((study, sized))
    }

    /// Records the folder in which a study began.
    fn begun(
        &mut self,
        study: usize,
        folder: &StudyFolder,
        sized: Option<SizeFrom>,
    ) -> Result<(), Failure> {
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.write(SuiteEvent::StudyBegan { study, folder: name, sized })
    }

    fn end(&mut self, study: usize, how: StudyEnd, reason: String) -> Result<(), Failure> {
        self.write(SuiteEvent::StudyEnded { study, how, reason })
    }

    pub(super) fn write(&mut self, event: SuiteEvent) -> Result<(), Failure> {
        self.told.hear(&event);
        self.journal.append(event).map(drop).map_err(Failure::bug)
    }

    /// Sets whether to continue although the kernel, plugin, device or compiler has changed.
    pub(super) fn accepting(mut self, changes: bool) -> Self {
        self.accept_changes = changes;
        self
    }

    pub(super) fn row(&self, number: usize) -> SuiteRow {
        suites::row(self.folder.path(), &self.record, &self.told, number)
    }

    pub(super) fn view(&self) -> SuiteView {
        SuiteView::read(self.folder.path(), &self.record, &self.told)
    }

    fn keep_pace(&mut self, number: usize) {
        let row = self.row(number);
        if let Some(begun) = row.begun.filter(|_| row.state == StudyState::Finished) {
            self.pace.done(number, begun.wall_seconds);
        }
    }

    /// The study's position in the suite, and an upper limit of the seconds that later studies
    /// take.
    fn among(&self, number: usize) -> Among {
        let all = self.record.studies.len();
        let place = format!("study {number} of {all}, {}", self.label(number));
        Among { place, behind: self.pace.left(number + 1) }
    }

    fn label(&self, number: usize) -> &str {
        &self.record.studies[number - 1].label
    }

    pub(super) fn write_files(&self, view: &SuiteView) -> Result<(), Failure> {
        for (name, bytes) in suites::files(view, self.folder.path()).map_err(Failure::bug)? {
            self.folder.write_whole(&name, &bytes).map_err(Failure::bug)?;
        }
        Ok(())
    }

    pub(super) fn tell(&self, number: usize, hint: Option<&str>) -> Result<(), Failure> {
        if self.screen.json || self.screen.quiet {
            return Ok(());
        }
        output::line(&words::line(self.record.studies.len(), &self.row(number)))?;
        hint.map_or(Ok(()), |hint| output::line(&format!("          hint: {hint}")))
    }

    pub(super) fn conclude(&self, view: &SuiteView) -> Result<(), Failure> {
        let path = self.folder.path();
        if self.screen.json {
            let document = json!({
                "suite": view.record.suite,
                "folder": path,
                "studies": view.rows,
            });
            return output::json(&format!("{document:#}"));
        }
        if self.screen.quiet {
            return Ok(());
        }
        output::line("")?;
        words::lines(view).iter().try_for_each(|line| output::line(line))?;
        output::line(&format!("results   {}", path.display()))
    }

    fn interrupted(&self, number: usize) -> Failure {
        let (all, path) = (self.record.studies.len(), self.folder.path().display());
        let label = self.label(number);
        Failure::interrupted(format!(
            "interrupted at study {number} of {all}, {label}; everything measured is recorded"
        ))
        .hint(format!("go on with `autobench resume {path}`"))
    }

    /// The failure to report if no study has an answer: the first one.
    pub(super) fn fruitless(&self, first: Failure) -> Failure {
        let all = self.record.studies.len();
        let message = format!("none of {all} studies has an answer; the first: {}", first.message);
        Failure { message, ..first }
    }
}
