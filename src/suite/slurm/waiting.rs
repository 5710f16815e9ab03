//! Waiting for the studies of a submitted suite: what has ended is gathered, what died is submitted
//! again.

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

/// How long after a look the next one follows, at least and at most: a controller serves many.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// How often a study is submitted again without having come further.
const VAIN: u32 = 3;

/// How long cancelled studies may take to end in order.
const ENDING: Duration = Duration::from_secs(90);

/// Waits for all studies; Ctrl-C ends the waiting and nothing else.
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
            // A controller that restarts is no reason to give up.
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

/// How often a study was submitted without coming further.
struct Tries {
    evaluations: u64,
    vain: u32,
}

/// Whether a study is submitted again: it came further, or has not often failed to.
fn may_try(tries: &mut BTreeMap<usize, Tries>, round: &Round, study: usize) -> bool {
    let evaluations = round.run.row(study).begun.map_or(0, |begun| begun.evaluations);
    let known = tries.entry(study).or_insert(Tries { evaluations, vain: 0 });
    known.vain = if evaluations > known.evaluations { 1 } else { known.vain + 1 };
    known.evaluations = evaluations;
    known.vain <= VAIN
}

/// Waits until cancelled studies have ended, and gathers what they leave.
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

/// Tells the studies that ended since the last look.
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

/// Sleeps, but not through a signal.
fn sleep(time: Duration, interrupted: &AtomicBool) {
    let began = Instant::now();
    while began.elapsed() < time && !interrupted.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
    }
}
