//! A progress bar with a message on a terminal; elsewhere, a line every 20 seconds.

use std::{
    io::{self, IsTerminal as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use records::sinks;

use super::output;

/// Interval between lines if standard error is not a terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(20);
/// Interval at which the bar's clock advances between messages.
const TICK: Duration = Duration::from_millis(500);

/// Progress that is counted in steps. Several threads may report at the same time.
pub struct ProgressLine {
    bar: ProgressBar,
    /// When the last line was printed; `None` on a terminal.
    told: Option<Mutex<Instant>>,
}

impl ProgressLine {
    /// Creates a bar of `steps` steps; `silent` shows nothing.
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

    /// Sets the number of finished steps.
    pub fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Counts one more step. Returns the number of finished steps and of all steps.
    pub fn step(&self) -> (u64, u64) {
        self.bar.inc(1);
        (self.bar.position(), self.bar.length().unwrap_or_default())
    }

    /// Shows a message next to the bar.
    pub fn tell(&self, words: String) {
        if let Some(told) = &self.told {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.elapsed() > NOW_AND_THEN {
                *told = Instant::now();
                output::note(&words);
            }
        }
        self.bar.set_message(sinks::line(&words).into_owned());
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
