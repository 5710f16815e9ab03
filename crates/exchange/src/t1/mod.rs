//! Reads T1, the input format of the auto-tuning community: a kernel with its parameters and
//! conditions. Everything that breaks the schema gives a warning. Expressions are compiled by our
//! own language and never run as Python.
//! Reference: <https://github.com/odgaard/TuningSchema>, as used by Kernel Tuner, KTT and BAT.

mod parameters;

use std::path::{Path, PathBuf};

use records::FileFault;
use serde_json::{Map, Value as Json};
use space::{Parameter, Space, SpaceError, Value};

use self::parameters::{listed, written};
use crate::spaces::{content::content, warnings::bound};

/// Limit of a file's size, unpacked.
const MAX_BYTES: u64 = 1 << 28;

/// Why a file is not a T1 file.
#[derive(Debug, thiserror::Error)]
pub enum T1Error {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The file is not a T1 file.
    #[error("`{path}` is not a T1 file: {why}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// A kernel and its space, from a T1 file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct T1 {
    /// Name of the benchmark, or else of the kernel.
    pub name: String,
    /// Entry function of the kernel.
    pub kernel: String,
    /// File of the kernel's source.
    pub kernel_file: String,
    /// `CUDA`, `OpenCL`, …; empty if missing.
    pub language: String,
    /// Problem size: an expression or a number for each dimension.
    pub problem_size: Vec<String>,
    /// Parameters with their values and defaults.
    pub parameters: Vec<Parameter>,
    /// Conditions.
    pub restrictions: Vec<String>,
    /// Numbers of the benchmark's configuration that conditions may name.
    pub constants: Vec<(String, Value)>,
    /// Budgets, by type.
    pub budgets: Vec<(String, f64)>,
    /// Arguments of the kernel, as written.
    pub arguments: Vec<Json>,
    /// What breaks the schema and how it was understood, one sentence each.
    pub warnings: Vec<String>,
}

impl T1 {
    /// The space of the parameters under the conditions.
    ///
    /// # Errors
    /// As [`Space::build`].
    pub fn space(&self) -> Result<Space, SpaceError> {
        Space::build(self.parameters.clone(), &self.restrictions, &self.constants)
    }
}

/// Reads a T1 file, plain or gzipped.
///
/// # Errors
/// If the file cannot be read or is not a T1 file.
pub fn read_t1(path: &Path) -> Result<T1, T1Error> {
    let malformed = |why: String| T1Error::Malformed { path: path.to_owned(), why };
    let bytes = content(path, MAX_BYTES).map_err(FileFault::reading(path))?;
    let bytes = bytes.ok_or_else(|| malformed("it has over 256 MiB".into()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| malformed("it is not UTF-8 text".into()))?;
    parse_t1(text).map_err(malformed)
}

/// Reads the text of a T1 file.
///
/// # Errors
/// If the text is not a T1 file; the error says why.
pub fn parse_t1(text: &str) -> Result<T1, String> {
    let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|fault| format!("it is no JSON ({fault})"))?;
    let Json::Object(file) = json else {
        return Err("it holds no JSON object".into());
    };
    let Some(space) = file.get("ConfigurationSpace") else {
        return Err("it has no `ConfigurationSpace`".into());
    };
    let mut warnings = Vec::new();
    let parameters = parameters::parameters(space, &mut warnings)?;
    let mut t1 = T1 {
        restrictions: restrictions(space, &mut warnings),
        constants: constants(&file, &parameters),
        budgets: budgets(&file, &mut warnings),
        parameters,
        ..T1::default()
    };
    match file.get("KernelSpecification").and_then(Json::as_object) {
        Some(kernel) => t1.describe(kernel, &mut warnings),
        None => warnings.push("there is no `KernelSpecification`".into()),
    }
    if let Some(general) = file.get("General").and_then(Json::as_object)
        && let Some(name) = general.get("BenchmarkName").and_then(Json::as_str)
    {
        t1.name = name.to_owned();
    }
    if t1.name.is_empty() {
        t1.name.clone_from(&t1.kernel);
    }
    bound(&mut warnings);
    t1.warnings = warnings;
    Ok(t1)
}

impl T1 {
    fn describe(&mut self, kernel: &Map<String, Json>, warnings: &mut Vec<String>) {
        let text = |key: &str| kernel.get(key).and_then(Json::as_str).unwrap_or("").to_owned();
        self.name = text("BenchmarkName");
        self.kernel = text("KernelName");
        self.kernel_file = text("KernelFile");
        self.language = text("Language");
        if self.language.is_empty() {
            let ending = self.kernel_file.rsplit('.').next().unwrap_or("");
            self.language = match ending {
                "cu" | "cuh" => "CUDA",
                "cl" | "opencl" => "OpenCL",
                _ => "",
            }
            .to_owned();
            warnings.push(match &self.language[..] {
                "" => "`Language` is missing".to_owned(),
                language => format!("`Language` is missing; `.{ending}` is taken for {language}"),
            });
        }
        self.problem_size = match kernel.get("ProblemSize") {
            None | Some(Json::Null) => Vec::new(),
            Some(size) => listed(size).map(written).collect(),
        };
        self.arguments = kernel.get("Arguments").map_or_else(Vec::new, |a| match a {
            Json::Array(all) => all.clone(),
            Json::Null => Vec::new(),
            one => {
                warnings.push("`Arguments` is no list; it is taken for its one element".into());
                vec![one.clone()]
            }
        });
    }
}

fn restrictions(space: &Json, warnings: &mut Vec<String>) -> Vec<String> {
    let conditions = match space.get("Conditions") {
        None | Some(Json::Null) => return Vec::new(),
        Some(conditions) => conditions,
    };
    if !conditions.is_array() {
        warnings.push("`Conditions` is no list; it is taken for its one element".into());
    }
    let mut found = Vec::new();
    for (at, condition) in listed(conditions).enumerate() {
        let expression = match condition {
            Json::String(text) => {
                warnings.push(format!("condition {} is a text and no object", at + 1));
                Some(text.as_str())
            }
            other => other.get("Expression").and_then(Json::as_str),
        };
        match expression.map(str::trim) {
            Some(text) if !text.is_empty() => found.push(text.to_owned()),
            _ => warnings.push(format!("condition {} has no `Expression`; it is left out", at + 1)),
        }
    }
    found
}

/// Scalars of `BenchmarkConfig`, except those with the name of a parameter.
fn constants(file: &Map<String, Json>, parameters: &[Parameter]) -> Vec<(String, Value)> {
    let Some(config) = file.get("BenchmarkConfig").and_then(Json::as_object) else {
        return Vec::new();
    };
    config
        .iter()
        .filter(|(name, _)| !parameters.iter().any(|p| p.name == **name))
        .filter_map(|(name, json)| Some((name.clone(), parameters::scalar(json)?)))
        .collect()
}

fn budgets(file: &Map<String, Json>, warnings: &mut Vec<String>) -> Vec<(String, f64)> {
    let budget = match file.get("Budget") {
        None | Some(Json::Null) => return Vec::new(),
        Some(budget) => budget,
    };
    if !budget.is_array() {
        warnings.push("`Budget` is no list; it is taken for its one element".into());
    }
    let read = |json: &Json| {
        let kind = json.get("Type").and_then(Json::as_str)?;
        Some((kind.to_owned(), json.get("BudgetValue").and_then(Json::as_f64)?))
    };
    listed(budget).filter_map(read).collect()
}

#[cfg(test)]
mod tests;
