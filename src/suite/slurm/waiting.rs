//! Waits for the studies of a submitted suite. Collects the results of ended studies, and submits
//! dead studies again.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use batch::suites::{
    SuiteEvent,
    slurm::{SLURM_FOLDER, log_name},
};

use super::round::Round;
use crate::terminal::{Failure, Screen, interruption, output};

/// Shortest and longest pause between two reads of the queue: a SLURM controller serves many users.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// Most submissions of a study without progress.
const VAIN: u32 = 3;

/// Longest wait for cancelled studies to end in order.
const ENDING: Duration = Duration::from_secs(90);

/// Waits for all studies. Ctrl-C ends only the waiting.
pub(super) fn wait(path: &Path, accept_changes: bool, screen: Screen) -> Result<(), Failure> {
    let interrupted = interruption()?;
    let (mut pause, mut said) = (PAUSES.0, String::new());
    let mut tries: BTreeMap<usize, Tries> = BTreeMap::new();
    loop {
        if interrupted.load(Ordering::Relaxed) {
            let (again, cancel) = (path.display(), path.display());
            return Err(Failure::interrupted("nobody waits any more; the jobs go on").hint(format!(
                "`autobench resume {again} --wait` waits again, `autobench suite --cancel {cancel}` cancels them"
            )));
        }
        let mut round = match Round::open(path, accept_changes, screen) {
            Ok(round) => round,
            // The controller may be restarting, so waiting continues.
            Err(failure) => {
                output::note(&format!("note: {}; trying again", failure.message));
                sleep(PAUSES.1, &interrupted);
                continue;
            }
        };
        tell(&round)?;
        let died = round.died();
        if round.run.told.cancelled {
            round.write_files()?;
            return Err(Failure::interrupted(
                "the jobs were cancelled; everything measured is recorded",
            )
            .hint(format!("go on with `autobench resume {}`", path.display())));
        }
        let (again, given_up): (Vec<usize>, Vec<usize>) =
            died.into_iter().partition(|study| may_try(&mut tries, &round, *study));
        for job in round.submit(&again)? {
            note(screen, &format!("submitted again {job}"));
        }
        if !again.is_empty() {
            round.ask()?;
        }
        let (running, waiting) = round.running_and_waiting();
        if running + waiting == 0 && again.is_empty() {
            round.write_files()?;
            round.run.conclude(&round.view())?;
            round.ended_without_answer()?;
            return given_up.is_empty().then_some(()).ok_or_else(|| came_no_further(&given_up));
        }
        let now = format!("{running} studies run, {waiting} wait");
        let moved = now != said || !round.news.is_empty() || !again.is_empty();
        if now != said {
            note(screen, &now);
            said = now;
        }
        drop(round);
        pause = if moved { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
        sleep(pause, &interrupted);
    }
}

fn came_no_further(studies: &[usize]) -> Failure {
    let logs: Vec<String> =
        studies.iter().map(|study| format!("{SLURM_FOLDER}/{}", log_name(*study))).collect();
    let studies = if logs.len() == 1 { "a study" } else { "studies" };
    Failure::nothing(format!("{studies} came no further in {VAIN} submissions, and have no answer"))
        .hint(format!("see {}", logs.join(", ")))
}

/// A study's evaluations so far, and its submissions without progress.
struct Tries {
    evaluations: u64,
    vain: u32,
}

/// Whether to submit a study again: it made progress, or has not yet failed too often to do so.
fn may_try(tries: &mut BTreeMap<usize, Tries>, round: &Round, study: usize) -> bool {
    let evaluations = round.run.row(study).begun.map_or(0, |begun| begun.evaluations);
    let known = tries.entry(study).or_insert(Tries { evaluations, vain: 0 });
    known.vain = if evaluations > known.evaluations { 1 } else { known.vain + 1 };
    known.evaluations = evaluations;
    known.vain <= VAIN
}

/// Waits until cancelled studies have ended, and collects their results.
pub(super) fn until_gone(path: &Path, screen: Screen) -> Result<(), Failure> {
    let interrupted = interruption()?;
    let began = Instant::now();
    loop {
        let round = Round::open(path, false, screen)?;
        let left = round.jobs_in_queue();
        let is_over = began.elapsed() > ENDING || interrupted.load(Ordering::Relaxed);
        if left.is_empty() || is_over {
            round.write_files()?;
            if !left.is_empty() {
                note(screen, &format!("note: job {} has not left the queue yet", left.join(", ")));
            }
            round.run.conclude(&round.view())?;
            return round.say(&format!("go on     autobench resume {}", path.display()));
        }
        drop(round);
        sleep(PAUSES.0, &interrupted);
    }
}

/// Prints the studies that ended since the last snapshot.
fn tell(round: &Round) -> Result<(), Failure> {
    for event in &round.news {
        if let SuiteEvent::StudyEnded { study, .. } = event {
            round.run.tell(*study, None)?;
        }
    }
    Ok(())
}

fn note(screen: Screen, text: &str) {
    if !(screen.quiet || screen.json) {
        output::note(text);
    }
}

/// Sleeps until the time is over or a signal arrives.
fn sleep(time: Duration, interrupted: &AtomicBool) {
    let began = Instant::now();
    while began.elapsed() < time && !interrupted.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
    }
}
