//! Ranking of outcomes: objectives, and the weight of errors.

use crate::{
    accuracy::Penalty,
    records::{Measurement, Outcome, Status},
    settings::{Objective, Sense},
};

/// How outcomes are ranked: objectives under an accuracy bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The first objective.
    pub objective: Objective,
    /// Further objectives; with any, a front is sought.
    pub further: Vec<Objective>,
    /// Largest error of a reported configuration.
    pub bound: f64,
    /// Whether the bound counts; not where the error is an objective of its own.
    pub bounded: bool,
    /// Weight of an error beyond the bound during the search.
    pub penalty: Penalty,
}

impl Ranking {
    /// All objectives, the first one first.
    pub fn objectives(&self) -> impl Iterator<Item = &Objective> {
        std::iter::once(&self.objective).chain(&self.further)
    }

    /// Whether there are several objectives.
    #[must_use]
    pub fn seeks_front(&self) -> bool {
        !self.further.is_empty()
    }

    /// Whether the objective depends on run time alone: less of it, or more of a rate.
    #[must_use]
    pub fn follows_time(&self) -> bool {
        let Objective { metric, sense } = &self.objective;
        !self.seeks_front() && (metric == "seconds" || *sense == Sense::Maximise)
    }

    /// Scores for a strategy, one per objective: lower is better; `None` for a failure.
    #[must_use]
    pub fn scores(&self, outcome: &Outcome) -> Option<Vec<f64>> {
        let measurement = measured(outcome)?;
        let error = measurement.error.filter(|_| self.bounded);
        let penalised = |cost: f64| match error {
            Some(error) => self.penalty.apply(cost, error, self.bound),
            None => Some(cost),
        };
        self.costs(measurement)?.into_iter().map(penalised).collect()
    }

    /// Costs of an outcome that may be reported, one per objective: measured, and within the bound.
    #[must_use]
    pub fn admissible(&self, outcome: &Outcome) -> Option<Vec<f64>> {
        let measurement = measured(outcome)?;
        let within = |error| !self.bounded || error <= self.bound;
        measurement.error.is_none_or(within).then(|| self.costs(measurement))?
    }

    /// The first of [`Ranking::admissible`], infinite if there is none.
    #[must_use]
    pub fn cost(&self, outcome: &Outcome) -> f64 {
        self.admissible(outcome).map_or(f64::INFINITY, |costs| costs[0])
    }

    /// Whether a measurement has a value of every objective.
    #[must_use]
    pub fn complete(&self, measurement: &Measurement) -> bool {
        self.costs(measurement).is_some()
    }

    fn costs(&self, measurement: &Measurement) -> Option<Vec<f64>> {
        self.objectives().map(|o| measurement.value(&o.metric).map(|value| o.cost(value))).collect()
    }
}

fn measured(outcome: &Outcome) -> Option<&Measurement> {
    outcome.measurement.as_ref().filter(|_| outcome.status == Status::Measured)
}
