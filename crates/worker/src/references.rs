//! Right answers, computed once per size, seed and output.

use std::{collections::HashMap, rc::Rc, time::Instant};

use device::workload::Workload;
use space::accuracy::{Coverage, IndexSet, index_set};

use super::{benchmark_code::BenchmarkCode, trial_failure::TrialFailure};

/// Elements per call, so that a plugin's buffers stay small.
const CHUNK: usize = 1 << 16;

/// The right answers of an output.
#[derive(Debug)]
pub(super) struct Expected {
    /// Indices of the elements.
    pub(super) set: IndexSet,
    pub(super) values: Vec<f64>,
}

impl Expected {
    /// At most `most` of the elements, evenly spread, including the first and the last.
    pub(super) fn spots(&self, most: usize) -> Self {
        let last = self.values.len().saturating_sub(1);
        let steps = most.saturating_sub(1).max(1);
        let places = (0..=steps.min(last)).map(|step| last * step / steps.min(last).max(1));
        let places: Vec<usize> = places.collect();
        let indices = places.iter().map(|at| self.set.indices[*at]).collect();
        let values = places.iter().map(|at| self.values[*at]).collect();
        Self { set: IndexSet { indices, ..self.set.clone() }, values }
    }
}

/// Seed, output, coverage, shape, and the values that the answer depends on.
type Key = (u64, usize, Coverage, Vec<u64>, String);

/// The right answers of the current size.
#[derive(Debug, Default)]
pub(super) struct References {
    size: u64,
    known: HashMap<Key, Option<Rc<Expected>>>,
    /// Seconds spent so far on computing errors.
    comparing: f64,
}

impl References {
    /// Returns the seconds spent on computing errors since the last call.
    pub(super) fn take_comparing(&mut self) -> f64 {
        std::mem::take(&mut self.comparing)
    }

    /// Adds the seconds since `start` to those spent on computing errors.
    pub(super) fn compared_since(&mut self, start: Instant) {
        self.comparing += start.elapsed().as_secs_f64();
    }

    fn turn_to(&mut self, size: u64) {
        if self.size != size {
            self.size = size;
            self.known.clear();
        }
    }

    /// Whether an answer, or the absence of one, is known.
    pub(super) fn knows(
        &mut self,
        workload: &Workload,
        (output, shape): (usize, &[u64]),
        coverage: Coverage,
        seed: u64,
    ) -> bool {
        self.turn_to(workload.size);
        let answer = workload.answer.clone();
        self.known.contains_key(&(seed, output, coverage, shape.to_vec(), answer))
    }

    pub(super) fn keep(
        &mut self,
        answer: &str,
        (output, shape): (usize, &[u64]),
        coverage: Coverage,
        seed: u64,
        expected: Expected,
    ) {
        let key = (seed, output, coverage, shape.to_vec(), answer.to_owned());
        self.known.insert(key, Some(Rc::new(expected)));
    }

    /// The right answers of an output; `None` if only a run on the device gives them.
    pub(super) fn get(
        &mut self,
        workload: &Workload,
        output: usize,
        shape: &[u64],
        coverage: Coverage,
        seed: u64,
        code: &mut dyn BenchmarkCode,
    ) -> Result<Option<Rc<Expected>>, TrialFailure> {
        self.turn_to(workload.size);
        let key = (seed, output, coverage, shape.to_vec(), workload.answer.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let set = index_set(shape, coverage, seed);
        let mut values = Vec::with_capacity(set.indices.len());
        for indices in set.indices.chunks(CHUNK) {
            let chunk = code.reference(output, indices, &workload.answer).map_err(|why| {
                TrialFailure::run(format!(
                    "no reference for `{}`: {why}",
                    workload.arguments[output].name
                ))
            })?;
            let Some(chunk) = chunk else {
                self.known.insert(key, None);
                return Ok(None);
            };
            values.extend(chunk);
        }
        let expected = Rc::new(Expected { set, values });
        self.known.insert(key, Some(Rc::clone(&expected)));
        Ok(Some(expected))
    }
}
