//! A recorded space made ready to be searched thousands of times.

use std::sync::Arc;

use super::{Baseline, Row};
use crate::{
    records::{RecordedSpace, RecordedTrial, Status},
    space::{ConfigurationId, Space},
};

/// What one configuration answers, and what asking costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The objective, lower is better; none where the configuration failed.
    pub value: Option<f64>,
    /// Seconds of the first visit: compiling, checking, running, and what the tuner added.
    pub first: f64,
    /// Seconds of every further visit: its runs alone.
    pub again: f64,
}

/// A space with the answer of every configuration, by number.
#[derive(Debug, Clone)]
pub struct Landscape {
    /// What it is called in tables.
    pub name: String,
    /// The configurations.
    pub space: Arc<Space>,
    /// Their answers.
    pub cells: Vec<Cell>,
    /// What random search would reach.
    pub baseline: Baseline,
}

impl Landscape {
    /// Takes over a recorded space.
    ///
    /// # Errors
    /// When its parameters are faulty, or no configuration of it was measured.
    pub fn new(name: &str, recorded: &RecordedSpace) -> Result<Self, String> {
        let (space, rows) = recorded.space().map_err(|error| error.to_string())?;
        let trials = rows.iter().map(|row| &recorded.trials()[*row]);
        let cells: Vec<Cell> = trials.map(cell).collect();
        let rows: Vec<Row> =
            cells.iter().map(|cell| Row { value: cell.value, cost: cell.first }).collect();
        let baseline = Baseline::new(&rows)
            .ok_or_else(|| "no configuration of it was ever measured".to_owned())?;
        Ok(Self { name: name.to_owned(), space: Arc::new(space), cells, baseline })
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
