//! Kernel Tuner's cache file, read leniently: one JSON object whose `cache` maps `v1,v2,…` to a
//! row; unclosed while its writer runs; failures as `__error__` or as a word in the place of a
//! figure. Times are milliseconds. Nothing in it is ever evaluated.
//!
//! Reference: <https://kerneltuner.github.io/kernel_tuner/stable/cache_files.html>

use std::borrow::Cow;

use super::{
    RecordedSpace, RecordedTrial, SpaceFormat, Status,
    json_reader::{Fault, Reader, json_text},
    python_text,
    row_draft::{Draft, Failure},
    tokens::{self, Tokens},
    words::words,
};
use crate::space::Value;

/// The words for failures, and what they mean.
const FAILURES: [(&str, Status); 4] = [
    ("InvalidConfig", Status::Invalid),
    ("CompilationFailedConfig", Status::CompileFailed),
    ("RuntimeFailedConfig", Status::RunFailed),
    ("ErrorConfig", Status::RunFailed),
];

/// The word that Kernel Tuner has for a failure; what it cannot tell apart are failed runs.
#[must_use]
pub fn failure_word(status: Status) -> &'static str {
    let known = FAILURES.iter().find(|(_, known)| *known == status);
    known.map_or("RuntimeFailedConfig", |(word, _)| word)
}

/// Reads the text of a cache file.
///
/// # Errors
/// What makes it something else, in words.
pub fn parse_kernel_tuner(text: &str) -> Result<RecordedSpace, String> {
    let mut reader = Reader::new(text);
    let mut file = CacheFile::default();
    let read = file.read(&mut reader);
    let begun = file.rows.as_ref().map(|rows| rows.whole).filter(|whole| *whole > 0);
    let warning = match (read, begun) {
        (Ok(()), _) if reader.rest().trim().is_empty() => None,
        (Ok(()), _) => Some("there is more text after the end, which is left out"),
        (Err(Fault::End), Some(whole)) => {
            let lost = text[whole..].trim_matches([',', ' ', '\n', '\r', '\t', '}']);
            Some(match lost {
                "" => "the file was never closed: its writer may still run, or was stopped",
                _ => "the file ends inside a row, which is left out",
            })
        }
        (Err(fault), _) => return Err(fault.sentence(text)),
    };
    file.space.warnings.extend(warning.map(str::to_owned));
    file.finish()
}

/// A file in the middle of being read.
#[derive(Default)]
struct CacheFile<'a> {
    space: RecordedSpace,
    names: Option<Vec<String>>,
    lists: Option<Vec<(String, Vec<Value>)>>,
    rows: Option<Rows<'a>>,
    not_finite: usize,
}

impl<'a> CacheFile<'a> {
    /// The whole object. Rows that come before the parameters are looked at last.
    fn read(&mut self, reader: &mut Reader<'a>) -> Result<(), Fault> {
        if !reader.enter(b'{')? {
            return Err(Fault::Expected("a JSON object", 0));
        }
        let mut early = None;
        while let Some(name) = reader.key()? {
            match &*name {
                "cache" if self.names.is_some() && self.lists.is_some() => self.rows(reader)?,
                "cache" => {
                    early = Some(reader.clone());
                    reader.skip()?;
                }
                "tune_params_keys" => self.names = Some(names(reader)?),
                "tune_params" => self.lists = Some(lists(reader)?),
                _ => self.header(&name, reader.json()?),
            }
        }
        self.not_finite = reader.not_finite;
        early.map_or(Ok(()), |mut early| self.rows(&mut early))
    }

    fn header(&mut self, name: &str, json: String) {
        let place = match name {
            "device_name" => &mut self.space.device,
            "kernel_name" => &mut self.space.kernel,
            "problem_size" => &mut self.space.problem_size,
            "objective" => &mut self.space.objective,
            _ => return self.space.header.push((name.to_owned(), json)),
        };
        *place = words(&json);
        if !json.starts_with('"') {
            self.space.header.push((name.to_owned(), json));
        }
    }

    fn rows(&mut self, reader: &mut Reader<'a>) -> Result<(), Fault> {
        let Some(names) = self.names.take() else { return Ok(()) };
        let lists = self.lists.take().unwrap_or_default();
        let listed = |name: String| {
            let list = lists.iter().find(|(listed, _)| *listed == name);
            (name, list.map_or_else(Vec::new, |(_, values)| values.clone()))
        };
        let parameters: Vec<_> = names.into_iter().map(listed).collect();
        let tokens = Tokens::new(parameters.len());
        self.space.begin(parameters);
        let rows = self.rows.insert(Rows { tokens, ..Rows::default() });
        let read = rows.read(reader, &mut self.space);
        self.not_finite = reader.not_finite;
        read
    }

    fn finish(self) -> Result<RecordedSpace, String> {
        let mut space = self.space;
        let Some(rows) = self.rows else {
            let lacking = if self.names.is_some() { "`cache`" } else { "`tune_params_keys`" };
            return Err(format!("it has no {lacking}"));
        };
        for at in 0..space.parameters.len() {
            if space.parameters[at].1.is_empty() {
                let name = &space.parameters[at].0;
                let warning = format!("`{name}` lists no values; those of the rows are taken");
                space.warnings.push(warning);
                space.list_seen(at);
            }
        }
        for (count, what) in [
            (self.not_finite, "values are NaN or infinite; they are read as missing"),
            (rows.unreadable, "rows do not name a configuration; they are left out"),
            (rows.unknown, "rows have no time and no known error; they count as failed runs"),
            (rows.again, "rows repeat a configuration; the last of each counts"),
        ] {
            if count > 0 {
                space.warnings.push(format!("{count} {what}"));
            }
        }
        space.format = SpaceFormat::KernelTuner;
        Ok(space)
    }
}

/// The rows in the middle of being read.
#[derive(Default)]
struct Rows<'a> {
    tokens: Tokens<'a>,
    places: Vec<Option<u32>>,
    known: Vec<u32>,
    /// Where the last complete row ends; 0 before the first could begin.
    whole: usize,
    unreadable: usize,
    unknown: usize,
    again: usize,
    /// How many runs the last row had.
    runs: usize,
}

impl<'a> Rows<'a> {
    fn read(&mut self, reader: &mut Reader<'a>, space: &mut RecordedSpace) -> Result<(), Fault> {
        if !reader.enter(b'{')? {
            return reader.skip();
        }
        self.whole = reader.at();
        while let Some(key) = reader.key()? {
            if reader.enter(b'{')? {
                self.row(reader, &key, space)?;
            } else {
                reader.skip()?;
                self.unreadable += 1;
            }
            self.whole = reader.at();
        }
        Ok(())
    }

    fn row(
        &mut self,
        reader: &mut Reader<'a>,
        key: &str,
        space: &mut RecordedSpace,
    ) -> Result<(), Fault> {
        self.places.clear();
        self.places.resize(space.parameters.len(), None);
        let mut draft = Draft::default();
        // Parameters mostly stand in their order.
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
        reader: &mut Reader<'a>,
    ) -> Result<(), Fault> {
        let trial = &mut draft.trial;
        let cost = match &*name {
            "compile_time" => &mut trial.compile_ms,
            "verification_time" => &mut trial.verification_ms,
            "benchmark_time" => &mut trial.benchmark_ms,
            "strategy_time" => &mut trial.strategy_ms,
            "framework_time" => &mut trial.framework_ms,
            "times" => {
                trial.times_ms = reader.numbers(self.runs)?;
                self.runs = trial.times_ms.len();
                return Ok(());
            }
            "time" => {
                if let Some(word) = draft.time(reader, 1.0)?
                    && draft.failure.is_none()
                {
                    draft.failure = Some(Failure::of(&word, &FAILURES));
                }
                return Ok(());
            }
            _ => return Self::other(draft, name, reader),
        };
        *cost = RecordedTrial::cost(reader.number()?);
        Ok(())
    }

    /// Any other member: a word for a failure can stand in the place of any figure.
    fn other(draft: &mut Draft, name: Cow<'a, str>, reader: &mut Reader<'a>) -> Result<(), Fault> {
        if reader.peek()? != b'"' {
            return draft.other(name, reader);
        }
        let text = reader.text()?;
        if name == "timestamp" {
            draft.trial.timestamp = text.into_owned();
        } else if name == "__error__" || FAILURES.iter().any(|(word, _)| *word == text) {
            draft.failure = Some(Failure::of(&text, &FAILURES));
        } else {
            draft.trial.keep(&name, json_text(&text));
        }
        Ok(())
    }

    /// The places of the row's values: from its own members, or else from its key.
    fn configuration(&mut self, key: &str, space: &RecordedSpace) -> bool {
        self.known.clear();
        let mut parts: Option<Vec<&str>> = None;
        for (at, place) in self.places.iter().enumerate() {
            let named = || {
                let parts = parts.get_or_insert_with(|| key.split(',').map(str::trim).collect());
                let part = parts.get(at).filter(|_| parts.len() == self.places.len())?;
                let values = &space.parameters[at].1;
                let found = values.iter().position(|value| python_text(value) == *part)?;
                u32::try_from(found).ok()
            };
            let Some(place) = place.or_else(named) else { return false };
            self.known.push(place);
        }
        true
    }
}

/// The parameter of a name, looked for first where it is likely.
#[inline]
pub(super) fn parameter(space: &RecordedSpace, name: &str, likely: usize) -> Option<usize> {
    let is = |(parameter, _): &(String, Vec<Value>)| parameter == name;
    if space.parameters.get(likely).is_some_and(is) {
        return Some(likely);
    }
    space.parameters.iter().position(is)
}

fn names(reader: &mut Reader<'_>) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    if !reader.enter(b'[')? {
        return Err(reader.expected("a list of names"));
    }
    while reader.element()? {
        names.push(reader.text()?.into_owned());
    }
    Ok(names)
}

fn lists(reader: &mut Reader<'_>) -> Result<Vec<(String, Vec<Value>)>, Fault> {
    let mut lists = Vec::new();
    if !reader.enter(b'{')? {
        return Err(reader.expected("an object of lists"));
    }
    while let Some(name) = reader.key()? {
        lists.push((name.into_owned(), tokens::list(reader)?));
    }
    Ok(lists)
}

#[cfg(test)]
#[path = "kernel_tuner_tests.rs"]
mod tests;
