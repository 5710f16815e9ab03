//! Ranking of outcomes by objectives, bounds and penalties.

use records::{
    LOGARITHM, Measurement, Metric, Outcome, Status,
    settings::{Bound, Bounds, Objective, Sense},
};
use space::accuracy::Penalty;

/// How outcomes are ranked: objectives under bounds; by default, the fastest is the best.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranking {
    /// The first objective.
    pub objective: Objective,
    /// Further objectives. If there are any, the search is for a front.
    pub further: Vec<Objective>,
    /// Bounds that a reported configuration satisfies.
    pub bounds: Bounds,
    /// How the score of a configuration outside the bounds is raised in a search.
    pub penalty: Penalty,
    /// Names of the benchmark's own error metrics, in addition to those of every benchmark.
    pub errors: Vec<String>,
    /// Metrics that every measured configuration needs, and that are observed over a span of time
    /// in which it is sampled alone.
    pub observed: Vec<String>,
}

/// Reference values for costs.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    /// Factor that corrects run times for the machine speed.
    pub pace: f64,
    /// Costs of the first configuration that the search measured.
    pub first: Option<&'a [f64]>,
}

impl Ranking {
    /// Returns all objectives, the first one first.
    pub fn objectives(&self) -> impl Iterator<Item = &Objective> {
        std::iter::once(&self.objective).chain(&self.further)
    }

    /// Whether there are several objectives.
    #[must_use]
    pub fn seeks_front(&self) -> bool {
        !self.further.is_empty()
    }

    /// Whether the only objective is run time, or a rate (work per run time).
    #[must_use]
    pub fn follows_time(&self) -> bool {
        let Objective { metric, sense } = &self.objective;
        // A maximised metric is a rate unless it is a built-in metric, an error or a logarithm.
        let is_rate = *sense == Sense::Maximise
            && Metric::named(metric).is_none()
            && !metric.starts_with(LOGARITHM)
            && !Bound::on(metric).is_on_error(&self.errors);
        !self.seeks_front() && (metric == "seconds" || is_rate)
    }

    /// Whether run time decides the winner. With several objectives, the first one does.
    #[must_use]
    pub fn is_by_time(&self) -> bool {
        self.follows_time() || self.objective.metric == "seconds"
    }

    /// Returns the scores for a strategy, one per objective; lower is better. `None` for a failure.
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

    /// Returns the costs of a measured outcome, one per objective, without regard to bounds.
    #[must_use]
    pub fn unbounded(&self, outcome: &Outcome) -> Option<Vec<f64>> {
        self.costs(measured(outcome)?)
    }

    /// Returns the costs of an outcome that is measured and within bounds, one per objective.
    #[must_use]
    pub fn admissible(&self, outcome: &Outcome) -> Option<Vec<f64>> {
        let measurement = measured(outcome)?;
        let holds = self.bounds.hold(|metric| measurement.value(metric));
        holds.then(|| self.costs(measurement))?
    }

    /// Whether a check on fresh inputs was passed. Only bounds on errors are tested, because the
    /// check takes a single sample, which gives no reliable run time.
    #[must_use]
    pub fn is_right(&self, outcome: &Outcome) -> bool {
        let of_errors = self.bounds.on_errors(&self.errors);
        measured(outcome).is_some_and(|m| of_errors.hold(|metric| m.value(metric)))
    }

    /// Returns the first cost of [`Ranking::admissible`], or infinity if there is none.
    #[must_use]
    pub fn cost(&self, outcome: &Outcome) -> f64 {
        self.admissible(outcome).map_or(f64::INFINITY, |costs| costs[0])
    }

    /// Whether a measurement has all metrics that are observed over a span of time.
    #[must_use]
    pub fn is_observed(&self, measurement: &Measurement) -> bool {
        self.observed.iter().all(|metric| measurement.metrics.contains_key(metric))
    }

    fn costs(&self, measurement: &Measurement) -> Option<Vec<f64>> {
        self.objectives().map(|o| measurement.value(&o.metric).map(|value| o.cost(value))).collect()
    }
}

fn measured(outcome: &Outcome) -> Option<&Measurement> {
    outcome.measurement.as_ref().filter(|_| outcome.status == Status::Measured)
}
