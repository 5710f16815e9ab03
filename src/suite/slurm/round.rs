//! A snapshot of a submitted suite: its journal, the journals of its elements, and the queue. The
//! suite's journal is locked only while a snapshot exists, so that other processes can show or
//! cancel a suite while one process waits for it.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use batch::suites::{
    SuiteEvent, SuiteFolder, SuiteRecord, SuiteView, Told,
    slurm::{self, Queue, SLURM_FOLDER, SlurmRecord, arrays, log_name, script, ungathered},
};
use records::{JournalError, StudyState};

use super::refusal::failed;
use crate::{
    studies::argv,
    suite::performed::SuiteRun,
    terminal::{Failure, Screen, output},
};

/// How long to wait for a journal that another process has locked.
const JOURNAL_WAIT: Duration = Duration::from_secs(10);

/// The current state of a submitted suite. No other process writes the suite's journal meanwhile.
pub(super) struct Round {
    pub(super) run: SuiteRun,
    slurm: SlurmRecord,
    queue: Queue,
    /// The elements' events that were not yet in the suite's journal.
    pub(super) news: Vec<SuiteEvent>,
}

impl Round {
    /// Reads the queue, then copies new events of the elements into the suite's journal.
    pub(super) fn open(path: &Path, accept_changes: bool, screen: Screen) -> Result<Self, Failure> {
        let folder = SuiteFolder::at(path);
        let record = folder.read().map_err(Failure::stored)?;
        let slurm = SlurmRecord::read(path).map_err(Failure::stored)?;
        let began = Instant::now();
        let (journal, entries) = loop {
            match folder.journal() {
                Err(JournalError::Busy(_)) if began.elapsed() < JOURNAL_WAIT => {
                    thread::sleep(Duration::from_millis(50));
                }
                opened => break opened.map_err(Failure::stored)?,
            }
        };
        let told = Told::by(&entries);
        // The queue is read first: an element that has left the queue has written how it ended.
        let queue = slurm::queue(&open_jobs(path, &record, &told)).map_err(failed)?;
        let news = ungathered(path, &record, &entries).map_err(Failure::stored)?;
        let mut run =
            SuiteRun::new(folder, record, journal, told, screen).accepting(accept_changes);
        for event in &news {
            run.write(event.clone())?;
        }
        let mut round = Self { run, slurm, queue, news };
        if !round.news.is_empty() && round.all_ended() {
            round.run.write(SuiteEvent::Finished)?;
        }
        Ok(round)
    }

    fn all_ended(&self) -> bool {
        self.view().rows.iter().all(|row| !matches!(row.state, StudyState::Unfinished(_)))
    }

    /// Reads the queue again.
    pub(super) fn ask(&mut self) -> Result<(), Failure> {
        let jobs = open_jobs(self.run.folder.path(), &self.run.record, &self.run.told);
        self.queue = slurm::queue(&jobs).map_err(failed)?;
        Ok(())
    }

    /// All studies, with the queue's state of those that have not ended.
    pub(super) fn view(&self) -> SuiteView {
        let mut view = self.run.view();
        in_words(&mut view, &self.run.told, &self.queue);
        view
    }

    pub(super) fn write_files(&self) -> Result<(), Failure> {
        self.run.write_files(&self.view())
    }

    fn is_in_queue(&self, study: usize) -> bool {
        let job = self.run.told.jobs.get(&study);
        job.is_some_and(|job| self.queue.element(job, study).is_some())
    }

    /// How many queued studies run, and how many are pending.
    pub(super) fn running_and_waiting(&self) -> (usize, usize) {
        let queued = |(study, job): (&usize, &String)| self.queue.element(job, *study);
        let all: Vec<_> = self.run.told.jobs.iter().filter_map(queued).collect();
        let waiting = all.iter().filter(|element| element.state == "PENDING").count();
        (all.len() - waiting, waiting)
    }

    /// Jobs that still have elements in the queue.
    pub(super) fn jobs_in_queue(&self) -> Vec<String> {
        let jobs = self.run.told.jobs.iter();
        let queued = jobs.filter(|(study, _)| self.is_in_queue(**study));
        let mut jobs: Vec<String> = queued.map(|(_, job)| job.clone()).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// Studies that have no answer and are not in the queue, including failed studies.
    pub(super) fn without_answer(&self) -> Vec<usize> {
        self.out_of_queue(|state| *state != StudyState::Finished)
    }

    /// Studies that left the queue without an answer or a failure.
    pub(super) fn died(&self) -> Vec<usize> {
        self.out_of_queue(|state| matches!(state, StudyState::Unfinished(_)))
    }

    fn out_of_queue(&self, is_meant: impl Fn(&StudyState) -> bool) -> Vec<usize> {
        let numbers = self.run.record.numbered().map(|(number, _)| number);
        numbers
            .filter(|&study| !self.is_in_queue(study) && is_meant(&self.run.row(study).state))
            .collect()
    }

    /// Submits studies. Returns a description of each submitted job.
    pub(super) fn submit(&mut self, studies: &[usize]) -> Result<Vec<String>, Failure> {
        let mut submitted = Vec::new();
        if studies.is_empty() {
            return Ok(submitted);
        }
        if !self.run.told.jobs.is_empty() {
            self.run.write(SuiteEvent::Resumed { argv: argv() })?;
        }
        let path = self.run.folder.path().to_owned();
        let arrays = arrays(&self.run.record, studies, |study| self.is_in_queue(study));
        let mut free = 1;
        for array in arrays {
            let name = loop {
                let name = format!("{SLURM_FOLDER}/array-{free}.sh");
                free += 1;
                if !path.join(&name).exists() {
                    break name;
                }
            };
            let accept_changes = self.run.accept_changes;
            let text = script(&self.slurm, &self.run.record, &path, &array, accept_changes);
            self.run.folder.write_whole(&name, text.as_bytes()).map_err(Failure::stored)?;
            let job = |study: &usize| Some((self.run.told.jobs.get(study)?.clone(), *study));
            let after: Vec<(String, usize)> = array.after.iter().filter_map(job).collect();
            let job = slurm::submit(&path.join(&name), &after).map_err(failed)?;
            let (many, indices) = (array.studies.len(), array.indices());
            let noun = if many == 1 { "study" } else { "studies" };
            submitted.push(format!("{many} {noun} as job {job}, elements {indices}"));
            self.run.write(SuiteEvent::Submitted { job, studies: array.studies })?;
        }
        Ok(submitted)
    }

    pub(super) fn say(&self, text: &str) -> Result<(), Failure> {
        match self.run.screen.json || self.run.screen.quiet {
            true => Ok(()),
            false => output::line(text),
        }
    }

    /// Returns a failure if all studies have ended and none has an answer.
    pub(super) fn ended_without_answer(&self) -> Result<(), Failure> {
        let view = self.view();
        match (self.all_ended() && view.finished() == 0, self.run.told.failed.values().next()) {
            (true, Some(why)) => Err(self.run.fruitless(Failure::nothing(why))),
            _ => Ok(()),
        }
    }
}

/// The latest jobs of studies that have no answer.
pub(super) fn open_jobs<'a>(path: &Path, record: &SuiteRecord, told: &'a Told) -> Vec<&'a str> {
    let is_open =
        |study: usize| batch::suites::row(path, record, told, study).state != StudyState::Finished;
    let open = told.jobs.iter().filter(|(study, _)| is_open(**study));
    let mut jobs: Vec<&str> = open.map(|(_, job)| job.as_str()).collect();
    jobs.sort_unstable();
    jobs.dedup();
    jobs
}

/// Describes the state of unfinished studies, using the queue.
pub(super) fn in_words(view: &mut SuiteView, told: &Told, queue: &Queue) {
    for row in &mut view.rows {
        let (StudyState::Unfinished(reason), Some(job)) =
            (&mut row.state, told.jobs.get(&row.study))
        else {
            continue;
        };
        match queue.element(job, row.study) {
            Some(element) => *reason = format!("{}, job {job}", element.in_words()),
            None if reason.starts_with("interrupted") => {}
            None if told.cancelled => *reason = "cancelled".to_owned(),
            None => {
                let log = log_name(row.study);
                *reason = format!("job {job} left without a word; see {SLURM_FOLDER}/{log}");
            }
        }
    }
}
