//! The subject of a replayed study: a recorded space with one size, no device memory and no plugin.

use std::collections::BTreeMap;

use exchange::{RecordedSpace, SpaceFormat};
use records::{
    Named, Started,
    settings::{Goal, Sense},
};
use space::{Configuration, Parameter, Space, ValueIndex, keep_values};

use super::{Subject, SubjectFacts};
use crate::{scaling::Rounding, tuning::RATE};

/// A recorded space as the subject of a study.
pub struct Replayed<'a> {
    recorded: &'a RecordedSpace,
    narrowed: Vec<String>,
    restrictions: Vec<String>,
}

impl<'a> Replayed<'a> {
    /// Returns a subject whose space is narrowed by the user's values and restrictions.
    #[must_use]
    pub fn new(recorded: &'a RecordedSpace, narrowed: &[String], restrictions: &[String]) -> Self {
        Self { recorded, narrowed: narrowed.to_vec(), restrictions: restrictions.to_vec() }
    }

    /// Returns the facts of a recorded space that a plan needs: every metric that any row has.
    #[must_use]
    pub fn facts(recorded: &RecordedSpace) -> SubjectFacts {
        let rate = (RATE.to_owned(), Some(Sense::Maximise));
        let metrics =
            recorded.metrics().into_iter().map(|(name, better)| (name, better.map(Sense::from)));
        let (mut directed, mut undirected) = (Vec::new(), Vec::new());
        for (name, sense) in std::iter::once(rate).chain(metrics) {
            match sense {
                Some(sense) => directed.push((name, sense)),
                None => undirected.push(name),
            }
        }
        SubjectFacts {
            primary: "seconds".to_owned(),
            secondary: RATE.to_owned(),
            metrics: directed,
            undirected,
            errors: Vec::new(),
            outputs: Vec::new(),
            observed: BTreeMap::new(),
            bound: recorded.error_bound(),
            levels: recorded.levels(),
            wrong_line: None,
            rounding: Rounding::Multiple(1),
        }
    }
}

impl Subject for Replayed<'_> {
    fn narrowed(&mut self, _size: u64, kept: &[String]) -> Result<Space, String> {
        let mut parameters: Vec<Parameter> = self
            .recorded
            .parameters
            .iter()
            .map(|(name, values)| Parameter::new(name, values.clone()))
            .collect();
        for text in self.narrowed.iter().chain(kept) {
            keep_values(&mut parameters, text).map_err(|e| e.to_string())?;
        }
        let allowed = Space::build(parameters.clone(), &self.restrictions, &[]);
        let allowed = allowed.map_err(|e| e.to_string())?;
        // For each recorded value, its position among the remaining values.
        let left = |(at, parameter): (usize, &Parameter)| -> Vec<Option<u32>> {
            let left = ValueIndex::of(&parameter.values);
            let index = |value| u32::try_from(left.position(value)?).ok();
            self.recorded.values(at).iter().map(index).collect()
        };
        let left: Vec<_> = parameters.iter().enumerate().map(left).collect();
        let place = |row: usize| -> Option<Configuration> {
            let places = left.iter().zip(self.recorded.places(row));
            places
                .map(|(left, place)| left[*place as usize])
                .collect::<Option<_>>()
                .map(Configuration)
        };
        let rows = (0..self.recorded.len()).filter_map(place);
        let rows = rows.filter(|configuration| allowed.id_of(configuration).is_some());
        Space::of_configurations(parameters, rows).map_err(|e| e.to_string())
    }

    fn footprint(&mut self, _size: u64) -> Result<u64, String> {
        Ok(0)
    }

    fn conditions(&mut self, _first: u64, _goal: Goal) -> Result<Started, String> {
        Ok(Started {
            why: "a recorded space has one size".to_owned(),
            warnings: self.recorded.warnings.clone(),
            ..Started::default()
        })
    }

    fn only_size(&self) -> Option<u64> {
        Some(self.first_size())
    }

    fn first_size(&self) -> u64 {
        match self.recorded.format {
            SpaceFormat::Study => self.recorded.problem_size.parse().unwrap_or(1),
            SpaceFormat::KernelTuner | SpaceFormat::T4 => 1,
        }
    }

    fn size_limit(&self) -> Option<u64> {
        self.only_size()
    }

    fn rounding(&self) -> Rounding {
        Rounding::Multiple(1)
    }

    fn metrics(
        &mut self,
        _size: u64,
        _configuration: &Named,
        seconds: f64,
    ) -> BTreeMap<String, f64> {
        BTreeMap::from([(RATE.to_owned(), 1.0 / seconds)])
    }
}
