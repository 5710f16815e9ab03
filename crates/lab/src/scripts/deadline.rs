//! A limit on the wall time of a script, over all its searches.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use search_api::Stop;

use super::faults::Over;

/// When all searches of a script must end, on all threads.
#[derive(Debug)]
pub struct Deadline {
    /// `None` if the limit is beyond the range of the clock.
    until: Option<Instant>,
    limit: Duration,
    stopped: AtomicBool,
}

impl Deadline {
    /// Starts a limit now. A search that is still running at its end fails.
    #[must_use]
    pub fn after(limit: Duration) -> Self {
        Self { until: Instant::now().checked_add(limit), limit, stopped: AtomicBool::new(false) }
    }

    /// Ends all searches now, like Ctrl-C, when the failure of one makes the rest pointless.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether a fault only says that the limit ended the search, so that the script is not to
    /// blame.
    #[must_use]
    pub fn is_told_in(&self, fault: &str) -> bool {
        fault.ends_with(&self.words())
    }

    fn words(&self) -> String {
        format!("took longer than {} s", self.limit.as_secs_f64())
    }

    /// Fails with the reason if a search must end.
    pub(super) fn check(&self) -> Result<(), Over> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Over::Stopped(Stop::Interrupted));
        }
        match self.until.is_some_and(|until| Instant::now() >= until) {
            true => Err(Over::Fault(self.words())),
            false => Ok(()),
        }
    }
}
