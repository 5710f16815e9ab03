//! A recorded space, with the cost of every configuration by an objective.

use std::sync::Arc;

use exchange::RecordedSpace;
use math::median;
use records::{RecordedTrial, Status, most_precise, settings::Objective};
use space::{ConfigurationId, Space};

use crate::tuning::{RATE, Ranking};

/// Seconds of the first evaluation of a configuration, by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct VisitStages {
    /// Compiling.
    pub compile: f64,
    /// Comparing the result with the reference.
    pub check: f64,
    /// The recorded runs.
    pub runs: f64,
    /// The tuner's overhead.
    pub framework: f64,
}

impl VisitStages {
    /// Reads the stages of a recorded trial.
    #[must_use]
    pub fn of(trial: &RecordedTrial) -> Self {
        Self {
            compile: trial.compile_ms / 1e3,
            check: trial.verification_ms / 1e3,
            runs: trial.times_ms.iter().sum::<f64>() / 1e3,
            framework: trial.framework_ms / 1e3,
        }
    }

    /// Returns the seconds of all stages.
    #[must_use]
    pub const fn total(&self) -> f64 {
        self.compile + self.check + self.framework + self.runs
    }
}

/// The costs of one configuration, and the seconds of evaluating it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Cost by the objective; lower is better. `None` if the configuration failed or is outside the
    /// bounds.
    pub value: Option<f64>,
    /// The cost without regard to bounds; `None` if the configuration failed.
    pub cost: Option<f64>,
    /// The cost that a strategy is told, with the penalty for being outside the bounds.
    pub score: Option<f64>,
    /// Seconds of the first evaluation. Every further evaluation only runs the kernel.
    pub stages: VisitStages,
}

/// The kernel, device and size of a recorded space; empty if unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The kernel.
    pub kernel: String,
    /// The device.
    pub device: String,
    /// The problem size, as the recording words it.
    pub size: String,
}

impl Origin {
    /// The kernel, or the space's name if the recording does not name a kernel.
    #[must_use]
    pub fn kernel_or(&self, name: &str) -> String {
        if self.kernel.is_empty() { name } else { &self.kernel }.to_owned()
    }

    /// Reads the origin of a recorded space.
    #[must_use]
    pub fn of(recorded: &RecordedSpace) -> Self {
        Self {
            kernel: recorded.kernel.clone(),
            device: recorded.device.clone(),
            size: recorded.problem_size.clone(),
        }
    }

    /// Returns the numbers in the text of the size.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let digits = self.size.split(|c: char| !c.is_ascii_digit());
        digits.filter_map(|number| number.parse().ok()).collect()
    }

    /// Whether the sizes are known to differ. With different counts of numbers, they may be the
    /// same size in different words.
    pub(super) fn differs_in_size(&self, other: &Self) -> bool {
        let (own, its) = (self.numbers(), other.numbers());
        own.len() == its.len() && own != its
    }
}

/// A space, with the cost of every configuration.
#[derive(Debug, Clone)]
pub struct ScoredSpace {
    /// The name in tables.
    pub name: String,
    /// The recorded kernel, device and size.
    pub origin: Origin,
    /// The configurations.
    pub space: Arc<Space>,
    /// Costs by configuration number.
    pub cells: Vec<Cell>,
    /// The objective that costs are computed by.
    pub objective: Objective,
    optimum: f64,
}

impl ScoredSpace {
    /// Takes a recorded space, with run time as the cost.
    ///
    /// # Errors
    /// If its parameters are faulty, or none of its configurations was measured.
    pub fn new(name: &str, recorded: &RecordedSpace) -> Result<Self, String> {
        Self::under(name, recorded, &Ranking::default())
    }

    /// Takes a recorded space, with costs by the objective, bounds and penalty of a ranking.
    ///
    /// # Errors
    /// If its parameters are faulty, or no configuration has a value of the objective and satisfies
    /// the bounds.
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
        Ok(Self { name, origin, space, cells, objective, optimum })
    }

    /// Returns the lowest cost in the space.
    #[must_use]
    pub const fn optimum(&self) -> f64 {
        self.optimum
    }

    /// Returns the costs of a configuration.
    #[must_use]
    pub fn cell(&self, id: ConfigurationId) -> Cell {
        self.cells[id.0 as usize]
    }
}

/// Returns the cost of a measured trial by an objective.
fn cost(trial: &RecordedTrial, objective: &Objective) -> Option<f64> {
    figure(trial, &objective.metric)
        .filter(|value| trial.status == Status::Measured && value.is_finite())
        .map(|v| objective.cost(v))
}

/// Returns the costs of a measured trial, one per objective, without regard to bounds.
#[must_use]
pub fn costs(trial: &RecordedTrial, ranking: &Ranking) -> Option<Vec<f64>> {
    let cost = |objective: &Objective| {
        let value = figure(trial, &objective.metric).filter(|value| value.is_finite());
        value.map(|value| objective.cost(value))
    };
    let is_measured = trial.status == Status::Measured;
    ranking.objectives().map(cost).collect::<Option<_>>().filter(|_| is_measured)
}

/// Returns the value of a metric; [`RATE`] is computed from the run time.
#[must_use]
pub fn figure(trial: &RecordedTrial, metric: &str) -> Option<f64> {
    match metric {
        RATE => trial.reported_ms().filter(|ms| *ms > 0.0).map(|ms| 1e3 / ms),
        metric => trial.value(metric),
    }
}

fn cell(trial: &RecordedTrial, cost: Option<f64>, ranking: &Ranking, first: f64) -> Cell {
    let excess = ranking.bounds.excess(|metric| figure(trial, metric));
    Cell {
        value: cost.filter(|_| excess == Some(0.0)),
        cost,
        score: cost
            .zip(excess)
            .and_then(|(cost, excess)| ranking.penalty.apply(cost, excess, first)),
        stages: VisitStages::of(trial),
    }
}

/// Returns the cost that speed-ups are relative to: the best cost in full precision. It is the
/// median cost if no parameter chooses a precision, or if nothing ran in full precision.
#[must_use]
pub fn compared_with(space: &Space, costs: &[Option<f64>]) -> f64 {
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

/// Says why no configuration counts. If the bounds are the reason, names the values of the nearest
/// configuration.
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
