//! A recorded space made ready to be searched thousands of times.

use std::sync::{Arc, OnceLock};

use super::{Baseline, BaselineRow};
use crate::{
    accuracy::Penalty,
    numeric::median,
    records::{RecordedSpace, RecordedTrial, Status, most_precise, names_processor},
    settings::{Bounds, Objective, Sense},
    space::{ConfigurationId, Space},
    strategies::Memory,
    tuning::{RATE, Ranking},
};

/// Answer of one configuration, and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Cost by the objective, lower is better; `None` if the configuration failed or is beyond the
    /// bounds.
    pub value: Option<f64>,
    /// The cost whatever the bounds; `None` if the configuration failed.
    pub cost: Option<f64>,
    /// What a strategy is told: the cost with the penalty for being beyond the bounds.
    pub score: Option<f64>,
    /// Seconds of the first visit: compiling, checking, running, and the tuner's overhead.
    pub first: f64,
    /// Seconds of every further visit: only its runs.
    pub again: f64,
}

/// What a space was recorded of; empty where unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The kernel.
    pub kernel: String,
    /// The device.
    pub device: String,
    /// The size of the problem, in the words of its recording.
    pub size: String,
}

impl Origin {
    /// Of a recorded space.
    #[must_use]
    pub fn of(recorded: &RecordedSpace) -> Self {
        Self {
            kernel: recorded.kernel.clone(),
            device: recorded.device.clone(),
            size: recorded.problem_size.clone(),
        }
    }

    /// The numbers of the size.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let digits = self.size.split(|c: char| !c.is_ascii_digit());
        digits.filter_map(|number| number.parse().ok()).collect()
    }

    /// Whether the sizes are known to differ: where one tells more numbers than the other, the same may be
    /// meant.
    pub(super) fn differs_in_size(&self, other: &Self) -> bool {
        let (own, its) = (self.numbers(), other.numbers());
        own.len() == its.len() && own != its
    }
}

/// A space with the answer of every configuration, by number.
#[derive(Debug, Clone)]
pub struct Landscape {
    /// Name in tables.
    pub name: String,
    /// What it was recorded of.
    pub origin: Origin,
    /// Configurations.
    pub space: Arc<Space>,
    /// Answers by configuration number.
    pub cells: Vec<Cell>,
    /// What is improved.
    pub objective: Objective,
    /// What searches of it may learn from; nothing unless it is set.
    pub memory: Arc<Memory>,
    optimum: f64,
    /// Calculated on demand: a single run does without.
    baseline: OnceLock<Baseline>,
}

impl Landscape {
    /// Whether what is improved is nothing but the run time of a GPU.
    #[must_use]
    pub fn times_gpu_blocks(&self) -> bool {
        self.objective == Objective::default() && !names_processor(&self.origin.device)
    }

    /// Takes a recorded space.
    ///
    /// # Errors
    /// If its parameters are faulty, or no configuration of it was measured.
    pub fn new(name: &str, recorded: &RecordedSpace) -> Result<Self, String> {
        let fastest = Ranking {
            objective: Objective::default(),
            further: Vec::new(),
            bounds: Bounds::default(),
            penalty: Penalty::default(),
            errors: Vec::new(),
        };
        Self::under(name, recorded, &fastest)
    }

    /// Takes a recorded space whose configurations are ranked by an objective, within bounds.
    ///
    /// # Errors
    /// If its parameters are faulty, or no configuration has the objective and keeps to the bounds.
    pub fn under(name: &str, recorded: &RecordedSpace, ranking: &Ranking) -> Result<Self, String> {
        let (space, rows) = recorded.space().map_err(|error| error.to_string())?;
        let trials: Vec<&RecordedTrial> = rows.iter().map(|row| &recorded.trials()[*row]).collect();
        let objective = ranking.objective.clone();
        let costs: Vec<Option<f64>> = trials.iter().map(|trial| cost(trial, &objective)).collect();
        let first = compared_with(&space, &costs);
        let ranked = trials.iter().zip(&costs);
        let cells: Vec<Cell> =
            ranked.map(|(trial, cost)| cell(trial, *cost, ranking, first)).collect();
        let optimum = cells.iter().filter_map(|cell| cell.value).fold(f64::INFINITY, f64::min);
        if optimum.is_infinite() {
            return Err(nothing(&trials, &costs, ranking));
        }
        let (name, space) = (name.to_owned(), Arc::new(space));
        let origin = Origin::of(recorded);
        let memory = Arc::default();
        let baseline = OnceLock::new();
        Ok(Self { name, origin, space, cells, objective, memory, optimum, baseline })
    }

    /// Best cost of the space.
    #[must_use]
    pub const fn optimum(&self) -> f64 {
        self.optimum
    }

    /// How much of the optimum a cost is: the optimum over it, 0 for an infinite one. Costs that can
    /// be zero or less, as those of logarithms, have no ratios: there it is the share of the way from
    /// the worst configuration within the bounds to the best.
    #[must_use]
    pub fn share(&self, cost: f64) -> f64 {
        if cost.is_infinite() {
            return 0.0;
        }
        if self.optimum > 0.0 {
            return self.optimum / cost;
        }
        let worst = self.worst();
        if worst > self.optimum { (worst - cost) / (worst - self.optimum) } else { 1.0 }
    }

    /// Worst cost within the bounds.
    #[must_use]
    pub fn worst(&self) -> f64 {
        let sorted = &self.baseline().sorted;
        sorted[sorted.len() - 1]
    }

    /// A cost as the objective's value: run times in milliseconds.
    #[must_use]
    pub fn shown(&self, cost: f64) -> f64 {
        match self.objective.sense {
            Sense::Minimise => cost,
            Sense::Maximise => 1.0 / cost,
        }
    }

    /// What values of the objective are given in: `ms`, or the metric.
    #[must_use]
    pub fn unit(&self) -> &str {
        if self.objective.metric == "seconds" { "ms" } else { &self.objective.metric }
    }

    /// Baseline: what random search would reach.
    ///
    /// # Panics
    /// Never: some configuration has a value.
    #[must_use]
    pub fn baseline(&self) -> &Baseline {
        self.baseline.get_or_init(|| {
            let row = |cell: &Cell| BaselineRow { value: cell.value, cost: cell.first };
            let rows: Vec<BaselineRow> = self.cells.iter().map(row).collect();
            Baseline::new(&rows).expect("some configuration has a value")
        })
    }

    /// The answer of a configuration.
    #[must_use]
    pub fn cell(&self, id: ConfigurationId) -> Cell {
        self.cells[id.0 as usize]
    }
}

/// Cost of a measured trial by an objective; run times count in milliseconds.
fn cost(trial: &RecordedTrial, objective: &Objective) -> Option<f64> {
    let value = match objective.metric.as_str() {
        "seconds" => trial.reported_ms(),
        metric => figure(trial, metric),
    };
    value
        .filter(|value| trial.status == Status::Measured && value.is_finite())
        .map(|v| objective.cost(v))
}

/// The value of a metric, or of the rate that every measured trial has.
pub(super) fn figure(trial: &RecordedTrial, metric: &str) -> Option<f64> {
    match metric {
        RATE => trial.reported_ms().filter(|ms| *ms > 0.0).map(|ms| 1e3 / ms),
        metric => trial.value(metric),
    }
}

/// Seconds of a first visit: compiling, checking, running, and the tuner's overhead.
pub(super) fn first_visit(trial: &RecordedTrial) -> f64 {
    (trial.compile_ms + trial.verification_ms + trial.framework_ms) / 1e3 + runs(trial)
}

/// Seconds of the runs of a trial.
fn runs(trial: &RecordedTrial) -> f64 {
    trial.times_ms.iter().sum::<f64>() / 1e3
}

fn cell(trial: &RecordedTrial, cost: Option<f64>, ranking: &Ranking, first: f64) -> Cell {
    let excess = ranking.bounds.excess(|metric| figure(trial, metric));
    Cell {
        value: cost.filter(|_| excess == Some(0.0)),
        cost,
        score: cost
            .zip(excess)
            .and_then(|(cost, excess)| ranking.penalty.apply(cost, excess, first)),
        first: first_visit(trial),
        again: runs(trial),
    }
}

/// The cost that speed-ups are over: of the best configuration with full precision everywhere, or
/// the median where nothing chooses a precision.
pub(super) fn compared_with(space: &Space, costs: &[Option<f64>]) -> f64 {
    let precise: Vec<Option<u32>> = space
        .parameters()
        .iter()
        .map(|parameter| u32::try_from(parameter.index_of(most_precise(&parameter.values)?)?).ok())
        .collect();
    let is_precise = |id: ConfigurationId| {
        let configuration = space.configuration(id);
        let mut places = configuration.0.iter().zip(&precise);
        places.all(|(place, wanted)| wanted.is_none_or(|wanted| *place == wanted))
    };
    if precise.iter().any(Option::is_some) {
        let costs =
            space.ids().zip(costs).filter(|(id, _)| is_precise(*id)).filter_map(|(_, cost)| *cost);
        let best = costs.fold(f64::INFINITY, f64::min);
        if best.is_finite() {
            return best;
        }
    }
    median(&costs.iter().flatten().copied().collect::<Vec<_>>())
}

/// Why no configuration counts; the one nearest to the bounds if they are the reason.
fn nothing(trials: &[&RecordedTrial], costs: &[Option<f64>], ranking: &Ranking) -> String {
    if costs.iter().all(Option::is_none) {
        return match ranking.objective.metric.as_str() {
            "seconds" => "no configuration of it was ever measured".to_owned(),
            metric => format!("no configuration of it has a value of `{metric}`"),
        };
    }
    let measured = trials.iter().zip(costs).filter(|(_, cost)| cost.is_some());
    let excesses = measured.filter_map(|(trial, _)| {
        Some((ranking.bounds.excess(|metric| figure(trial, metric))?, *trial))
    });
    let closest =
        excesses.min_by(|a, b| a.0.total_cmp(&b.0)).map_or_else(String::new, |(_, trial)| {
            let value =
                |metric: &str| figure(trial, metric).map(|value| format!("{metric} {value:.2e}"));
            let values: Vec<String> =
                ranking.bounds.0.iter().filter_map(|bound| value(&bound.metric)).collect();
            format!("; the closest has {}", values.join(" and "))
        });
    format!("no configuration of it satisfies {}{closest}", ranking.bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{records::Named, space::Value};

    /// Three configurations with times 1, 2 and 4 ms and errors 1e-2, 1e-4 and 1e-6.
    fn landscape(objective: Objective) -> Landscape {
        let values: Vec<Value> = (0..3_i64).map(Value::from).collect();
        let mut recorded = RecordedSpace::new(vec![("a".to_owned(), values)]);
        for (at, ms, error) in [(0_i64, 1.0, 1e-2), (1, 2.0, 1e-4), (2, 4.0, 1e-6)] {
            let mut trial = RecordedTrial { time_ms: Some(ms), ..RecordedTrial::default() };
            trial.metrics.insert("error".to_owned(), error);
            recorded.insert(Named(vec![("a".to_owned(), Value::from(at))]), trial);
        }
        let ranking = Ranking {
            objective,
            further: Vec::new(),
            bounds: Bounds::default(),
            penalty: Penalty::default(),
            errors: Vec::new(),
        };
        Landscape::under("made", &recorded, &ranking).expect("valid")
    }

    #[test]
    fn shares_are_ratios_of_positive_costs_and_ways_between_others() {
        let times = landscape(Objective::asked("seconds"));
        assert!((times.share(4.0) - 0.25).abs() < 1e-15);
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
