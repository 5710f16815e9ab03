//! A recorded space made ready to be searched thousands of times.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, OnceLock},
};

use exchange::{RecordedSpace, names_processor};
use records::settings::{Objective, Sense};
use search_api::Memory;
use study::{
    prior::{Cell, ScoredSpace},
    tuning::Ranking,
};

use super::{Baseline, BaselineRow};

/// A space with the answer of every configuration, and the baseline of random search.
#[derive(Debug, Clone)]
pub struct Landscape {
    scored: ScoredSpace,
    /// The prior for searches of this space; empty unless it is set.
    pub memory: Arc<Memory>,
    /// Calculated on demand, since a single run does not need it.
    baseline: OnceLock<Baseline>,
}

impl Deref for Landscape {
    type Target = ScoredSpace;

    fn deref(&self) -> &ScoredSpace {
        &self.scored
    }
}

impl DerefMut for Landscape {
    fn deref_mut(&mut self) -> &mut ScoredSpace {
        &mut self.scored
    }
}

impl From<ScoredSpace> for Landscape {
    fn from(scored: ScoredSpace) -> Self {
        Self { scored, memory: Arc::default(), baseline: OnceLock::new() }
    }
}

impl Landscape {
    /// Whether the objective is nothing but the run time on a GPU.
    #[must_use]
    pub fn times_gpu_blocks(&self) -> bool {
        self.objective == Objective::default() && !names_processor(&self.origin.device)
    }

    /// Takes a recorded space.
    ///
    /// # Errors
    /// If its parameters are faulty, or no configuration of it was measured.
    pub fn new(name: &str, recorded: &RecordedSpace) -> Result<Self, String> {
        ScoredSpace::new(name, recorded).map(Self::from)
    }

    /// Takes a recorded space whose configurations are ranked by an objective, within bounds.
    ///
    /// # Errors
    /// If its parameters are faulty, or no configuration has the objective and keeps to the bounds.
    pub fn under(name: &str, recorded: &RecordedSpace, ranking: &Ranking) -> Result<Self, String> {
        ScoredSpace::under(name, recorded, ranking).map(Self::from)
    }

    /// How much of the optimum a cost reaches: the optimum divided by the cost, 0 for an infinite
    /// cost. Costs that can be zero or less, such as logarithms, have no ratios. For these it is
    /// the share of the way from the worst configuration within the bounds to the best.
    #[must_use]
    pub fn share(&self, cost: f64) -> f64 {
        if cost.is_infinite() {
            return 0.0;
        }
        if self.optimum() > 0.0 {
            return self.optimum() / cost;
        }
        let worst = self.worst();
        if worst > self.optimum() { (worst - cost) / (worst - self.optimum()) } else { 1.0 }
    }

    /// Share of the configurations that did not fail which are within the bounds.
    #[must_use]
    pub fn share_within_bounds(&self) -> f64 {
        let measured = self.cells.iter().filter(|cell| cell.cost.is_some()).count();
        let within = self.cells.iter().filter(|cell| cell.value.is_some()).count();
        within as f64 / measured as f64
    }

    /// Worst cost within the bounds.
    #[must_use]
    pub fn worst(&self) -> f64 {
        let sorted = &self.baseline().sorted;
        sorted[sorted.len() - 1]
    }

    /// A cost as the objective's value, in the unit of [`Landscape::unit`].
    #[must_use]
    pub fn shown(&self, cost: f64) -> f64 {
        match self.objective.sense {
            Sense::Minimise if self.shows_milliseconds() => cost * 1e3,
            Sense::Minimise => cost,
            Sense::Maximise => 1.0 / cost,
        }
    }

    /// Unit of shown values: `ms`, or the metric.
    #[must_use]
    pub fn unit(&self) -> &str {
        if self.shows_milliseconds() { "ms" } else { &self.objective.metric }
    }

    fn shows_milliseconds(&self) -> bool {
        self.objective.metric == "seconds"
    }

    /// Baseline: what random search would reach.
    ///
    /// # Panics
    /// Never: some configuration has a value.
    #[must_use]
    pub fn baseline(&self) -> &Baseline {
        self.baseline.get_or_init(|| {
            let row = |cell: &Cell| BaselineRow { value: cell.value, cost: cell.stages.total() };
            let rows: Vec<BaselineRow> = self.cells.iter().map(row).collect();
            Baseline::new(&rows).expect("some configuration has a value")
        })
    }
}

#[cfg(test)]
mod tests {
    use records::{Named, RecordedTrial};
    use space::Value;
    use study::tuning::RATE;

    use super::*;

    /// Three configurations with times 1, 2 and 4 ms and errors 1e-2, 1e-4 and 1e-6.
    fn landscape(objective: Objective) -> Landscape {
        let values: Vec<Value> = (0..3_i64).map(Value::from).collect();
        let mut recorded = RecordedSpace::new(vec![("a".to_owned(), values)]);
        for (at, ms, error) in [(0_i64, 1.0, 1e-2), (1, 2.0, 1e-4), (2, 4.0, 1e-6)] {
            let mut trial = RecordedTrial { time_ms: Some(ms), ..RecordedTrial::default() };
            trial.metrics.insert("error".to_owned(), error);
            recorded.insert(Named(vec![("a".to_owned(), Value::from(at))]), trial);
        }
        let ranking = Ranking { objective, ..Ranking::default() };
        Landscape::under("made", &recorded, &ranking).expect("valid")
    }

    #[test]
    fn shares_are_ratios_of_positive_costs_and_ways_between_others() {
        let times = landscape(Objective::asked("seconds"));
        assert!((times.share(4e-3) - 0.25).abs() < 1e-15);
        assert!((times.shown(4e-3) - 4.0).abs() < 1e-15);
        assert!(times.share(f64::INFINITY).abs() < 1e-15);
        // Logarithms −2, −4 and −6: the middle one is half of the way.
        let logarithms = landscape(Objective::asked("log10_error"));
        for (cost, share) in [(-6.0, 1.0), (-4.0, 0.5), (-2.0, 0.0)] {
            assert!((logarithms.share(cost) - share).abs() < 1e-12, "{cost}");
        }
    }

    #[test]
    fn the_rate_of_runs_is_a_metric_of_every_space() {
        let rate = Objective { metric: RATE.to_owned(), sense: Sense::Maximise };
        let landscape = landscape(rate);
        assert!((landscape.shown(landscape.optimum()) - 1000.0).abs() < 1e-9);
    }
}
