//! Turns the trials of a study at one size into a recorded space.

use records::{BenchmarkRecord, Named, Phase, RecordedTrial, StudyRecord, Trial};
use space::{Value, ValueIndex};

use crate::{RecordedSpace, SpaceFormat, spaces::ERROR_MEMBER};

/// Why a study has no recorded space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudiedError {
    /// The study has no trials.
    #[error("the study has no trials yet")]
    NoTrials,
    /// The study has no trials at this size; holds the sizes that have some.
    #[error("the study has no trials at size {0}; it has some at {1}")]
    NoSize(u64, String),
}

impl RecordedSpace {
    /// The trials of a study at `size`, or at its largest size. Each configuration has its first
    /// trial of the search; if the search never tried it (possible for the default), its first
    /// other trial.
    ///
    /// Times are means of the samples, as in Kernel Tuner. The error is a metric.
    ///
    /// # Errors
    /// If there are no trials.
    pub fn of_study<'a>(
        record: Option<&StudyRecord>,
        trials: impl Iterator<Item = &'a Trial> + Clone,
        size: Option<u64>,
    ) -> Result<Self, StudiedError> {
        let mut sizes: Vec<u64> = trials.clone().map(|trial| trial.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let largest = *sizes.last().ok_or(StudiedError::NoTrials)?;
        let size = size.unwrap_or(largest);
        if !sizes.contains(&size) {
            let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
            return Err(StudiedError::NoSize(size, sizes.join(", ")));
        }
        let at_size: Vec<&Trial> = trials.filter(|trial| trial.size == size).collect();
        let document = record.map(|record| &record.benchmark);
        let mut space = Self::new(parameters(document, &at_size));
        let searched = at_size.iter().filter(|trial| trial.phase == Phase::Search);
        let others = at_size.iter().filter(|trial| trial.phase != Phase::Search);
        for trial in searched.chain(others) {
            if space.get(&trial.configuration).is_none() {
                space.insert(trial.configuration.clone(), RecordedTrial::of(&trial.outcome));
            }
        }
        space.format = SpaceFormat::Study;
        space.problem_size = size.to_string();
        space.header.push(("problem_size".to_owned(), size.to_string()));
        let objective = record.map_or("seconds", StudyRecord::objective);
        space.objective = if objective == "seconds" { "time" } else { objective }.to_owned();
        if let Some(record) = record {
            space.device.clone_from(&record.device.name);
            space.kernel.clone_from(&record.benchmark.name);
            if let Some(error) = record.benchmark.document.get("error") {
                space.header.push((ERROR_MEMBER.to_owned(), error.to_string()));
            }
            let metric = &record.benchmark.secondary;
            space.units.insert(metric.name.clone(), metric.unit.clone());
        }
        Ok(space)
    }
}

/// Parameters in the order of the configurations, with the benchmark's values, or else the values
/// that were tried.
fn parameters(document: Option<&BenchmarkRecord>, trials: &[&Trial]) -> Vec<(String, Vec<Value>)> {
    let first = trials.first().map(|trial| trial.configuration.clone()).unwrap_or_default();
    let of = |(name, _): (String, Value)| {
        let mut known = ValueIndex::default();
        let tried = trials.iter().filter_map(|trial| trial.configuration.get(&name));
        let mut seen: Vec<&Value> = tried.filter(|value| known.insert(value, 0)).collect();
        let listed = document.and_then(|document| document.values_of(&name));
        let listed = listed.filter(|listed| {
            let listed = ValueIndex::of(listed);
            seen.iter().all(|value| listed.position(value).is_some())
        });
        let values = listed.unwrap_or_else(|| {
            seen.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            seen.into_iter().cloned().collect()
        });
        (name, values)
    };
    let Named(pairs) = first;
    pairs.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests;
