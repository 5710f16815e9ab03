//! Rows of a Kernel Tuner cache.

use std::borrow::Cow;

use records::Status;
use rustc_hash::FxHashMap;
use space::Value;

use crate::{
    OWN_MEMBER, RecordedSpace, python_text,
    spaces::{
        json_reader::{JsonFault, JsonReader, json_text},
        row_draft::{Draft, RowFailure},
        tokens::Tokens,
    },
};

const FAILURES: [(&str, Status); 4] = [
    ("InvalidConfig", Status::Invalid),
    ("CompilationFailedConfig", Status::CompileFailed),
    ("RuntimeFailedConfig", Status::RunFailed),
    ("ErrorConfig", Status::RunFailed),
];

/// Limit of the rows for which memory is reserved in advance.
const MANY: usize = 1 << 16;

/// Kernel Tuner's word for a failure; its word for a failed run where it has none.
#[must_use]
pub fn failure_word(status: Status) -> &'static str {
    let known = FAILURES.iter().find(|(_, known)| *known == status);
    known.map_or("RuntimeFailedConfig", |(word, _)| word)
}

#[derive(Default)]
pub(crate) struct RowReader<'a> {
    /// Whether to keep only what a search over times needs: see [`parse_kernel_tuner_times`].
    ///
    /// [`parse_kernel_tuner_times`]: super::parse_kernel_tuner_times
    pub(crate) sparing: bool,
    tokens: Tokens<'a>,
    places: Vec<Option<u32>>,
    known: Vec<u32>,
    /// For each parameter, where its values are by Kernel Tuner's text, once a row needs them.
    keys: Vec<FxHashMap<String, u32>>,
    /// Byte at which the last complete row ends; 0 before the first row.
    pub(crate) whole: usize,
    pub(crate) unreadable: usize,
    pub(crate) unknown: usize,
    pub(crate) again: usize,
    /// Number of runs of the last row, as the likely number of the next.
    runs: usize,
}

impl<'a> RowReader<'a> {
    pub(crate) fn new(parameters: usize, sparing: bool) -> Self {
        Self { tokens: Tokens::new(parameters), sparing, ..Self::default() }
    }

    /// Reads the rows of the entered object to its end.
    pub(crate) fn read(
        &mut self,
        reader: &mut JsonReader<'a>,
        space: &mut RecordedSpace,
    ) -> Result<(), JsonFault> {
        let begin = reader.at();
        self.whole = begin;
        while let Some(key) = reader.key()? {
            if reader.enter(b'{')? {
                self.row(reader, &key, space)?;
            } else {
                reader.skip()?;
                self.unreadable += 1;
            }
            if self.whole <= begin {
                // Other rows take about as many bytes as the first.
                space.reserve((reader.rest().len() / (reader.at() - begin) + 1).min(MANY));
            }
            self.whole = reader.at();
        }
        Ok(())
    }

    fn row(
        &mut self,
        reader: &mut JsonReader<'a>,
        key: &str,
        space: &mut RecordedSpace,
    ) -> Result<(), JsonFault> {
        self.places.clear();
        self.places.resize(space.parameters.len(), None);
        let mut draft = Draft::default();
        // Members are mostly in the order of the parameters.
        let mut next = 0;
        while let Some(name) = reader.key()? {
            match parameter(space, &name, next) {
                Some(at) => {
                    self.places[at] = self.tokens.place(space, at, reader.token()?);
                    next = at + 1;
                }
                None => self.member(&mut draft, name, reader)?,
            }
        }
        if !self.configuration(key, space) {
            self.unreadable += 1;
            return Ok(());
        }
        let (trial, clear) = draft.finish();
        self.unknown += usize::from(!clear);
        match space.row_of(&self.known) {
            Some(row) => {
                self.again += 1;
                space.replace(row, trial);
            }
            None => space.push(&self.known, trial),
        }
        Ok(())
    }

    fn member(
        &mut self,
        draft: &mut Draft,
        name: Cow<'a, str>,
        reader: &mut JsonReader<'a>,
    ) -> Result<(), JsonFault> {
        let trial = &mut draft.trial;
        let cost = match &*name {
            "compile_time" => &mut trial.compile_ms,
            "verification_time" => &mut trial.verification_ms,
            "benchmark_time" => &mut trial.benchmark_ms,
            "strategy_time" => &mut trial.strategy_ms,
            "framework_time" => &mut trial.framework_ms,
            "times" if self.sparing => {
                let (sum, runs) = reader.sum()?;
                trial.times_ms = (runs > 0).then_some(sum).into_iter().collect();
                draft.mean_ms = (runs > 0).then(|| sum / runs as f64);
                return Ok(());
            }
            "times" => {
                trial.times_ms = reader.times(self.runs)?;
                self.runs = trial.times_ms.len();
                return Ok(());
            }
            "time" => {
                if let Some(word) = draft.time(reader, 1.0)?
                    && draft.failure.is_none()
                {
                    draft.failure = Some(RowFailure::of(&word, &FAILURES));
                }
                return Ok(());
            }
            _ => return self.other(draft, name, reader),
        };
        *cost = reader.time()?.unwrap_or(0.0);
        Ok(())
    }

    /// Reads any other member. A word where a number belongs means a failure.
    fn other(
        &self,
        draft: &mut Draft,
        name: Cow<'a, str>,
        reader: &mut JsonReader<'a>,
    ) -> Result<(), JsonFault> {
        if reader.peek()? != b'"' {
            return match self.sparing && name != OWN_MEMBER {
                true => reader.skip(),
                false => draft.other(name, reader),
            };
        }
        let text = reader.text()?;
        if name == "__error__" || FAILURES.iter().any(|(word, _)| *word == text) {
            draft.failure = Some(RowFailure::of(&text, &FAILURES));
        } else if self.sparing {
            // A search over times does not need this member.
        } else if name == "timestamp" {
            draft.trial.timestamp = text.into_owned();
        } else {
            draft.trial.keep(&name, json_text(&text));
        }
        Ok(())
    }

    /// Finds the places of the row's values from its members, or else from its key.
    fn configuration(&mut self, key: &str, space: &RecordedSpace) -> bool {
        self.known.clear();
        let mut parts: Option<Vec<&str>> = None;
        let keys = &mut self.keys;
        for (at, place) in self.places.iter().enumerate() {
            let named = || {
                let parts = parts.get_or_insert_with(|| key.split(',').map(str::trim).collect());
                let part = parts.get(at).filter(|_| parts.len() == self.places.len())?;
                if keys.is_empty() {
                    keys.extend(space.parameters.iter().map(|(_, values)| by_text(values)));
                }
                keys[at].get(*part).copied()
            };
            let Some(place) = place.or_else(named) else { return false };
            self.known.push(place);
        }
        true
    }
}

fn by_text(values: &[Value]) -> FxHashMap<String, u32> {
    // Of equal texts, the first counts.
    let places = values.iter().zip(0..values.len() as u32).rev();
    places.map(|(value, place)| (python_text(value), place)).collect()
}

/// Position of the parameter with this name; tries `likely` first.
#[inline]
pub(crate) fn parameter(space: &RecordedSpace, name: &str, likely: usize) -> Option<usize> {
    let is = |(parameter, _): &(String, Vec<Value>)| parameter == name;
    if space.parameters.get(likely).is_some_and(is) {
        return Some(likely);
    }
    space.parameters.iter().position(is)
}
