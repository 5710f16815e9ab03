//! Reads Kernel Tuner's cache file leniently: a JSON object whose `cache` maps `v1,v2,…` to a row.
//! The object stays unclosed while its writer runs. A failure is an `__error__` member, or a word
//! where a number belongs. Times are in milliseconds. Nothing in the file is ever evaluated.
//! Reference: <https://kerneltuner.github.io/kernel_tuner/stable/cache_files.html>

pub(crate) mod rows;

use space::Value;

use crate::{
    RecordedSpace, SpaceFormat,
    kernel_tuner::rows::RowReader,
    spaces::{
        json_reader::{JsonFault, JsonReader, ReadAsMissing},
        tokens,
        value_text::words,
        warnings::bound,
    },
};

/// Reads the text of a cache file.
///
/// # Errors
/// If the text is not a cache file; the error says why.
pub fn parse_kernel_tuner(text: &str) -> Result<RecordedSpace, String> {
    parse(text, CacheFile::default())
}

/// Reads only what a search over times needs of a cache file, in half the time. The runs of a row
/// are summed up as if they were one run. Of a row's other members only its outcome and its cost
/// are kept.
///
/// # Errors
/// If the text is not a cache file; the error says why.
pub fn parse_kernel_tuner_times(text: &str) -> Result<RecordedSpace, String> {
    parse(text, CacheFile { sparing: true, ..CacheFile::default() })
}

fn parse<'a>(text: &'a str, mut file: CacheFile<'a>) -> Result<RecordedSpace, String> {
    let mut reader = JsonReader::new(text);
    let read = file.read(&mut reader);
    let begun = file.rows.as_ref().map(|rows| rows.whole).filter(|whole| *whole > 0);
    let warning = match (read, begun) {
        (Ok(()), _) if reader.rest().trim().is_empty() => None,
        (Ok(()), _) => Some("there is more text after the end, which is left out"),
        (Err(JsonFault::End), Some(whole)) => {
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

#[derive(Default)]
struct CacheFile<'a> {
    space: RecordedSpace,
    names: Option<Vec<String>>,
    lists: Option<Vec<(String, Vec<Value>)>>,
    rows: Option<RowReader<'a>>,
    missing: ReadAsMissing,
    sparing: bool,
}

impl<'a> CacheFile<'a> {
    /// Reads the whole object. Rows that come before the parameters are read last.
    fn read(&mut self, reader: &mut JsonReader<'a>) -> Result<(), JsonFault> {
        if !reader.enter(b'{')? {
            return Err(JsonFault::Expected("a JSON object", 0));
        }
        let mut early = None;
        while let Some(name) = reader.key()? {
            let known = early.is_some() || self.rows.is_some();
            match &*name {
                "cache" if known => {
                    self.once("cache");
                    reader.skip()?;
                }
                "tune_params_keys" if self.names.is_some() || self.rows.is_some() => {
                    self.once(&name);
                    reader.skip()?;
                }
                "tune_params" if self.lists.is_some() || self.rows.is_some() => {
                    self.once(&name);
                    reader.skip()?;
                }
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
        let Some(mut early) = early else {
            self.missing = reader.missing;
            return Ok(());
        };
        early.missing = reader.missing;
        self.rows(&mut early)
    }

    fn once(&mut self, member: &str) {
        self.space.warnings.push(format!("`{member}` is there again; the first counts"));
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

    fn rows(&mut self, reader: &mut JsonReader<'a>) -> Result<(), JsonFault> {
        let Some(names) = self.names.take() else { return Ok(()) };
        let lists = self.lists.take().unwrap_or_default();
        let listed = |name: String| {
            let list = lists.iter().find(|(listed, _)| *listed == name);
            (name, list.map_or_else(Vec::new, |(_, values)| values.clone()))
        };
        let parameters: Vec<_> = names.into_iter().map(listed).collect();
        let rows = self.rows.insert(RowReader::new(parameters.len(), self.sparing));
        self.space.begin(parameters);
        let read = match reader.enter(b'{') {
            Ok(true) => rows.read(reader, &mut self.space),
            Ok(false) => reader.skip(),
            Err(fault) => Err(fault),
        };
        self.missing = reader.missing;
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
        let rows = [
            (rows.unreadable, "rows do not name a configuration; they are left out"),
            (rows.unknown, "rows have no time and no known error; they count as failed runs"),
            (rows.again, "rows repeat a configuration; the last of each counts"),
        ];
        for (count, what) in self.missing.in_words().into_iter().chain(rows) {
            if count > 0 {
                space.warnings.push(format!("{count} {what}"));
            }
        }
        bound(&mut space.warnings);
        space.format = SpaceFormat::KernelTuner;
        Ok(space)
    }
}

fn names(reader: &mut JsonReader<'_>) -> Result<Vec<String>, JsonFault> {
    let mut names = Vec::new();
    if !reader.enter(b'[')? {
        return Err(reader.expected("a list of names"));
    }
    while reader.element()? {
        names.push(reader.text()?.into_owned());
    }
    Ok(names)
}

fn lists(reader: &mut JsonReader<'_>) -> Result<Vec<(String, Vec<Value>)>, JsonFault> {
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
mod tests;
