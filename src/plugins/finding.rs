//! Finding benchmarks by name: libraries and YAML documents in the folders where they may live.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use super::Locator;

/// Where benchmarks are looked for, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
}

/// Why there is no benchmark of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindFault {
    /// A path to nothing.
    #[error("there is no file `{0}`")]
    NoFile(String),
    /// A path to something else.
    #[error("`{0}` is neither a plugin library nor a YAML document (.so, .dylib, .yaml, .yml)")]
    NoBenchmark(String),
    /// A name nobody has.
    #[error("no benchmark named `{name}` (known: {known}; looked in {folders})")]
    Unknown {
        /// The name.
        name: String,
        /// What was found.
        known: String,
        /// Where.
        folders: String,
    },
}

impl SearchPath {
    /// The folders a user named first, then `AUTOBENCH_PLUGIN_PATH`, the executable's folder and
    /// its `deps`, `../lib/autobench`, and the user's data folder.
    #[must_use]
    pub fn new(first: &[PathBuf]) -> Self {
        let mut folders = first.to_vec();
        if let Some(path) = env::var_os("AUTOBENCH_PLUGIN_PATH") {
            folders.extend(env::split_paths(&path).filter(|p| !p.as_os_str().is_empty()));
        }
        if let Some(beside) = env::current_exe().ok().as_deref().and_then(Path::parent) {
            folders.extend([beside.to_owned(), beside.join("deps")]);
            folders.extend(beside.parent().map(|above| above.join("lib/autobench")));
        }
        let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
        let data = env::var_os("XDG_DATA_HOME").map(PathBuf::from).or_else(home);
        folders.extend(data.map(|data| data.join("autobench")));
        Self { folders }
    }
}

/// Every benchmark there is, by name; where a name occurs twice, the first folder's counts.
#[must_use]
pub fn all(search: &SearchPath) -> Vec<(String, Locator)> {
    let mut found = BTreeMap::new();
    for folder in &search.folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if let Some((name, locator)) = located(&path).filter(|(_, l)| is_benchmark(l)) {
                found.entry(name).or_insert(locator);
            }
        }
    }
    found.into_iter().collect()
}

/// The benchmark of a name, or at a path.
pub fn find(name: &str, search: &SearchPath) -> Result<Locator, FindFault> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.extension().is_some() {
        if !path.is_file() {
            return Err(FindFault::NoFile(name.to_owned()));
        }
        let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        return match extension(path) {
            "yaml" | "yml" => Ok(Locator::Declarative(absolute)),
            "so" | "dylib" | "dll" => Ok(Locator::Library(absolute)),
            _ => Err(FindFault::NoBenchmark(name.to_owned())),
        };
    }
    for folder in &search.folders {
        for file in ["lib{}.so", "lib{}.dylib", "{}.yaml", "{}.yml"] {
            let path = folder.join(file.replace("{}", name));
            if let Some((_, locator)) = path.is_file().then(|| located(&path)).flatten() {
                return Ok(locator);
            }
        }
    }
    let known: Vec<String> = all(search).into_iter().map(|(name, _)| name).collect();
    let folders: Vec<String> =
        search.folders.iter().map(|folder| folder.display().to_string()).collect();
    Err(FindFault::Unknown {
        name: name.to_owned(),
        known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        folders: folders.join(", "),
    })
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

fn located(path: &Path) -> Option<(String, Locator)> {
    let stem = path.file_stem()?.to_str()?;
    match extension(path) {
        "so" | "dylib" => {
            Some((stem.strip_prefix("lib")?.to_owned(), Locator::Library(path.to_owned())))
        }
        "yaml" | "yml" => Some((stem.to_owned(), Locator::Declarative(path.to_owned()))),
        _ => None,
    }
}

/// Whether a file says that it is a benchmark, without running any of it: a library names the
/// symbol, a document its launches.
fn is_benchmark(locator: &Locator) -> bool {
    let mark: &[u8] = match locator {
        Locator::Library(_) => autobench_sdk::abi::SYMBOL.as_bytes(),
        Locator::Declarative(_) => b"launches",
    };
    fs::read(locator.path())
        .is_ok_and(|bytes| bytes.windows(mark.len()).any(|window| window == mark))
}
