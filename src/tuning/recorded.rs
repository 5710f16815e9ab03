//! The recorded evaluator: a space file answers, and time is simulated from what was recorded.

use super::{Evaluator, Hints};
use crate::records::{Costs, Named, Outcome, RecordedSpace, Status};

/// The metric that every recorded space has.
pub const RATE: &str = "runs per second";

/// Asks a recorded space.
pub struct Recorded<'a> {
    space: &'a RecordedSpace,
}

impl<'a> Recorded<'a> {
    /// An evaluator over a space.
    #[must_use]
    pub fn new(space: &'a RecordedSpace) -> Self {
        Self { space }
    }

    fn outcome(&self, configuration: &Named) -> Outcome {
        self.space.get(configuration).map_or_else(
            || {
                Outcome::failed(
                    Status::Invalid,
                    "the recorded space does not hold this configuration",
                    Costs::default(),
                )
            },
            |trial| {
                let mut outcome = trial.outcome();
                if let Some(measurement) = &mut outcome.measurement {
                    let rate = 1.0 / measurement.seconds.median;
                    measurement.metrics.insert(RATE.to_owned(), rate);
                }
                outcome
            },
        )
    }
}

impl Evaluator for Recorded<'_> {
    fn evaluate(&mut self, _size: u64, configuration: &Named, _hints: Hints) -> Outcome {
        self.outcome(configuration)
    }

    fn prepare(&mut self, _size: u64, _configurations: &[Named]) -> f64 {
        0.0
    }

    fn measure_again(
        &mut self,
        _size: u64,
        configurations: &[Named],
        _hints: Hints,
    ) -> Vec<Outcome> {
        // There are no fresh samples of the past, and looking again costs nothing.
        let free =
            |configuration| Outcome { costs: Costs::default(), ..self.outcome(configuration) };
        configurations.iter().map(free).collect()
    }

    fn check_again(&mut self, _size: u64, configuration: &Named) -> Outcome {
        Outcome { costs: Costs::default(), ..self.outcome(configuration) }
    }
}
