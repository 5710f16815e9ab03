//! Progress of runs that are counted: how many are done, and about how long the others take.

use std::{
    io::{self, IsTerminal as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::exporters::quantities::rough_time;

/// How often a line is told where there is no terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(20);

/// A bar on a terminal, and a line now and then where there is none.
pub(in crate::cli) struct RunsBar {
    bar: ProgressBar,
    /// What stands before the counts.
    before: String,
    begun: Instant,
    /// When the last line was told, where there is no terminal.
    told: Option<Mutex<Instant>>,
}

impl RunsBar {
    /// A bar of so many runs; `silent` shows nothing.
    pub(in crate::cli) fn new(before: &str, runs: u64, silent: bool) -> Self {
        let bar = match silent {
            true => ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            false => ProgressBar::new(runs),
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {elapsed} {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_length(runs);
        let told = !silent && !io::stderr().is_terminal();
        let begun = Instant::now();
        Self { bar, before: before.to_owned(), begun, told: told.then(|| Mutex::new(begun)) }
    }

    /// Another run is done; threads may say so at the same time.
    pub(in crate::cli) fn done(&self) {
        self.bar.inc(1);
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let words = words(&self.before, done, all, self.begun.elapsed().as_secs_f64());
        if let Some(told) = &self.told {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.elapsed() > NOW_AND_THEN {
                *told = Instant::now();
                output::note(&words);
            }
        }
        self.bar.set_message(words);
    }

    pub(in crate::cli) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn words(before: &str, done: u64, all: u64, elapsed: f64) -> String {
    let left = elapsed / done.max(1) as f64 * all.saturating_sub(done) as f64;
    format!("{before}{done} of {all} runs, about {} left", rough_time(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_the_runs_so_far() {
        assert_eq!(words("", 10, 40, 20.0), "10 of 40 runs, about 60 s left");
        assert_eq!(words("study 2: ", 40, 40, 20.0), "study 2: 40 of 40 runs, about 0 s left");
    }
}
