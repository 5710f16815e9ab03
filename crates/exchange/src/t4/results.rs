//! Results of a T4 file.

use std::borrow::Cow;

use records::Status;
use space::Value;

use crate::{
    RecordedSpace,
    kernel_tuner::rows::parameter,
    spaces::{
        json_reader::{JsonFault, JsonReader, Scalar, json_text},
        row_draft::{Draft, RowFailure},
        tokens::Tokens,
        value_text::words,
    },
    t4::{
        tally::Tally,
        vocabulary::{INVALIDITIES, TIMES_PREFIX, milliseconds},
    },
};

#[derive(Default)]
pub(crate) struct Results<'a> {
    tokens: Tokens<'a>,
    begun: bool,
    places: Vec<Option<u32>>,
    objectives: Option<&'a str>,
    /// Number of runs of the last result, as the likely number of the next.
    runs: usize,
    pub(crate) tally: Tally,
}

#[derive(Default)]
struct SeenFields {
    draft: Draft,
    times: bool,
    benchmark: bool,
    invalidity: bool,
    correct: Option<bool>,
    configuration: bool,
}

impl<'a> Results<'a> {
    /// Sets the parameters, instead of taking those of the first result.
    pub(crate) fn begin(
        &mut self,
        parameters: Vec<(String, Vec<Value>)>,
        space: &mut RecordedSpace,
    ) {
        self.begun = true;
        self.tokens = Tokens::new(parameters.len());
        space.begin(parameters);
    }

    /// Reads the entered list. Its times are in units of `unit` milliseconds.
    pub(crate) fn read(
        &mut self,
        reader: &mut JsonReader<'a>,
        space: &mut RecordedSpace,
        unit: f64,
    ) -> Result<(), JsonFault> {
        while reader.element()? {
            if reader.enter(b'{')? {
                self.result(reader, space, unit)?;
            } else {
                reader.skip()?;
                self.tally.unreadable += 1;
            }
        }
        Ok(())
    }

    fn result(
        &mut self,
        reader: &mut JsonReader<'a>,
        space: &mut RecordedSpace,
        unit: f64,
    ) -> Result<(), JsonFault> {
        let mut parts = SeenFields::default();
        while let Some(name) = reader.key()? {
            match &*name {
                "configuration" => parts.configuration = self.configuration(reader, space)?,
                "times" => self.times(&mut parts, reader, unit)?,
                "measurements" => self.measurements(&mut parts, reader, space, unit)?,
                "objectives" => self.objectives(reader, space)?,
                "timestamp" => {
                    if let Scalar::Text(text) = reader.scalar()? {
                        parts.draft.trial.timestamp = text.into_owned();
                    }
                }
                "invalidity" => {
                    if let Scalar::Text(word) = reader.scalar()? {
                        parts.invalidity = true;
                        if word != "correct" {
                            parts.draft.failure = Some(RowFailure::of(&word, &INVALIDITIES));
                        }
                    }
                }
                "correctness" => {
                    parts.correct = match reader.scalar()? {
                        Scalar::Number(number) => Some(number > 0.0),
                        Scalar::Other(word) => Some(word == "true"),
                        _ => None,
                    }
                }
                _ => parts.draft.other(name, reader)?,
            }
        }
        self.keep(parts, space);
        Ok(())
    }

    fn keep(&mut self, mut parts: SeenFields, space: &mut RecordedSpace) {
        let places: Option<Vec<u32>> = self.places.iter().copied().collect();
        let Some(places) = places.filter(|_| parts.configuration) else {
            self.tally.unreadable += 1;
            return;
        };
        if space.row_of(&places).is_some() {
            self.tally.again += 1;
            return;
        }
        let complete = parts.times && parts.invalidity && parts.correct.is_some();
        self.tally.incomplete += usize::from(!complete);
        if parts.correct == Some(false) && parts.draft.failure.is_none() {
            let (status, reason) = (Status::WrongResult, Status::WrongResult.recorded());
            parts.draft.failure = Some(RowFailure { status, reason, known: true });
        }
        let (mut trial, clear) = parts.draft.finish();
        self.tally.unknown += usize::from(!clear);
        if !parts.benchmark && !trial.times_ms.is_empty() {
            self.tally.no_benchmark += 1;
            trial.benchmark_ms = trial.times_ms.iter().sum();
        }
        space.push(&places, trial);
    }

    /// Whether the configuration has only known parameters. By default these are the parameters of
    /// the first result.
    fn configuration(
        &mut self,
        reader: &mut JsonReader<'a>,
        space: &mut RecordedSpace,
    ) -> Result<bool, JsonFault> {
        self.places.clear();
        if !reader.enter(b'{')? {
            reader.skip()?;
            return Ok(false);
        }
        if !self.begun {
            let mut ahead = reader.clone();
            let mut parameters: Vec<(String, Vec<Value>)> = Vec::new();
            while let Some(name) = ahead.key()? {
                ahead.skip()?;
                if !parameters.iter().any(|(known, _)| *known == *name) {
                    parameters.push((name.into_owned(), Vec::new()));
                }
            }
            self.begin(parameters, space);
        }
        self.places.resize(space.parameters.len(), None);
        let (mut whole, mut next) = (true, 0);
        while let Some(name) = reader.key()? {
            let token = reader.token()?;
            match parameter(space, &name, next) {
                Some(at) => {
                    self.places[at] = self.tokens.place(space, at, token);
                    next = at + 1;
                }
                None => whole = false,
            }
        }
        Ok(whole)
    }

    fn times(
        &mut self,
        parts: &mut SeenFields,
        reader: &mut JsonReader<'a>,
        unit: f64,
    ) -> Result<(), JsonFault> {
        if !reader.enter(b'{')? {
            return reader.skip();
        }
        parts.times = true;
        let mut spelled = (false, false);
        while let Some(name) = reader.key()? {
            let trial = &mut parts.draft.trial;
            let cost = match &*name {
                "compilation_time" => {
                    spelled.0 = true;
                    &mut trial.compile_ms
                }
                "compilation" => {
                    spelled.1 = true;
                    &mut trial.compile_ms
                }
                "benchmark" => {
                    parts.benchmark = true;
                    &mut trial.benchmark_ms
                }
                "validation" => &mut trial.verification_ms,
                "search_algorithm" => &mut trial.strategy_ms,
                "framework" => &mut trial.framework_ms,
                "runtimes" => {
                    trial.times_ms = reader.times(self.runs)?;
                    trial.times_ms.iter_mut().for_each(|time| *time *= unit);
                    self.runs = trial.times_ms.len();
                    continue;
                }
                other => {
                    let name = Cow::Owned(format!("{TIMES_PREFIX}{other}"));
                    parts.draft.other(name, reader)?;
                    continue;
                }
            };
            *cost = reader.time()?.unwrap_or(0.0) * unit;
        }
        self.tally.misspelled += usize::from(spelled == (false, true));
        Ok(())
    }

    fn measurements(
        &mut self,
        parts: &mut SeenFields,
        reader: &mut JsonReader<'a>,
        space: &mut RecordedSpace,
        unit: f64,
    ) -> Result<(), JsonFault> {
        if !reader.enter(b'[')? {
            return reader.skip();
        }
        while reader.element()? {
            if reader.enter(b'{')? {
                self.measurement(parts, reader, space, unit)?;
            } else {
                reader.skip()?;
            }
        }
        Ok(())
    }

    fn measurement(
        &mut self,
        parts: &mut SeenFields,
        reader: &mut JsonReader<'a>,
        space: &mut RecordedSpace,
        unit: f64,
    ) -> Result<(), JsonFault> {
        let (mut name, mut value, mut stated) = (None, None, Cow::Borrowed(""));
        while let Some(member) = reader.key()? {
            match (&*member, reader.peek()?) {
                ("name", b'"') => name = Some(reader.text()?),
                ("unit", b'"') => stated = reader.text()?,
                ("value", _) => {
                    value = Some(reader.clone());
                    reader.skip()?;
                }
                _ => reader.skip()?,
            }
        }
        let (Some(name), Some(mut value)) = (name, value) else { return Ok(()) };
        let before = value.missing;
        if name == "time" {
            let word = parts.draft.time(&mut value, milliseconds(&stated).unwrap_or(unit))?;
            if let Some(word) = word
                && parts.draft.failure.is_none()
            {
                parts.draft.failure = Some(RowFailure::of(&word, &INVALIDITIES));
            }
        } else {
            if !stated.is_empty() {
                let known = space.units.entry(name.as_ref().to_owned());
                let known = known.or_insert_with(|| stated.as_ref().to_owned());
                self.tally.units += usize::from(*known != *stated);
            }
            parts.draft.other(name, &mut value)?;
        }
        reader.missing.add_since(before, value.missing);
        Ok(())
    }

    fn objectives(
        &mut self,
        reader: &mut JsonReader<'a>,
        space: &mut RecordedSpace,
    ) -> Result<(), JsonFault> {
        let mut ahead = reader.clone();
        let token = reader.token()?;
        match self.objectives {
            Some(first) if first == token => {}
            Some(_) => self.tally.other_objectives += 1,
            None => {
                let json = ahead.json()?;
                space.objective = words(&json);
                if json_text(&space.objective) != json.trim_matches(['[', ']', ' ', '\n']) {
                    space.header.push(("objective".to_owned(), json));
                }
                self.objectives = Some(token);
            }
        }
        Ok(())
    }
}
