//! The recorded evaluator: takes outcomes from a space file and charges recorded costs.

use exchange::{RecordedSpace, names_processor};
use records::{Costs, Measurement, Metric, Named, Outcome, RecordedTrial, Status};

use super::{Evaluator, Hints};

/// Metric that every recorded space has: the rate of its kernel.
pub const RATE: &str = "runs per second";
/// Metrics that every [`Measurement`] provides without stored values.
const MEASURED: [&str; 3] = ["seconds", "error", "digits"];

/// An evaluator over a recorded space.
pub struct Recorded<'a> {
    space: &'a RecordedSpace,
}

impl<'a> Recorded<'a> {
    /// Creates an evaluator over a space.
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
                    derive(measurement, trial);
                }
                outcome
            },
        )
    }
}

fn derive(measurement: &mut Measurement, trial: &RecordedTrial) {
    let rate = (RATE, Some(1.0 / measurement.seconds.median));
    let read = Metric::recorded().map(|(name, _, read)| (name, read(trial)));
    let derived = read.filter(|(name, _)| !MEASURED.contains(name)).chain([rate]);
    let known = derived.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    measurement.metrics.extend(known);
}

impl Evaluator for Recorded<'_> {
    fn evaluate(&mut self, _size: u64, configuration: &Named, _hints: &Hints) -> Outcome {
        self.outcome(configuration)
    }

    fn is_on_processor(&self) -> bool {
        names_processor(&self.space.device)
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
        // A recording has no fresh samples: the same outcome is returned, free of charge.
        let free =
            |configuration| Outcome { costs: Costs::default(), ..self.outcome(configuration) };
        configurations.iter().map(free).collect()
    }

    fn check_again(&mut self, _size: u64, configuration: &Named) -> Outcome {
        Outcome { costs: Costs::default(), ..self.outcome(configuration) }
    }
}
