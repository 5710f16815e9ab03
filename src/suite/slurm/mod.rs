//! Suites whose studies SLURM performs: submitted, looked at, submitted again, gathered, cancelled.

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

/// Gathers what elements have written, and submits what has neither an answer nor a place in the
/// queue.
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

/// Has everything of a suite taken out of the queue, and gathers what elements leave.
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
    // Written before, so that nobody who waits submits again what ends now.
    round.run.write(SuiteEvent::Cancelled)?;
    slurm::cancel(&jobs.iter().map(String::as_str).collect::<Vec<_>>()).map_err(failed)?;
    round.say(&format!("cancelled job {}; studies that run end in order", jobs.join(", ")))?;
    drop(round);
    waiting::until_gone(path, screen)
}

/// The studies of a suite as they are now, with what the queue says of them; nothing is written.
pub(super) fn view(
    path: &Path,
    record: &SuiteRecord,
    entries: &[Entry<SuiteEvent>],
) -> Result<SuiteView, Failure> {
    // Asked first: what has left the queue has written how it ended.
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
