//! One problem size of a study: its search and its results.

use crate::{Figure, Purpose, SizeClosed, SizeOpened, Status, Trial};

/// Numbers of trials of a size, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrialCounts {
    /// Trials proposed by the strategy.
    pub search: u64,
    /// Trials made when the size closed, to measure again or to check on fresh inputs.
    pub finals: u64,
    /// Trials of the search that ran, were right, and were timed.
    pub measured: u64,
    /// Trials of the search that the device or a restriction does not allow.
    pub invalid: u64,
    /// Trials of the search that the compiler refused.
    pub compile_failed: u64,
    /// Trials of the search whose launch or run failed.
    pub run_failed: u64,
    /// Trials of the search that were wrong beyond the bound.
    pub wrong_result: u64,
    /// Trials of the search that did not end in time.
    pub timed_out: u64,
    /// Trials of the search that crashed their process.
    pub crashed: u64,
}

impl TrialCounts {
    pub(crate) fn add(&mut self, trial: &Trial) {
        if trial.phase != crate::Phase::Search {
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
    /// Size.
    pub size: u64,
    /// The event that opened the size.
    pub opened: Option<SizeOpened>,
    /// Numbers of trials.
    pub counts: TrialCounts,
    /// The event that closed the size; `None` while it is open.
    pub closed: Option<SizeClosed>,
}

impl SizePoint {
    /// Results of the best configuration.
    #[must_use]
    pub fn best(&self) -> Option<&Figure> {
        self.closed.as_ref()?.best.as_ref()
    }

    /// Results of the default configuration.
    #[must_use]
    pub fn default(&self) -> Option<&Figure> {
        self.closed.as_ref()?.default.as_ref()
    }

    /// Speed-up of the best over the default.
    #[must_use]
    pub fn gain(&self) -> Option<f64> {
        self.closed.as_ref()?.gain
    }

    /// Why the size is measured.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.opened.as_ref().map_or(Purpose::Growth, |o| o.purpose)
    }
}
