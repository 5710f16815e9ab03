//! A limit on what a script may take by the clock on the wall, in all of its searches together.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use search_api::Stop;

use super::faults::Over;

/// When all searches of a script end, wherever they are, on whatever thread.
#[derive(Debug)]
pub struct Deadline {
    /// `None` is beyond all clocks.
    until: Option<Instant>,
    limit: Duration,
    stopped: AtomicBool,
}

impl Deadline {
    /// From now on, so much time. A search that is still going on then ends with a fault.
    #[must_use]
    pub fn after(limit: Duration) -> Self {
        Self { until: Instant::now().checked_add(limit), limit, stopped: AtomicBool::new(false) }
    }

    /// Ends all searches now, as Ctrl-C would: for when one of them made the others useless.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether a fault is that of a search which was still going on, and none of the script's own.
    #[must_use]
    pub fn is_told_in(&self, fault: &str) -> bool {
        fault.ends_with(&self.words())
    }

    fn words(&self) -> String {
        format!("took longer than {} s", self.limit.as_secs_f64())
    }

    /// Why a search may not go on.
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
