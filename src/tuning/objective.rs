//! What is minimised or maximised, and how an inaccurate result is weighed.

use autobench_sdk::document::Better;
use serde::{Deserialize, Serialize};

use crate::{
    accuracy::Penalty,
    records::{Measurement, Outcome, Status},
};

/// The metric a search improves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// `seconds`, or the name of a metric.
    pub metric: String,
    /// The better direction.
    pub better: Better,
}

impl Objective {
    /// The objective's value in a measurement.
    #[must_use]
    pub fn value(&self, measurement: &Measurement) -> Option<f64> {
        let value = match self.metric.as_str() {
            "seconds" => Some(measurement.seconds.median),
            "error" => measurement.error,
            name => measurement.metrics.get(name).copied(),
        };
        value.filter(|v| v.is_finite())
    }

    /// A value as a cost: positive for positive values, lower is better.
    #[must_use]
    pub fn cost(&self, value: f64) -> f64 {
        match self.better {
            Better::Lower => value,
            Better::Higher if value > 0.0 => 1.0 / value,
            Better::Higher => 1e150 * (1.0 - value),
        }
    }
}

/// How outcomes are ranked: an objective under an accuracy bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What is improved.
    pub objective: Objective,
    /// The largest error a reported configuration may have.
    pub bound: f64,
    /// How an error beyond the bound weighs during the search.
    pub penalty: Penalty,
}

impl Ranking {
    /// The score a strategy sees: lower is better, none for a failure.
    #[must_use]
    pub fn score(&self, outcome: &Outcome) -> Option<f64> {
        if outcome.status != Status::Measured {
            return None;
        }
        let measurement = outcome.measurement.as_ref()?;
        let cost = self.objective.cost(self.objective.value(measurement)?);
        match measurement.error {
            Some(error) => self.penalty.apply(cost, error, self.bound),
            None => Some(cost),
        }
    }

    /// The objective's cost of an outcome that may be reported: measured, and within the bound.
    #[must_use]
    pub fn admissible(&self, outcome: &Outcome) -> Option<f64> {
        let measurement = outcome.measurement.as_ref()?;
        let within = measurement.error.is_none_or(|error| error <= self.bound);
        (outcome.status == Status::Measured && within)
            .then(|| self.objective.value(measurement).map(|v| self.objective.cost(v)))?
    }
}
