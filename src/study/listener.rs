//! Who is told how a study goes.

use crate::tuning::TrialListener;

/// Who is told how a study goes, besides its trials.
pub trait StudyListener: TrialListener {
    /// The sizes that may follow, the current one first, and the seconds charged so far.
    fn sizes(&mut self, remaining: &[u64], charged: f64);
    /// A closed size is looked at again.
    fn looks_again(&mut self, size: u64);
    /// All sizes are measured in rounds: how many were taken, and in how many seconds of those that
    /// they may take.
    fn rounds(&mut self, taken: u64, seconds: f64, limit: f64) {
        let _ = (taken, seconds, limit);
    }
}
