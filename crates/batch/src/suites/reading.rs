//! Reads a suite's text from a file or from the program itself.

use std::{
    fs,
    path::{Path, PathBuf},
};

use records::FileFault;
use registry::offered;

use super::built_in::{built_in, built_ins};

/// Largest size of a suite's file in bytes.
const LONGEST: u64 = 4 << 20;

/// A suite's text, and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteSource {
    /// The file as the user named it, or the name of a built-in suite.
    pub origin: String,
    /// The folder of the file; `None` for a built-in suite.
    pub folder: Option<PathBuf>,
    /// The text.
    pub text: String,
}

/// Reads a file, or else the built-in suite of this name.
///
/// # Errors
/// If there is no such suite, or its file cannot be read. The error is one sentence.
pub fn read(name: &str) -> Result<SuiteSource, String> {
    let path = Path::new(name);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_path = name.contains('/') || ["yaml", "yml"].contains(&ending) || path.exists();
    if is_path {
        let text = text(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        return Ok(SuiteSource { origin: name.to_owned(), folder: Some(folder), text });
    }
    match built_in(name) {
        Some(suite) => {
            Ok(SuiteSource { origin: name.to_owned(), folder: None, text: suite.text.to_owned() })
        }
        None => Err(unknown(name)),
    }
}

/// Says that no suite has this name, and which names exist.
#[must_use]
pub fn unknown(name: &str) -> String {
    let known = offered(name, built_ins().iter().map(|suite| suite.name));
    format!("no suite is named `{name}` (known: {known})")
}

fn text(path: &Path) -> Result<String, String> {
    let fault = FileFault::reading(path);
    let facts = fs::metadata(path).map_err(|error| fault(error).to_string())?;
    if facts.is_dir() {
        return Err(format!("`{}` is a folder; name a suite's file in it", path.display()));
    }
    if facts.len() > LONGEST {
        let length = facts.len();
        return Err(format!("`{}` has {length} bytes, too many for a suite", path.display()));
    }
    let bytes = fs::read(path).map_err(|error| fault(error).to_string())?;
    String::from_utf8(bytes).map_err(|_| format!("`{}` is not UTF-8 text", path.display()))
}
