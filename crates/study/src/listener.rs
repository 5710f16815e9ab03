//! Listeners to the progress of a study.

use records::{Named, Trial};
use search_api::Spent;

use crate::tuning::TrialListener;

/// Is told of a study's progress, besides its trials.
pub trait StudyListener: TrialListener {
    /// The sizes that may follow, the current one first, and the seconds charged so far.
    fn sizes(&mut self, remaining: &[u64], charged: f64);
    /// A second look at a closed size begins, with the seconds charged so far.
    fn looks_again(&mut self, size: u64, charged: f64);
    /// Rounds over all sizes: how many were taken, in how many seconds, of at most `limit`.
    fn rounds(&mut self, taken: u64, seconds: f64, limit: f64) {
        let _ = (taken, seconds, limit);
    }
    /// Rounds go on beyond their time until enough found the machine's memory as fast as it can be, for at most `left` seconds.
    fn waits_for_memory(&mut self, left: f64) {
        let _ = left;
    }
    /// The best with full precision everywhere is searched at a size, to compare the winner with.
    fn full_precision(&mut self, size: u64) {
        let _ = size;
    }
    /// What a reader should know, in a line; nothing fails by it.
    fn note(&mut self, text: &str) {
        let _ = text;
    }
    /// Where the deciding detector sees the knee so far; `None` if it sees none.
    fn knee(&mut self, knee: Option<f64>) {
        let _ = knee;
    }
}

/// A listener that wants to know nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl TrialListener for Silent {
    fn begins(&mut self, _size: u64, _configuration: &Named, _spent: &Spent) {}
    fn ended(&mut self, _trial: &Trial) {}
}

impl StudyListener for Silent {
    fn sizes(&mut self, _remaining: &[u64], _charged: f64) {}
    fn looks_again(&mut self, _size: u64, _charged: f64) {}
}
