//! Recorded spaces, for the replay device and for reading and writing other programs' files.

pub(crate) mod content;
pub(crate) mod file;
pub(crate) mod json_reader;
pub(crate) mod merging;
pub(crate) mod named;
pub(crate) mod of_study;
pub(crate) mod overview;
pub(crate) mod own_words;
pub(crate) mod processor;
pub(crate) mod row_draft;
pub(crate) mod row_index;
pub(crate) mod tokens;
pub(crate) mod value_text;
pub(crate) mod warnings;

use std::collections::{BTreeMap, BTreeSet};

use autobench_sdk::document::{Better, ErrorBound};
use records::{Metric, Named, RecordedTrial};
use space::{Parameter, Space, SpaceError, Value, ValueIndex, accuracy::ErrorMetric};

use crate::spaces::row_index::RowIndex;

/// Header member with the bound on errors, as in a benchmark's document.
pub(crate) const ERROR_MEMBER: &str = "error_bound";

/// Format that a recorded space was read from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SpaceFormat {
    /// A Kernel Tuner cache file.
    KernelTuner,
    /// T4 results.
    T4,
    /// A study of autobench.
    #[default]
    Study,
}

impl SpaceFormat {
    /// Name of the format, in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::KernelTuner => "Kernel Tuner cache",
            Self::T4 => "T4 results",
            Self::Study => "study of autobench",
        }
    }
}

/// A recorded space.
///
/// Rows hold positions in the parameters' value lists, so 100,000 rows take little memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordedSpace {
    /// Format that the space was read from.
    pub format: SpaceFormat,
    /// Device that the space was recorded on.
    pub device: String,
    /// Kernel.
    pub kernel: String,
    /// Problem size, in the words of the tuner that recorded it.
    pub problem_size: String,
    /// Objective of the tuning, in the words of the tuner that recorded it.
    pub objective: String,
    /// Parameters with their listed values, in order.
    pub parameters: Vec<(String, Vec<Value>)>,
    /// Further members about all rows, as JSON, and the members above that are more than a text in
    /// the file. Kept so that writing loses nothing.
    pub header: Vec<(String, String)>,
    /// Units of metrics, where known.
    pub units: BTreeMap<String, String>,
    /// What was corrected or left out while reading, one sentence each.
    pub warnings: Vec<String>,
    /// For each parameter, its listed values, then values that only rows have.
    values: Vec<Vec<Value>>,
    /// For each parameter, where its values are in `values`.
    positions: Positions,
    /// For each row, the positions of its values in `values`.
    places: Vec<u32>,
    trials: Vec<RecordedTrial>,
    rows_by_places: RowIndex,
}

impl RecordedSpace {
    /// A space without rows.
    #[must_use]
    pub fn new(parameters: Vec<(String, Vec<Value>)>) -> Self {
        let mut space = Self::default();
        space.begin(parameters);
        space
    }

    /// Sets the parameters of a space without rows.
    pub(crate) fn begin(&mut self, parameters: Vec<(String, Vec<Value>)>) {
        self.values = parameters.iter().map(|(_, values)| values.clone()).collect();
        self.positions = Positions(self.values.iter().map(ValueIndex::of).collect());
        self.parameters = parameters;
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trials.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    /// Rows in the order in which they were recorded, each configuration once.
    #[must_use]
    pub const fn rows(&self) -> RecordedRows<'_> {
        RecordedRows(self)
    }

    /// Recorded trials, row by row.
    #[must_use]
    pub fn trials(&self) -> &[RecordedTrial] {
        &self.trials
    }

    /// The recorded trial of a configuration; the order of its parameters does not matter.
    #[must_use]
    pub fn get(&self, configuration: &Named) -> Option<&RecordedTrial> {
        let place = |(at, (name, _)): (usize, &(String, Vec<Value>))| {
            self.place(at, configuration.get(name)?)
        };
        let places = self.parameters.iter().enumerate().map(place).collect::<Option<Vec<_>>>()?;
        (configuration.0.len() == places.len())
            .then(|| self.row_of(&places))?
            .map(|row| &self.trials[row])
    }

    /// Adds a row; a later row of the same configuration replaces the earlier one. Returns `false`,
    /// and adds nothing, if the configuration does not name exactly the parameters.
    pub fn insert(&mut self, configuration: Named, trial: RecordedTrial) -> bool {
        let mut places = Vec::with_capacity(self.parameters.len());
        for at in 0..self.parameters.len() {
            let Some(value) = configuration.get(&self.parameters[at].0) else { return false };
            places.push(self.place_or_add(at, value.clone()));
        }
        let whole = configuration.0.len() == places.len();
        if whole {
            match self.row_of(&places) {
                Some(row) => self.trials[row] = trial,
                None => self.push(&places, trial),
            }
        }
        whole
    }

    /// The configuration of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn configuration(&self, row: usize) -> Named {
        let named = |(at, place): (usize, &u32)| {
            (self.parameters[at].0.clone(), self.values[at][*place as usize].clone())
        };
        Named(self.places(row).iter().enumerate().map(named).collect())
    }

    /// Positions of a row's values in [`RecordedSpace::values`].
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn places(&self, row: usize) -> &[u32] {
        let width = self.parameters.len();
        &self.places[row * width..(row + 1) * width]
    }

    /// Values of a parameter: the listed values, then values that only rows have.
    #[must_use]
    pub fn values(&self, parameter: usize) -> &[Value] {
        &self.values[parameter]
    }

    /// The space of the rows whose values are all listed. Also returns the row of each
    /// configuration, by configuration number.
    ///
    /// # Errors
    /// If a list of values is faulty.
    pub fn space(&self) -> Result<(Space, Vec<usize>), SpaceError> {
        let parameter =
            |(name, values): &(String, Vec<Value>)| Parameter::new(name, values.clone());
        let parameters: Vec<Parameter> = self.parameters.iter().map(parameter).collect();
        let listed = |row: &usize| {
            let lists = self.parameters.iter().zip(self.places(*row));
            lists.into_iter().all(|((_, values), place)| (*place as usize) < values.len())
        };
        let mut rows: Vec<usize> = (0..self.len()).filter(listed).collect();
        rows.sort_unstable_by_key(|row| self.places(*row));
        let configurations = rows.iter().map(|row| self.places(*row));
        Ok((Space::of_configurations(parameters, configurations)?, rows))
    }

    /// Every metric that a row has, with its better direction if known: the metric is declared, an
    /// error metric or a rate.
    #[must_use]
    pub fn metrics(&self) -> Vec<(String, Option<Better>)> {
        let declared =
            Metric::recorded().filter(|(_, _, read)| self.trials.iter().any(|t| read(t).is_some()));
        let mut found: Vec<(String, Option<Better>)> =
            declared.map(|(name, better, _)| (name.to_owned(), Some(better))).collect();
        let own: BTreeSet<&str> =
            self.trials.iter().flat_map(|trial| trial.metrics.keys().map(String::as_str)).collect();
        for name in own {
            if !found.iter().any(|(known, _)| known == name) {
                let unit = self.units.get(name).map_or("", String::as_str);
                let is_rate = [name, unit].iter().any(|text| text.ends_with("/s"));
                let better = Metric::named(name).and_then(|metric| metric.better);
                let error = || name.parse::<ErrorMetric>().is_ok().then_some(Better::Lower);
                found.push((
                    name.to_owned(),
                    better.or_else(error).or(is_rate.then_some(Better::Higher)),
                ));
            }
        }
        found
    }

    /// The bound on the error from the benchmark, if the file states it.
    #[must_use]
    pub fn error_bound(&self) -> Option<f64> {
        self.error().map(|error| error.bound)
    }

    /// The named bounds on the error from the benchmark.
    #[must_use]
    pub fn levels(&self) -> BTreeMap<String, f64> {
        self.error().map(|error| error.levels).unwrap_or_default()
    }

    /// The error metric and its bound; empty and 0 if the file does not state them.
    #[must_use]
    pub fn error_metric(&self) -> (String, f64) {
        self.error().map_or_else(Default::default, |error| (error.metric, error.bound))
    }

    fn error(&self) -> Option<ErrorBound> {
        let (_, json) = self.header.iter().find(|(name, _)| name == ERROR_MEMBER)?;
        serde_json::from_str(json).ok()
    }

    pub(crate) fn place(&self, parameter: usize, value: &Value) -> Option<u32> {
        u32::try_from(self.positions.0[parameter].position(value)?).ok()
    }

    /// Position of a value; adds the value if it is not listed, since it was measured.
    pub(crate) fn place_or_add(&mut self, parameter: usize, value: Value) -> u32 {
        self.place(parameter, &value).unwrap_or_else(|| {
            let values = &mut self.values[parameter];
            self.positions.0[parameter].insert(&value, values.len());
            values.push(value);
            values.len() as u32 - 1
        })
    }

    pub(crate) fn row_of(&self, places: &[u32]) -> Option<usize> {
        self.rows_by_places.find(&self.places, places)
    }

    /// Adds the row of a configuration that has no row yet.
    pub(crate) fn push(&mut self, places: &[u32], trial: RecordedTrial) {
        self.places.extend_from_slice(places);
        self.rows_by_places.insert(&self.places, places.len(), self.trials.len());
        self.trials.push(trial);
    }

    pub(crate) fn reserve(&mut self, rows: usize) {
        self.rows_by_places.reserve(&self.places, self.parameters.len(), rows);
        self.places.reserve(rows * self.parameters.len());
        self.trials.reserve(rows);
    }

    pub(crate) fn replace(&mut self, row: usize, trial: RecordedTrial) {
        self.trials[row] = trial;
    }

    /// Lists the values that the rows have for a parameter, numbers in ascending order.
    pub(crate) fn list_seen(&mut self, parameter: usize) {
        let seen = std::mem::take(&mut self.values[parameter]);
        let mut order: Vec<usize> = (0..seen.len()).collect();
        if seen.iter().all(|value| value.as_f64().is_some()) {
            order.sort_by(|a, b| {
                seen[*a].partial_cmp(&seen[*b]).unwrap_or(std::cmp::Ordering::Equal)
            });
        }
        let mut moved = vec![0; seen.len()];
        for (to, from) in order.iter().enumerate() {
            moved[*from] = to as u32;
        }
        let sorted: Vec<Value> = order.into_iter().map(|from| seen[from].clone()).collect();
        self.parameters[parameter].1.clone_from(&sorted);
        self.positions.0[parameter] = ValueIndex::of(&sorted);
        self.values[parameter] = sorted;
        let width = self.parameters.len();
        for place in self.places.iter_mut().skip(parameter).step_by(width) {
            *place = moved[*place as usize];
        }
        self.rows_by_places = RowIndex::default();
        self.rows_by_places.reserve(&self.places, width, self.trials.len());
        for row in 0..self.len() {
            self.rows_by_places.insert(&self.places, width, row);
        }
    }
}

/// Positions always compare equal: equal values have equal positions.
#[derive(Debug, Clone, Default)]
struct Positions(Vec<ValueIndex>);

impl PartialEq for Positions {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Rows of a recorded space, in order.
#[derive(Debug, Clone, Copy)]
pub struct RecordedRows<'a>(&'a RecordedSpace);

impl<'a> RecordedRows<'a> {
    /// Number of rows.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Each configuration with its recorded trial.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (Named, &'a RecordedTrial)> {
        let space = self.0;
        space.trials.iter().enumerate().map(|(row, trial)| (space.configuration(row), trial))
    }
}

#[cfg(test)]
mod tests;
