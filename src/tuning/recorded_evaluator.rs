//! The recorded evaluator: outcomes from a space file, with recorded costs instead of time.

use super::{Evaluator, Hints};
use crate::records::{Costs, Measurement, Named, Outcome, RecordedSpace, Status};

/// Metric of every recorded space: the rate of its kernel.
pub const RATE: &str = "runs per second";
/// Metric of every recorded space: seconds of compiling.
pub const COMPILE_SECONDS: &str = "compile_seconds";
/// Metric of recorded spaces: the run times' standard deviation over their mean.
pub const NOISE: &str = "noise";

/// An evaluator over a recorded space.
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
                let compile = outcome.costs.compile;
                if let Some(measurement) = &mut outcome.measurement {
                    derive(measurement, compile);
                }
                outcome
            },
        )
    }
}

/// Adds the metrics; one sample has no noise.
fn derive(measurement: &mut Measurement, compile: f64) {
    let seconds = &measurement.seconds;
    let noise = (seconds.count > 1).then(|| seconds.deviation / seconds.mean);
    let derived =
        [(RATE, Some(1.0 / seconds.median)), (COMPILE_SECONDS, Some(compile)), (NOISE, noise)];
    let known = derived.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    measurement.metrics.extend(known);
}

impl Evaluator for Recorded<'_> {
    fn evaluate(&mut self, _size: u64, configuration: &Named, _hints: &Hints) -> Outcome {
        self.outcome(configuration)
    }

    fn prepare(&mut self, _size: u64, _configurations: &[Named]) -> f64 {
        0.0
    }

    fn measure_again(
        &mut self,
        _size: u64,
        configurations: &[Named],
        _hints: &Hints,
    ) -> Vec<Outcome> {
        // The past has no fresh samples, and looking again costs nothing.
        let free =
            |configuration| Outcome { costs: Costs::default(), ..self.outcome(configuration) };
        configurations.iter().map(free).collect()
    }

    fn check_again(&mut self, _size: u64, configuration: &Named) -> Outcome {
        Outcome { costs: Costs::default(), ..self.outcome(configuration) }
    }
}
