//! `--repeat N`: independent studies of one plan, one after the other, and how far they agree.

use std::{path::Path, sync::atomic::Ordering};

use records::{
    MOST_REPEATS, RepeatsFolder, RepeatsRecord, RepeatsView, StudyFolder, StudyState,
    settings::StudySettings,
};
use report::exporters::repeats::{self, words};
use serde_json::{Value, json};
use study::{BegunStudy, Preparing, Study, prepare::models};

use super::{
    arguments::StudyArgs,
    dry_run::dry_run,
    performed::{prepare, resume as resume_one, run},
    progress::Among,
};
use crate::terminal::{ExitStatus, Failure, Screen, interruption, output};

/// Runs this many studies of a plan. Among several devices, each model gets its own set.
pub(crate) fn begin(
    arguments: &StudyArgs,
    settings: StudySettings,
    studies: u32,
) -> Result<(), Failure> {
    if !(1..=MOST_REPEATS).contains(&studies) {
        return Err(Failure::settings(format!(
            "--repeat is a number of studies from 1 to {MOST_REPEATS}, not {studies}"
        ))
        .hint("leave it out for one study; five show how far one can be relied on"));
    }
    for device in models(&settings.device)? {
        begin_on(arguments, StudySettings { device, ..settings.clone() }, studies)?;
    }
    Ok(())
}

fn begin_on(arguments: &StudyArgs, settings: StudySettings, studies: u32) -> Result<(), Failure> {
    let first = prepare(arguments, settings)?;
    if arguments.dry_run {
        return dry_run(&first, arguments.screen, studies);
    }
    first.check()?;
    let record = RepeatsRecord::new(studies, first.record.clone());
    let folder = RepeatsFolder::create(&arguments.out, &record).map_err(Failure::stored)?;
    let lock = folder.lock().map_err(Failure::stored)?;
    let screen = arguments.screen;
    let ended =
        RepeatedStudies { folder, record, accept_changes: false, screen }.perform(Some(first));
    drop(lock);
    ended
}

/// Continues with the interrupted study and those after it.
pub(crate) fn resume(path: &Path, accept_changes: bool, screen: Screen) -> Result<(), Failure> {
    let folder = RepeatsFolder::open(path).map_err(Failure::stored)?;
    let lock = folder.lock().map_err(Failure::stored)?;
    let record = folder.read().map_err(Failure::stored)?;
    let ended = RepeatedStudies { folder, record, accept_changes, screen }.perform(None);
    drop(lock);
    ended
}

/// Prints how far the finished studies agree.
pub(crate) fn show(path: &Path, journal: bool) -> Result<(), Failure> {
    let folder = RepeatsFolder::open(path).map_err(Failure::stored)?;
    let record = folder.read().map_err(Failure::stored)?;
    if journal {
        let path = path.display();
        return Err(Failure::settings(format!(
            "`{path}` holds several studies, each with a journal"
        ))
        .hint(format!("name one of them: `autobench show {path}/1 --journal`")));
    }
    let view = folder.view(&record);
    words::lines(&view).iter().try_for_each(|line| output::line(line))
}

struct RepeatedStudies {
    folder: RepeatsFolder,
    record: RepeatsRecord,
    accept_changes: bool,
    screen: Screen,
}

impl RepeatedStudies {
    /// Runs all unfinished studies, even after failures, and compares the finished ones.
    fn perform(mut self, mut first: Option<Study>) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let mut ended = Ok(());
        for number in self.record.numbers() {
            if self.state(number) == StudyState::Finished {
                continue;
            }
            let result = self.study(number, first.take());
            let stopped = interrupted.load(Ordering::Relaxed);
            match result {
                Err(failure) if stopped || failure.exit == ExitStatus::Interrupted => {
                    ended = Err(self.interrupted(number));
                    break;
                }
                Err(failure) if self.state(number) != StudyState::Finished => {
                    self.record.failed.insert(number, failure.message.clone());
                    self.folder.write(&self.record).map_err(Failure::bug)?;
                    ended = ended.and(Err(failure));
                }
                Err(failure) => output::note(&format!("warning: study {number}: {failure}")),
                Ok(()) => {}
            }
            self.tell(number)?;
            if stopped && number < self.record.studies {
                ended = Err(self.interrupted(number + 1));
                break;
            }
        }
        let view = self.folder.view(&self.record);
        let written = repeats::write(&self.folder, &view).map_err(Failure::bug);
        self.conclude(&view)?;
        match ended {
            // Some studies failed, but others have an answer.
            Err(failure)
                if failure.exit != ExitStatus::Interrupted && view.agreement.finished > 0 =>
            {
                written
            }
            Err(failure) if failure.exit == ExitStatus::Interrupted => written.and(Err(failure)),
            Err(failure) => written.and(Err(self.fruitless(failure))),
            Ok(()) => written,
        }
    }

    /// Runs one study, from the end of its journal if it has one.
    fn study(&mut self, number: u32, study: Option<Study>) -> Result<(), Failure> {
        if self.record.failed.remove(&number).is_some() {
            self.folder.write(&self.record).map_err(Failure::bug)?;
        }
        let path = self.folder.study(number);
        if let Ok(folder) = StudyFolder::open(&path) {
            let begun = folder.read_study().map_err(Failure::stored)?;
            self.record.claims(&path, &begun).map_err(Failure::settings)?;
            return self.run(number, resume_one(folder, self.accept_changes)?);
        }
        let study = match study {
            Some(study) => study,
            None => self.prepare(number)?,
        };
        let folder = self.folder.begin(number).map_err(Failure::stored)?;
        self.run(number, study.begin_in(folder)?)
    }

    fn run(&self, number: u32, mut begun: BegunStudy) -> Result<(), Failure> {
        let (_, written) = run(&mut begun, self.screen, Some(&self.among(number)))?;
        written.map_err(Failure::bug)
    }

    /// The study's position among all, and an upper limit of the seconds that later studies take.
    fn among(&self, number: u32) -> Among {
        let all = self.record.studies;
        let limit = self.record.plan.settings.budget.seconds;
        let behind = limit.map(|limit| limit * f64::from(all.saturating_sub(number)));
        Among { place: format!("study {number} of {all}"), behind }
    }

    /// Prepares a study of the same plan with its own seed.
    fn prepare(&self, number: u32) -> Result<Study, Failure> {
        let with = Preparing { note: &output::note, ..Preparing::default() };
        let study = Study::prepare_with(self.record.settings(number), with)?;
        study.unchanged(&self.record.plan, self.accept_changes)?;
        study.check()?;
        Ok(study)
    }

    fn state(&self, number: u32) -> StudyState {
        self.folder.repeat(&self.record, number).state
    }

    fn tell(&self, number: u32) -> Result<(), Failure> {
        if self.screen.json || self.screen.quiet {
            return Ok(());
        }
        let repeat = self.folder.repeat(&self.record, number);
        output::line(&words::line(&self.record, &repeat))
    }

    fn conclude(&self, view: &RepeatsView) -> Result<(), Failure> {
        let path = self.folder.path();
        if self.screen.json {
            return output::json(&format!("{:#}", document(path, view)));
        }
        if self.screen.quiet {
            return Ok(());
        }
        output::line("")?;
        words::lines(view).iter().try_for_each(|line| output::line(line))?;
        output::line(&format!("results   {}", path.display()))
    }

    fn interrupted(&self, number: u32) -> Failure {
        let (all, path) = (self.record.studies, self.folder.path().display());
        Failure::interrupted(format!(
            "interrupted at study {number} of {all}; everything measured is recorded"
        ))
        .hint(format!("go on with `autobench resume {path}`"))
    }

    /// The failure to report if no study has an answer: the first one.
    fn fruitless(&self, first: Failure) -> Failure {
        let all = self.record.studies;
        let message = format!("none of {all} studies has an answer; the first: {}", first.message);
        Failure { message, ..first }
    }
}

fn document(path: &Path, view: &RepeatsView) -> Value {
    let plan = &view.record.plan;
    json!({
        "benchmark": plan.benchmark.name,
        "device": plan.device.name,
        "folder": path,
        "studies": view.repeats,
        "agreement": view.agreement,
        "band": records::band(&view.repeats),
    })
}
