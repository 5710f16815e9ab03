//! A recorded space made ready to be searched thousands of times.

use std::sync::{Arc, OnceLock};

use super::{Baseline, BaselineRow};
use crate::{
    records::{RecordedSpace, RecordedTrial, Status},
    space::{ConfigurationId, Space},
};

/// Answer of one configuration, and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Objective, lower is better; `None` if the configuration failed.
    pub value: Option<f64>,
    /// Seconds of the first visit: compiling, checking, running, and the tuner's overhead.
    pub first: f64,
    /// Seconds of every further visit: only its runs.
    pub again: f64,
}

/// A space with the answer of every configuration, by number.
#[derive(Debug, Clone)]
pub struct Landscape {
    /// Name in tables.
    pub name: String,
    /// Configurations.
    pub space: Arc<Space>,
    /// Answers by configuration number.
    pub cells: Vec<Cell>,
    optimum: f64,
    /// Calculated on demand: a single run does without.
    baseline: OnceLock<Baseline>,
}

impl Landscape {
    /// Takes a recorded space.
    ///
    /// # Errors
    /// If its parameters are faulty, or no configuration of it was measured.
    pub fn new(name: &str, recorded: &RecordedSpace) -> Result<Self, String> {
        let (space, rows) = recorded.space().map_err(|error| error.to_string())?;
        let trials = rows.iter().map(|row| &recorded.trials()[*row]);
        let cells: Vec<Cell> = trials.map(cell).collect();
        let optimum = cells.iter().filter_map(|cell| cell.value).fold(f64::INFINITY, f64::min);
        if optimum.is_infinite() {
            return Err("no configuration of it was ever measured".to_owned());
        }
        let (name, space) = (name.to_owned(), Arc::new(space));
        Ok(Self { name, space, cells, optimum, baseline: OnceLock::new() })
    }

    /// Best value of the space.
    #[must_use]
    pub const fn optimum(&self) -> f64 {
        self.optimum
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

fn cell(trial: &RecordedTrial) -> Cell {
    let again = trial.times_ms.iter().sum::<f64>() / 1e3;
    let prepared = trial.compile_ms + trial.verification_ms + trial.framework_ms;
    Cell {
        value: trial.reported_ms().filter(|ms| trial.status == Status::Measured && ms.is_finite()),
        first: prepared / 1e3 + again,
        again,
    }
}
