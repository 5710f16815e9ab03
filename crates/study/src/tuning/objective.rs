//! Ranking of outcomes: objectives, bounds, and what it costs to be beyond them.

use records::{
    LOGARITHM, Measurement, Metric, Outcome, Status,
    settings::{Bound, Bounds, Objective, Sense},
};
use space::accuracy::Penalty;

/// How outcomes are ranked: objectives under bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The first objective.
    pub objective: Objective,
    /// Further objectives; with any, a front is sought.
    pub further: Vec<Objective>,
    /// What a reported configuration keeps to.
    pub bounds: Bounds,
    /// What it costs a search to be beyond them.
    pub penalty: Penalty,
    /// Errors that are taken by these names, besides those that every benchmark can have.
    pub errors: Vec<String>,
}

/// What costs are compared with.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    /// Factor of costs that follow run time: the pace of the machine.
    pub pace: f64,
    /// Costs of the first configuration of the search that was measured.
    pub first: Option<&'a [f64]>,
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
        // Declared metrics of which more is better are no rates, nor are errors and logarithms.
        let is_rate = *sense == Sense::Maximise
            && Metric::named(metric).is_none()
            && !metric.starts_with(LOGARITHM)
            && !Bound::on(metric).is_on_error(&self.errors);
        !self.seeks_front() && (metric == "seconds" || is_rate)
    }

    /// Scores for a strategy, one per objective: lower is better; `None` for a failure.
    #[must_use]
    pub fn scores(&self, outcome: &Outcome, scale: Scale<'_>) -> Option<Vec<f64>> {
        let measurement = measured(outcome)?;
        let excess = self.bounds.excess(|metric| measurement.value(metric))?;
        let pace = if self.follows_time() { scale.pace } else { 1.0 };
        let costs: Vec<f64> = self.costs(measurement)?.iter().map(|cost| cost * pace).collect();
        let first = scale.first.unwrap_or(&costs);
        costs
            .iter()
            .zip(first)
            .map(|(cost, first)| self.penalty.apply(*cost, excess, *first))
            .collect()
    }

    /// Costs of a measured outcome, one per objective, whatever the bounds.
    #[must_use]
    pub fn unbounded(&self, outcome: &Outcome) -> Option<Vec<f64>> {
        self.costs(measured(outcome)?)
    }

    /// Costs of an outcome that may be reported, one per objective: measured, and within bounds.
    #[must_use]
    pub fn admissible(&self, outcome: &Outcome) -> Option<Vec<f64>> {
        let measurement = measured(outcome)?;
        let holds = self.bounds.hold(|metric| measurement.value(metric));
        holds.then(|| self.costs(measurement))?
    }

    /// Whether a check on fresh inputs was passed: it takes one sample, which says what the errors
    /// are and not how long a run takes.
    #[must_use]
    pub fn is_right(&self, outcome: &Outcome) -> bool {
        let of_errors = self.bounds.on_errors(&self.errors);
        measured(outcome).is_some_and(|m| of_errors.hold(|metric| m.value(metric)))
    }

    /// The first of [`Ranking::admissible`], infinite if there is none.
    #[must_use]
    pub fn cost(&self, outcome: &Outcome) -> f64 {
        self.admissible(outcome).map_or(f64::INFINITY, |costs| costs[0])
    }

    /// Whether a measurement has a value of every objective and of everything bounded.
    #[must_use]
    pub fn complete(&self, measurement: &Measurement) -> bool {
        self.bounds.excess(|metric| measurement.value(metric)).is_some()
            && self.costs(measurement).is_some()
    }

    fn costs(&self, measurement: &Measurement) -> Option<Vec<f64>> {
        self.objectives().map(|o| measurement.value(&o.metric).map(|value| o.cost(value))).collect()
    }
}

fn measured(outcome: &Outcome) -> Option<&Measurement> {
    outcome.measurement.as_ref().filter(|_| outcome.status == Status::Measured)
}
