//! Where a space comes from: a T1 file, a recorded space, or a benchmark.

use std::path::{Path, PathBuf};

use exchange::{RecordedError, RecordedSpace, T1Error, read_space_at, read_t1};
use plugins::{self, Locator, SearchPath};
use records::STUDY_FILE;
use space::{Parameter, Space, Value, keep_values};
use study::{
    Replayed, Subject,
    prepare::{describe, start},
};

use crate::terminal::Failure;

#[derive(Debug)]
pub(super) struct SpaceSource {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) restrictions: Vec<String>,
    pub(super) constants: Vec<(String, Value)>,
    pub(super) warnings: Vec<String>,
    recorded: Option<Box<RecordedSpace>>,
}

impl SpaceSource {
    /// Opens a file by its content, or else a benchmark by its name.
    pub(super) fn open(
        name: &str,
        plugin_path: &[PathBuf],
        size: Option<u64>,
    ) -> Result<Self, Failure> {
        let path = Path::new(name);
        if path.join(STUDY_FILE).is_file() {
            let space = read_space_at(path, size).map_err(Failure::settings)?;
            return Ok(Self::recorded(path, space));
        }
        if name.contains('/') && path.is_dir() {
            let what = format!("`{name}` is a folder that holds no study");
            return Err(Failure::settings(what).hint("name a file in it"));
        }
        let search = SearchPath::new(plugin_path);
        let is_guest = || matches!(plugins::find(name, &search), Ok(Locator::Guest(_)));
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let file = match ending {
            "json" | "gz" | "t1" => true,
            "so" | "dylib" | "yaml" | "yml" => false,
            _ => path.is_file() && !is_guest(),
        };
        if !file {
            return Self::benchmark(name, &search, size);
        }
        let not_t1 = match read_t1(path) {
            Ok(_) if size.is_some() => {
                return Err(Failure::settings(RecordedError::OneSize(path.to_owned())));
            }
            Ok(t1) => {
                let mut about = vec!["T1".to_owned()];
                about.extend((!t1.kernel.is_empty()).then(|| format!("kernel `{}`", t1.kernel)));
                about.extend(Some(t1.language).filter(|language| !language.is_empty()));
                if !t1.problem_size.is_empty() {
                    about.push(format!("problem size {}", t1.problem_size.join(" × ")));
                }
                return Ok(Self {
                    name: if t1.name.is_empty() { name.to_owned() } else { t1.name },
                    about: about.join(", "),
                    parameters: t1.parameters,
                    restrictions: t1.restrictions,
                    constants: t1.constants,
                    warnings: t1.warnings,
                    recorded: None,
                });
            }
            Err(fault @ T1Error::File(_)) => return Err(Failure::settings(fault)),
            Err(fault) if mentions(path, "\"ConfigurationSpace\"") => {
                return Err(Failure::settings(fault));
            }
            Err(T1Error::Malformed { why, .. }) => why,
        };
        match read_space_at(path, size) {
            Ok(space) => Ok(Self::recorded(path, space)),
            Err(RecordedError::Malformed { why, .. }) => Err(Failure::settings(format!(
                "`{name}` is neither a T1 file ({not_t1}) nor a recorded space ({why})"
            ))),
            Err(fault) => Err(Failure::settings(fault)),
        }
    }

    fn recorded(path: &Path, mut space: RecordedSpace) -> Self {
        let parameters = space.parameters.iter();
        let mut about = vec![space.format.words().to_owned()];
        if !space.device.is_empty() {
            about.push(format!("recorded on {}", space.device));
        }
        if !space.problem_size.is_empty() {
            about.push(format!("problem size {}", space.problem_size));
        }
        let file = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            name: Some(space.kernel.clone()).filter(|name| !name.is_empty()).unwrap_or_else(file),
            about: about.join(", "),
            parameters: parameters.map(|(n, values)| Parameter::new(n, values.clone())).collect(),
            restrictions: Vec::new(),
            constants: Vec::new(),
            warnings: std::mem::take(&mut space.warnings),
            recorded: Some(Box::new(space)),
        }
    }

    fn benchmark(name: &str, search: &SearchPath, size: Option<u64>) -> Result<Self, Failure> {
        let locator = plugins::find(name, search).map_err(Failure::settings)?;
        let mut client = start(None)?;
        let benchmark = describe(&mut client, &locator)?;
        let size = size.unwrap_or(benchmark.document().size.start);
        let whole = i64::try_from(size).map_err(Failure::settings)?;
        Ok(Self {
            name: benchmark.name().to_owned(),
            about: format!("benchmark at size {size}"),
            parameters: benchmark.parameters(),
            restrictions: benchmark.restrictions().to_vec(),
            constants: vec![("size".to_owned(), Value::Int(whole))],
            warnings: Vec::new(),
            recorded: None,
        })
    }

    /// The space, narrowed by the user's parameters and restrictions.
    pub(super) fn build(
        &self,
        narrowed: &[String],
        restrictions: &[String],
    ) -> Result<Space, String> {
        if let Some(recorded) = &self.recorded {
            return Replayed::new(recorded, narrowed, restrictions).space(1);
        }
        let mut parameters = self.parameters.clone();
        for text in narrowed {
            keep_values(&mut parameters, text).map_err(|fault| fault.to_string())?;
        }
        let restrictions = [&self.restrictions[..], restrictions].concat();
        Space::build(parameters, &restrictions, &self.constants).map_err(|fault| fault.to_string())
    }
}

fn mentions(path: &Path, words: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.contains(words))
}
