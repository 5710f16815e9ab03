//! Suites whose studies run under SLURM: submit, show, resume, wait, cancel.

mod arguments;
mod element;
mod refusal;
mod round;
mod submission;
mod waiting;

use std::path::Path;

use batch::suites::{
    SuiteEvent, SuiteFolder, SuiteRecord, SuiteView,
    slurm::{self, SlurmRecord},
};
use records::Entry;

use crate::terminal::{Failure, Screen, output};

pub(super) use arguments::SlurmArgs;
pub(super) use element::element;
use refusal::failed;
pub(crate) use refusal::never_submitted;
use round::{Round, in_words, open_jobs};
pub(super) use submission::begin;

/// Collects the elements' results. Submits studies that have no answer and are not in the queue.
pub(super) fn resume(
    path: &Path,
    accept_changes: bool,
    wait: bool,
    screen: Screen,
) -> Result<(), Failure> {
    let path = &std::path::absolute(path).map_err(Failure::bug)?;
    let mut round = Round::open(path, accept_changes, screen)?;
    let submitted = round.submit(&round.without_answer())?;
    if wait {
        drop(round);
        return waiting::wait(path, accept_changes, screen);
    }
    if !submitted.is_empty() {
        round.ask()?;
    }
    round.write_files()?;
    round.run.conclude(&round.view())?;
    for job in &submitted {
        round.say(&format!("submitted {job}"))?;
    }
    round.ended_without_answer()
}

/// Cancels all queued jobs of a suite, and collects the elements' results.
pub(super) fn cancel(path: &Path, screen: Screen) -> Result<(), Failure> {
    if !SuiteFolder::is_at(path) || !SlurmRecord::is_at(path) {
        return Err(never_submitted());
    }
    let path = &std::path::absolute(path).map_err(Failure::bug)?;
    let mut round = Round::open(path, false, screen)?;
    let jobs = round.jobs_in_queue();
    if jobs.is_empty() {
        round.write_files()?;
        return round.say("nothing of it is in the queue");
    }
    // Written before cancelling, so that a waiting process does not submit the cancelled studies
    // again.
    round.run.write(SuiteEvent::Cancelled)?;
    slurm::cancel(&jobs.iter().map(String::as_str).collect::<Vec<_>>()).map_err(failed)?;
    round.say(&format!("cancelled job {}; studies that run end in order", jobs.join(", ")))?;
    drop(round);
    waiting::until_gone(path, screen)
}

/// The current state of a suite's studies, including the queue. Writes nothing.
pub(super) fn view(
    path: &Path,
    record: &SuiteRecord,
    entries: &[Entry<SuiteEvent>],
) -> Result<SuiteView, Failure> {
    // The queue is read first: an element that has left the queue has written how it ended.
    let told = batch::suites::Told::by(entries);
    let queue = slurm::queue(&open_jobs(path, record, &told));
    let told = slurm::heard(path, record, entries).map_err(Failure::stored)?;
    let mut view = SuiteView::read(path, record, &told);
    match queue {
        Ok(queue) => in_words(&mut view, &told, &queue),
        Err(fault) => output::note(&format!("note: {fault}; the queue is not known")),
    }
    Ok(view)
}
