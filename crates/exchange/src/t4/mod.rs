//! Reads T4 results leniently: a JSON object whose `results` lists configurations with times,
//! measurements and a word on validity. Where Kernel Tuner and the benchmark hub deviate from the
//! schema, reading gives a warning.
//! Reference: <https://github.com/odgaard/TuningSchema>

pub(crate) mod results;
pub(crate) mod tally;
pub(crate) mod vocabulary;

use serde_json::{Map, Value as Json};

use crate::{
    OWN_MEMBER, OwnHeader, RecordedSpace, SpaceFormat,
    spaces::{
        json_reader::{JsonFault, JsonReader},
        value_text::words,
        warnings::bound,
    },
    t4::{results::Results, vocabulary::milliseconds},
};

/// Reads the text of a T4 file.
///
/// # Errors
/// If the text is not T4 results; the error says why.
pub fn parse_t4(text: &str) -> Result<RecordedSpace, String> {
    let mut reader = JsonReader::new(text);
    let mut file = T4File::default();
    let mut read = file.members(&mut reader);
    if matches!(read, Ok(()) | Err(JsonFault::End))
        && let Some(mut early) = file.early.take()
    {
        read = read.and(file.results(&mut early));
    }
    match read {
        Ok(()) if !reader.rest().trim().is_empty() => {
            file.warn("there is more text after the end, which is left out");
        }
        Err(JsonFault::End) if !file.space.is_empty() => {
            file.warn("the file ends too early; its complete results are read");
        }
        Ok(()) => {}
        Err(fault) => return Err(fault.sentence(text)),
    }
    file.finish()
}

#[derive(Default)]
struct T4File<'a> {
    space: RecordedSpace,
    results: Results<'a>,
    /// Results that come before the unit of their times; read at the end.
    early: Option<JsonReader<'a>>,
    /// Milliseconds per time unit of the file, if it names a unit.
    unit: Option<f64>,
    found: bool,
}

impl<'a> T4File<'a> {
    fn warn(&mut self, warning: impl Into<String>) {
        self.space.warnings.push(warning.into());
    }

    fn members(&mut self, reader: &mut JsonReader<'a>) -> Result<(), JsonFault> {
        if !reader.enter(b'{')? {
            return Err(JsonFault::Expected("a JSON object", 0));
        }
        while let Some(name) = reader.key()? {
            match &*name {
                "results" if self.unit.is_some() => self.results(reader)?,
                "results" => {
                    self.early = Some(reader.clone());
                    reader.skip()?;
                }
                "metadata" => self.metadata(&reader.json()?),
                "schema_version" => {
                    let version = words(&reader.json()?);
                    if !version.starts_with("1.") {
                        self.warn(format!("`schema_version` is `{version}`; it is read as 1.0.0"));
                    }
                }
                _ => self.space.header.push((name.into_owned(), reader.json()?)),
            }
        }
        Ok(())
    }

    fn metadata(&mut self, json: &str) {
        let mut metadata: Map<String, Json> = serde_json::from_str(json).unwrap_or_default();
        if let Some(unit) = metadata.remove("timeunit") {
            self.time_unit(&words(&unit.to_string()));
        }
        let own = metadata.remove(OWN_MEMBER).map(serde_json::from_value::<OwnHeader>);
        if let Some(Ok(own)) = own
            && self.space.parameters.is_empty()
        {
            self.space.device = own.device;
            self.space.kernel = own.kernel;
            self.space.problem_size = own.problem_size;
            let fields = own.fields.into_iter().map(|(name, json)| (name, json.to_string()));
            self.space.header.extend(fields);
            self.results.begin(own.parameters, &mut self.space);
        }
        if !metadata.is_empty() {
            self.space.header.push(("metadata".to_owned(), Json::Object(metadata).to_string()));
        }
    }

    fn time_unit(&mut self, unit: &str) {
        const SPELLED: [&str; 4] = ["milliseconds", "seconds", "microseconds", "nanoseconds"];
        let known = milliseconds(unit);
        self.unit = Some(known.unwrap_or(1.0));
        if !SPELLED.contains(&unit) {
            let read = match known {
                Some(_) => "understood all the same",
                None => "no known unit; times are read as milliseconds",
            };
            self.warn(format!("`metadata.timeunit` is `{unit}`, {read}"));
        }
    }

    fn results(&mut self, reader: &mut JsonReader<'a>) -> Result<(), JsonFault> {
        if !reader.enter(b'[')? {
            return Err(reader.expected("a list of results"));
        }
        self.found = true;
        let before = reader.missing;
        let read = self.results.read(reader, &mut self.space, self.unit.unwrap_or(1.0));
        self.results.tally.missing.add_since(before, reader.missing);
        read
    }

    fn finish(mut self) -> Result<RecordedSpace, String> {
        if !self.found {
            return Err("it has no `results`".to_owned());
        }
        if self.unit.is_none() {
            self.warn("no `metadata.timeunit`; times are read as milliseconds");
        }
        for at in 0..self.space.parameters.len() {
            if self.space.parameters[at].1.is_empty() {
                self.space.list_seen(at);
            }
        }
        self.space.warnings.extend(self.results.tally.sentences());
        bound(&mut self.space.warnings);
        self.space.format = SpaceFormat::T4;
        Ok(self.space)
    }
}

#[cfg(test)]
mod tests;
