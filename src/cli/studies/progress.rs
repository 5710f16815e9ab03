//! Progress of a study: size, configuration, best so far, time left. A bar on a terminal, and a line
//! now and then where there is none.

use std::{
    cell::Cell,
    io::{self, IsTerminal as _},
    path::Path,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    cli::terminal::{Screen, output},
    exporters::quantities::seconds,
    records::{Named, Status, Trial},
    strategies::Spent,
    study::{Plan, StudyListener},
    tuning::TrialListener,
};

/// How often a line is told where there is no terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(20);

/// Progress of a study.
pub(in crate::cli) struct Bar {
    bar: ProgressBar,
    /// When the last line was told, where there is no terminal.
    told: Option<Cell<Instant>>,
    /// What every message begins with.
    before: String,
    total: f64,
    spent: f64,
    size: u64,
    best_seconds: Option<f64>,
    failures: usize,
}

impl Bar {
    pub(in crate::cli) fn new(
        screen: Screen,
        plan: &Plan,
        folder: &Path,
        among: Option<&str>,
    ) -> Self {
        let before = among.map(|among| format!("{among}: ")).unwrap_or_default();
        let silent = screen.quiet || screen.json;
        let told = !silent && !io::stderr().is_terminal();
        let told = told.then(|| Cell::new(Instant::now()));
        let bar = if silent {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
        } else {
            output::note(&format!("{before}writing to {}", folder.display()));
            ProgressBar::new(1000)
        };
        let style = ProgressStyle::with_template("{spinner} {bar:20} {elapsed} {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let total = plan.settings.budget.seconds.unwrap_or(f64::INFINITY);
        Self { bar, told, before, total, spent: 0.0, size: 0, best_seconds: None, failures: 0 }
    }

    fn say(&self, message: &str) {
        if let Some(told) = self.told.as_ref().filter(|told| told.get().elapsed() > NOW_AND_THEN) {
            told.set(Instant::now());
            output::note(&format!("{}{message}", self.before));
        }
        self.bar.set_message(format!("{}{message}", self.before));
    }

    pub(in crate::cli) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl TrialListener for Bar {
    fn begins(&mut self, size: u64, configuration: &Named, spent: &Spent) {
        let best = self.best_seconds.map(|s| format!(", best {}", seconds(s))).unwrap_or_default();
        let limit = spent.limit.map(|n| format!("/{n}")).unwrap_or_default();
        let left = (self.total - self.spent).max(0.0);
        let left =
            if left.is_finite() { format!(", at most {left:.0} s left") } else { String::new() };
        let failures = match self.failures {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        self.say(&format!(
            "size {size}: {}{limit} {configuration}{best}{failures}{left}",
            spent.evaluations + 1
        ));
    }

    fn ended(&mut self, trial: &Trial) {
        self.spent += trial.outcome.costs.total();
        if trial.outcome.status != Status::Measured {
            self.failures += 1;
        }
        if let Some(measurement) = &trial.outcome.measurement {
            let time = measurement.seconds.median;
            self.best_seconds = Some(self.best_seconds.map_or(time, |best| best.min(time)));
        }
        let share = if self.total.is_finite() { self.spent / self.total } else { 0.0 };
        self.bar.set_position((share * 1000.0).clamp(0.0, 1000.0) as u64);
    }
}

impl StudyListener for Bar {
    fn looks_again(&mut self, size: u64) {
        self.say(&format!("size {size} is looked at again"));
    }

    fn rounds(&mut self, taken: u64, seconds: f64, limit: f64) {
        self.say(&format!(
            "all sizes in rounds: {taken} taken, {:.0} of at most {limit:.0} s",
            seconds.max(0.0)
        ));
        if self.total.is_finite() && limit > 0.0 {
            let share = (seconds / limit).clamp(0.0, 1.0);
            self.bar.set_position(1000 - (500.0 * (1.0 - share)) as u64);
        }
    }

    fn sizes(&mut self, remaining: &[u64], charged: f64) {
        self.spent = charged;
        self.size = remaining.first().copied().unwrap_or_default();
        self.best_seconds = None;
        self.say(&format!("size {}", self.size));
    }
}
