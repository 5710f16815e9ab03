//! One problem size of a study: how its search went and what it reports.

use crate::records::{Figure, Purpose, SizeClosed, SizeOpened, Status, Trial};

/// How the trials of a size ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Trials proposed by the strategy.
    pub search: u64,
    /// Trials made when the size closed: measured again, checked on fresh inputs.
    pub finals: u64,
    /// It ran, was right, and was timed (of the search, as all below).
    pub measured: u64,
    /// Not allowed by the device or a restriction.
    pub invalid: u64,
    /// Refused by the compiler.
    pub compile_failed: u64,
    /// The launch or the run failed.
    pub run_failed: u64,
    /// Wrong beyond the bound.
    pub wrong_result: u64,
    /// Did not end in time.
    pub timed_out: u64,
    /// Took its process with it.
    pub crashed: u64,
}

impl Counts {
    pub(in crate::records) fn add(&mut self, trial: &Trial) {
        if trial.phase != crate::records::Phase::Search {
            self.finals += 1;
            return;
        }
        self.search += 1;
        *match trial.outcome.status {
            Status::Measured => &mut self.measured,
            Status::Invalid => &mut self.invalid,
            Status::CompileFailed => &mut self.compile_failed,
            Status::RunFailed => &mut self.run_failed,
            Status::WrongResult => &mut self.wrong_result,
            Status::TimedOut => &mut self.timed_out,
            Status::Crashed => &mut self.crashed,
        } += 1;
    }

    /// Trials of the search that did not end in a measurement.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.search - self.measured
    }
}

/// One problem size of a study.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SizePoint {
    /// The size.
    pub size: u64,
    /// How it was opened.
    pub opened: Option<SizeOpened>,
    /// How its trials ended.
    pub counts: Counts,
    /// How it closed; missing while it is open.
    pub closed: Option<SizeClosed>,
}

impl SizePoint {
    /// The figure of its best configuration.
    #[must_use]
    pub fn best(&self) -> Option<&Figure> {
        self.closed.as_ref()?.best.as_ref()
    }

    /// The figure of its default configuration.
    #[must_use]
    pub fn default(&self) -> Option<&Figure> {
        self.closed.as_ref()?.default.as_ref()
    }

    /// How many times faster the best is than the default.
    #[must_use]
    pub fn gain(&self) -> Option<f64> {
        self.closed.as_ref()?.gain
    }

    /// Why it is measured.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.opened.as_ref().map_or(Purpose::Growth, |o| o.purpose)
    }
}
