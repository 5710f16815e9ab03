//! Fitness of a candidate: the score of its script over the training spaces, within a time limit.

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

/// Interval between checks whether a search should stop.
const LOOK: Duration = Duration::from_millis(20);

/// Result of judging a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Judgement {
    Scored {
        /// Mean score over the spaces.
        score: f64,
        standard_error: Option<f64>,
        /// The score on each space.
        spaces: Vec<f64>,
    },
    /// The candidate failed; why, in a sentence.
    Failed(String),
    /// The user stopped the run before there was a result.
    Stopped,
}

/// Scores the script of a candidate like `autobench score`. Faults name the script `path`.
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
    // After a fault, no new run begins. Running ones finish, so that the first fault does not
    // depend on timing.
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

/// Runs `work`, and ends its searches soon after `stopped` returns true.
pub(super) fn stoppable<T>(
    deadline: &Deadline,
    stopped: &(dyn Fn() -> bool + Sync),
    work: impl FnOnce() -> T,
) -> T {
    /// Signals the end of the work when dropped, even after a panic.
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
