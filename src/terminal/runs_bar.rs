//! Progress of counted runs: how many are finished, and an estimate of the time left.

use std::time::Instant;

use report::exporters::quantities::rough_time;

use super::ProgressLine;

/// The progress bar of a number of runs.
pub struct RunsBar {
    line: ProgressLine,
    /// Text in front of the counts.
    before: String,
    begun: Instant,
}

impl RunsBar {
    /// Creates a bar of `runs` runs; `silent` shows nothing.
    pub fn new(before: &str, runs: u64, silent: bool) -> Self {
        let line = ProgressLine::new(runs, silent);
        Self { line, before: before.to_owned(), begun: Instant::now() }
    }

    /// Counts one more finished run. Several threads may call this at the same time.
    pub fn done(&self) {
        let (done, all) = self.line.step();
        self.line.tell(words(&self.before, done, all, self.begun.elapsed().as_secs_f64()));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.line.finish();
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
