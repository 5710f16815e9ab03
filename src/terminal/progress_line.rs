//! A bar with words beside it on a terminal, and a line now and then where there is none.

use std::{
    io::{self, IsTerminal as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;

/// How often a line is told where there is no terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(20);
/// How often the clock of the bar moves while nothing is told.
const TICK: Duration = Duration::from_millis(500);

/// Progress of something that is counted; threads may tell it at the same time.
pub struct ProgressLine {
    bar: ProgressBar,
    /// When the last line was told, where there is no terminal.
    told: Option<Mutex<Instant>>,
}

impl ProgressLine {
    /// A bar of so many steps; `silent` shows nothing.
    pub fn new(steps: u64, silent: bool) -> Self {
        let bar = match silent {
            true => ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            false => ProgressBar::new(steps),
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {elapsed} {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_length(steps);
        let is_terminal = io::stderr().is_terminal();
        if !silent && is_terminal {
            bar.enable_steady_tick(TICK);
        }
        let told = !silent && !is_terminal;
        Self { bar, told: told.then(|| Mutex::new(Instant::now())) }
    }

    /// So many steps are done.
    pub fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Another step is done: how many now, and of how many.
    pub fn step(&self) -> (u64, u64) {
        self.bar.inc(1);
        (self.bar.position(), self.bar.length().unwrap_or_default())
    }

    /// Puts words beside the bar.
    pub fn tell(&self, words: String) {
        if let Some(told) = &self.told {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.elapsed() > NOW_AND_THEN {
                *told = Instant::now();
                output::note(&words);
            }
        }
        self.bar.set_message(words);
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
