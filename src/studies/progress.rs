//! Progress of a study: size, best so far, knee so far, time left. A bar on a terminal; elsewhere,
//! a line every 20 seconds.

use std::{
    cell::Cell,
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use records::{Named, Trial, settings::Goal, sinks};
use report::exporters::quantities::{grouped, rough_time};
use search_api::Spent;
use study::{BegunStudy, StudyListener, tuning::TrialListener};

use super::so_far::{Clock, SoFar};
use crate::terminal::{Screen, output};

/// Interval between lines if standard error is not a terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(20);

/// Length of the bar in steps.
const STEPS: f64 = 1000.0;

/// A study's position among several.
#[derive(Debug, Clone)]
pub(crate) struct Among {
    /// The position in words: `study 3 of 12, gemm size=512`.
    pub(crate) place: String,
    /// Upper limit in seconds of the studies after this one, if they have limits.
    pub(crate) behind: Option<f64>,
}

/// The progress bar of a study.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// When the last line was printed; `None` on a terminal.
    told: Option<Cell<Instant>>,
    /// Text in front of every message.
    before: String,
    /// Upper limit in seconds of the studies after this one; `None` without later studies or
    /// limits.
    behind: Option<f64>,
    goal: Goal,
    so_far: SoFar,
    clock: Clock,
    /// Whether the current trial is being measured. Trials read from the journal are not charged
    /// again.
    is_new: bool,
}

impl Bar {
    /// Creates the bar of a study. A finished study measures nothing.
    pub(crate) fn new(screen: Screen, begun: &BegunStudy, among: Option<&Among>) -> Self {
        let (plan, record, folder) = (&begun.study.plan, &begun.study.record, begun.folder.path());
        let before = among.map(|among| format!("{}: ", among.place)).unwrap_or_default();
        let silent = screen.quiet || screen.json;
        let told = !silent && !io::stderr().is_terminal();
        let told = told.then(|| Cell::new(Instant::now()));
        let bar = if silent {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
        } else {
            output::note(&match begun.is_finished() {
                true => format!("{before}{} is finished: its answer stays", folder.display()),
                false => format!("{before}writing to {}", folder.display()),
            });
            ProgressBar::new(STEPS as u64)
        };
        let style = ProgressStyle::with_template("{spinner} {bar:20} {elapsed} {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            told,
            before,
            behind: among.and_then(|among| among.behind),
            goal: plan.settings.goal,
            so_far: SoFar::new(plan.ranking.clone(), record.benchmark.clone()),
            clock: Clock::new(plan.settings.budget.seconds.unwrap_or(f64::INFINITY)),
            is_new: false,
        }
    }

    /// Shows a message. `more` is left out of printed lines.
    fn say(&self, message: &str, more: &str) {
        if let Some(told) = self.told.as_ref().filter(|told| told.get().elapsed() > NOW_AND_THEN) {
            told.set(Instant::now());
            let after = rough_time(self.clock.elapsed());
            output::note(&format!("{}after {after}: {message}", self.before));
        }
        let words = format!("{}{message}{more}", self.before);
        self.bar.set_message(sinks::line(&words).into_owned());
    }

    /// Moves the bar forwards, never backwards.
    fn advance(&self, share: f64) {
        let at = (share * STEPS).clamp(0.0, STEPS) as u64;
        self.bar.set_position(at.max(self.bar.position()));
    }

    /// The time left for this study and for all studies.
    fn left(&self, search: Option<f64>) -> String {
        let most = self.clock.left();
        let mut words = match search.filter(|search| *search < most) {
            Some(search) => format!(", search ends in about {}", rough_time(search)),
            None if most.is_finite() => format!(", at most {} left", rough_time(most)),
            None => String::new(),
        };
        if let Some(behind) = self.behind.filter(|behind| *behind > 0.0 && most.is_finite()) {
            words += &format!(", {} with those behind it", rough_time(most + behind));
        }
        words
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl TrialListener for Bar {
    fn begins(&mut self, size: u64, configuration: &Named, spent: &Spent) {
        self.is_new = true;
        if size != self.so_far.size {
            self.so_far.begin(size);
        }
        // With several sizes, the number of remaining evaluations is unknown.
        let search = (self.goal == Goal::Tune).then(|| self.so_far.search_left(spent)).flatten();
        let words = self.so_far.search(spent) + &self.left(search) + &self.so_far.knee();
        self.say(&words, &format!(": {configuration}"));
        if let (Goal::Tune, Some(limit)) = (self.goal, spent.limit) {
            self.advance((spent.evaluations as f64 / limit as f64).max(self.clock.share()));
        }
    }

    fn ended(&mut self, trial: &Trial) {
        let is_new = std::mem::take(&mut self.is_new);
        if is_new {
            self.clock.charge(trial.outcome.costs.total());
        }
        self.so_far.tried(trial, is_new);
        if self.goal == Goal::Saturate {
            self.advance(self.clock.share());
        }
    }
}

impl StudyListener for Bar {
    fn finals(&mut self, size: u64, charged: f64) {
        self.clock.set(charged);
        let words = format!("finals of size {}", grouped(size));
        self.say(&(words + &self.left(None) + &self.so_far.knee()), "");
        self.advance(self.clock.share());
    }

    fn rounds(&mut self, taken: u64, seconds: f64, limit: f64) {
        let left = (limit - seconds).max(0.0);
        self.clock.set_left(left);
        let what = match self.goal {
            Goal::Saturate => "rounds over all sizes",
            Goal::Tune => "rounds of the best and what may be as fast",
        };
        let words = format!("{what}: {taken} taken");
        let time = match self.clock.left() {
            most if most.is_finite() => self.left(None),
            _ => format!(", at most {} left", rough_time(left)),
        };
        self.say(&(words + &time + &self.so_far.knee()), "");
        let share = if limit > 0.0 { (seconds / limit).clamp(0.0, 1.0) } else { 1.0 };
        self.advance(self.clock.share().max(0.5 + share / 2.0));
    }

    fn sizes(&mut self, remaining: &[u64], charged: f64) {
        self.clock.set(charged);
        self.so_far.begin(remaining.first().copied().unwrap_or_default());
        let words = format!("size {}", grouped(self.so_far.size));
        self.say(&(words + &self.left(None) + &self.so_far.knee()), "");
    }

    fn full_precision(&mut self, size: u64) {
        self.so_far.begin(size);
        self.so_far.phase = "with full precision everywhere, ";
    }

    fn note(&mut self, text: &str) {
        self.bar.suspend(|| output::note(text));
    }

    fn knee(&mut self, knee: Option<f64>) {
        self.so_far.located(knee);
    }
}
