//! Listeners to the progress of a study.

use crate::tuning::TrialListener;

/// Is told of a study's progress, besides its trials.
pub trait StudyListener: TrialListener {
    /// The sizes that may follow, the current one first, and the seconds charged so far.
    fn sizes(&mut self, remaining: &[u64], charged: f64);
    /// A second look at a closed size begins.
    fn looks_again(&mut self, size: u64);
    /// Rounds over all sizes: how many were taken, in how many seconds, of at most `limit`.
    fn rounds(&mut self, taken: u64, seconds: f64, limit: f64) {
        let _ = (taken, seconds, limit);
    }
}
