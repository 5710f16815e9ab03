//! How good a candidate is: the score of its script over the training spaces, within a time limit.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use records::FamilyRules;
use scoring::{Landscape, ScoredStrategy, StrategyComparison, Thinking, Watch, standings, total};

use crate::scripts::{Deadline, Script};

/// How often it is looked whether a search shall end.
const LOOK: Duration = Duration::from_millis(20);

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Judgement {
    Scored {
        /// Mean over the spaces.
        score: f64,
        standard_error: Option<f64>,
        /// Of every space.
        spaces: Vec<f64>,
    },
    /// It failed; why, in a sentence.
    Failed(String),
    /// The user wants no more; nothing is known of it.
    Stopped,
}

/// Scores the script of a candidate, as `autobench score` would. `path` is its name in faults.
pub(super) fn judge(
    rules: &FamilyRules,
    landscapes: &[Landscape],
    (path, code): (&str, &str),
    watch: Watch<'_>,
) -> Judgement {
    let limit = Duration::try_from_secs_f64(rules.candidate_seconds).unwrap_or(Duration::MAX);
    let deadline = Arc::new(Deadline::after(limit));
    let script = match Script::load(path, code) {
        Ok(script) => script.until(Arc::clone(&deadline)),
        Err(fault) => return Judgement::Failed(fault.to_string()),
    };
    let strategies = [ScoredStrategy::of_search(path, move |problem| script.search(problem))];
    let comparison = StrategyComparison {
        landscapes,
        strategies: &strategies,
        repeats: rules.repeats as usize,
        seed: rules.seed,
        thinking: Thinking::Free,
        budget: None,
    };
    // After a fault no run begins; those before it go on, so that the first one is always the same.
    let failed = AtomicBool::new(false);
    let done = |fault: Option<&str>| {
        failed.fetch_or(fault.is_some(), Ordering::Relaxed);
        (watch.done)(fault);
    };
    let stopped = || failed.load(Ordering::Relaxed) || (watch.stopped)();
    let watched = Watch { done: &done, stopped: &stopped };
    let runs = stoppable(&deadline, watch.stopped, || comparison.hold(watched));
    if (watch.stopped)() {
        return Judgement::Stopped;
    }
    let mut faults = runs.iter().flatten().flatten().filter_map(|run| run.fault.as_deref());
    let told = faults.clone().find(|fault| !deadline.is_told_in(fault));
    if let Some(fault) = told {
        return Judgement::Failed(fault.to_owned());
    }
    if faults.next().is_some() {
        return Judgement::Failed(too_long(rules, landscapes.len()));
    }
    let standings = standings(&comparison, &runs, &[]);
    let Some(all) = standings.first() else { return Judgement::Stopped };
    let (score, standard_error) = total(all);
    match score.is_finite() {
        true => {
            let spaces = all.iter().map(|standing| standing.score).collect();
            Judgement::Scored { score, standard_error, spaces }
        }
        false => Judgement::Failed("its score is no number".to_owned()),
    }
}

fn too_long(rules: &FamilyRules, spaces: usize) -> String {
    let runs = u64::from(rules.repeats) * spaces as u64;
    format!("took longer than {} s for {runs} runs", rules.candidate_seconds)
}

/// Does work whose searches end soon after `stopped` says so.
pub(super) fn stoppable<T>(
    deadline: &Deadline,
    stopped: &(dyn Fn() -> bool + Sync),
    work: impl FnOnce() -> T,
) -> T {
    /// Says, however the work ends, that it has ended.
    struct Ended<'a>(&'a AtomicBool, thread::Thread);
    impl Drop for Ended<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
            self.1.unpark();
        }
    }
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let looking = scope.spawn(|| {
            while !ended.load(Ordering::Acquire) {
                if stopped() {
                    deadline.stop();
                    return;
                }
                thread::park_timeout(LOOK);
            }
        });
        let _ended = Ended(&ended, looking.thread().clone());
        work()
    })
}
