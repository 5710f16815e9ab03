//! Shows the progress of a family, and writes files after each candidate.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use autobench::terminal::ProgressLine;
use records::{FamilyView, FolderError};
use report::exporters::quantities::rough_time;
use scoring::Watch;

use super::folder::FamilyFolder;
use crate::evolution::FamilyListener;

/// Interval between writes of the tables and the report while a family grows.
const PAGE: Duration = Duration::from_secs(15);

/// Shows the progress of a family, and writes its files.
pub(super) struct Watching<'a> {
    folder: &'a FamilyFolder,
    line: ProgressLine,
    stopped: Box<dyn Fn() -> bool + Sync>,
    state: RefCell<State>,
}

struct State {
    begun: Instant,
    /// Number of candidates from earlier sessions.
    before: u64,
    /// Number of the best candidate whose script was written.
    best: Option<u64>,
    written: Instant,
    /// Summary of the finished candidates.
    words: String,
}

impl<'a> Watching<'a> {
    /// A watcher for a family in its present state; `silent` shows nothing.
    pub(super) fn new(
        folder: &'a FamilyFolder,
        view: &FamilyView,
        interrupted: Arc<AtomicBool>,
        silent: bool,
    ) -> Self {
        let line = ProgressLine::new(view.record.candidates, silent);
        let before = view.candidates.len() as u64;
        line.set(before);
        let now = Instant::now();
        let best = view.best().map(|best| best.number);
        let words = so_far(view);
        Self {
            folder,
            line,
            stopped: Box::new(move || interrupted.load(Ordering::Relaxed)),
            state: RefCell::new(State { begun: now, before, best, written: now, words }),
        }
    }

    pub(super) fn finish(&self) {
        self.line.finish();
    }
}

impl FamilyListener for Watching<'_> {
    fn asks(&self, number: u64) {
        let words = format!("asks for candidate {number}{}", self.state.borrow().words);
        self.line.tell(words);
    }

    fn holds_finals(&self, number: u64) {
        self.line.tell(format!("finals: candidate {number}{}", self.state.borrow().words));
    }

    fn watch(&self) -> Watch<'_> {
        Watch { stopped: &*self.stopped, ..Watch::NOBODY }
    }

    fn scored(&self, view: &FamilyView) -> Result<(), FolderError> {
        if let Some(last) = view.candidates.last() {
            self.folder.write_candidate(last)?;
        }
        let mut state = self.state.borrow_mut();
        let best = view.best().map(|best| best.number);
        if best != state.best {
            state.best = best;
            self.folder.write_best(view)?;
        }
        if state.written.elapsed() > PAGE {
            state.written = Instant::now();
            // Ignore failures: the report can be made again from the journal.
            let _ = self.folder.write_files(view);
        }
        state.words = so_far(view);
        let (made, all) = (view.candidates.len() as u64, view.record.candidates);
        self.line.set(made);
        let own = made.saturating_sub(state.before).max(1);
        let pace = state.begun.elapsed().as_secs_f64() / own as f64;
        let left = rough_time(pace * all.saturating_sub(made) as f64);
        self.line.tell(format!("{made} of {all} candidates{}, about {left} left", state.words));
        Ok(())
    }
}

/// The generation, the best score so far, and failures: `, generation 3, best 0.523, 4 failed`.
fn so_far(view: &FamilyView) -> String {
    let generation = view.candidates.last().map(|last| format!(", generation {}", last.generation));
    let best = view.best().and_then(|best| best.score).map(|score| format!(", best {score:.3}"));
    let failed = view.failed().count();
    let failed = (failed > 0).then(|| format!(", {failed} failed"));
    [generation, best, failed].into_iter().flatten().collect()
}
