//! Listeners to the progress of a study.

use records::{Named, Trial};
use search_api::Spent;

use crate::tuning::TrialListener;

/// Receives the progress of a study, in addition to that of its trials.
pub trait StudyListener: TrialListener {
    /// The sizes that may follow, the current one first, and the seconds charged so far.
    fn sizes(&mut self, remaining: &[u64], charged: f64);
    /// The finals of a size begin; so many seconds were charged so far.
    fn finals(&mut self, size: u64, charged: f64);
    /// Rounds over all sizes: `taken` rounds in `seconds`, of at most `limit` seconds.
    fn rounds(&mut self, taken: u64, seconds: f64, limit: f64) {
        let _ = (taken, seconds, limit);
    }
    /// The search for the best full-precision configuration begins; the winner is compared with it.
    fn full_precision(&mut self, size: u64) {
        let _ = size;
    }
    /// A note for the user, in one line. It reports no failure.
    fn note(&mut self, text: &str) {
        let _ = text;
    }
    /// The deciding detector's knee so far; `None` if there is none.
    fn knee(&mut self, knee: Option<f64>) {
        let _ = knee;
    }
}

/// A listener that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl TrialListener for Silent {
    fn begins(&mut self, _size: u64, _configuration: &Named, _spent: &Spent) {}
    fn ended(&mut self, _trial: &Trial) {}
}

impl StudyListener for Silent {
    fn sizes(&mut self, _remaining: &[u64], _charged: f64) {}
    fn finals(&mut self, _size: u64, _charged: f64) {}
}
