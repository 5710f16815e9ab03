//! Finds benchmarks by name or path. Nothing is loaded here, but in a worker.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    env,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fmt,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use autobench_sdk::abi::SYMBOL;
use serde::{Deserialize, Serialize};

use super::fault::PluginFault;
use crate::registry::offered;

/// Folders, separated as in `PATH`, that are searched after `--plugin-path`.
const VARIABLE: &str = "AUTOBENCH_PLUGIN_PATH";

/// Where a benchmark comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Locator {
    /// A shared library with the C table.
    Library(PathBuf),
    /// A YAML document.
    Declarative(PathBuf),
    /// One that is linked into the program, by name.
    BuiltIn(String),
}

impl Locator {
    /// The file, if it is one of its own.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Library(path) | Self::Declarative(path) => Some(path),
            Self::BuiltIn(_) => None,
        }
    }
}

/// As what [`find`] would find it again: a path or a name.
impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(path) | Self::Declarative(path) => path.display().fmt(f),
            Self::BuiltIn(name) => name.fmt(f),
        }
    }
}

/// Folders that are searched, in order. Those in one list count as one place, where of two files of
/// the same name the newer is taken. (`cargo test` renews only the libraries in `deps`, `cargo
/// build` also those beside the executable.) What is linked into the program comes after them all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    places: Vec<Vec<PathBuf>>,
    built_in: bool,
}

impl SearchPath {
    /// The folders of `--plugin-path`, of `AUTOBENCH_PLUGIN_PATH`, beside the executable and in its
    /// `deps`, `../lib/autobench` from there, and in the user's data directory.
    #[must_use]
    pub fn new(given: &[PathBuf]) -> Self {
        let alone = |folder| vec![folder];
        let mut places: Vec<_> = given.iter().cloned().map(alone).collect();
        if let Some(paths) = env::var_os(VARIABLE) {
            let named = env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty());
            places.extend(named.map(alone));
        }
        if let Some(beside) = env::current_exe().ok().as_deref().and_then(Path::parent) {
            places.push(vec![beside.to_owned(), beside.join("deps")]);
            places.push(alone(beside.join("../lib/autobench")));
        }
        places.extend(data_folder().map(alone));
        Self { places, built_in: true }
    }

    /// Exactly these folders.
    #[must_use]
    pub fn only(folders: Vec<PathBuf>) -> Self {
        let places = folders.into_iter().map(|folder| vec![folder]).collect();
        Self { places, built_in: false }
    }

    /// The benchmarks that are linked into the program.
    fn built_in(&self) -> impl Iterator<Item = &'static str> {
        built_in::TABLES.iter().map(|(name, _)| *name).filter(|_| self.built_in)
    }
}

fn written(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|facts| facts.modified()).ok()
}

/// The folder of autobench in the user's data directory.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
        .map(|data| data.join("autobench"))
}

/// The benchmark of a name, or at a path (anything with a separator or a known extension).
///
/// # Errors
/// There is none; the fault names those that exist.
pub fn find(name: &str, search: &SearchPath) -> Result<Locator, PluginFault> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.is_absolute() || kind(path).is_some() {
        if path.is_dir() {
            return Err(PluginFault::Folder(path.to_owned()));
        }
        if !path.is_file() {
            return Err(PluginFault::NoFile(path.to_owned()));
        }
        // The worker may have another current folder.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        return Ok(kind(&path).unwrap_or(Locator::Library(path)));
    }
    let files = [
        format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"),
        format!("{DLL_PREFIX}{}{DLL_SUFFIX}", name.replace('-', "_")),
        format!("{name}.yaml"),
        format!("{name}.yml"),
    ];
    for place in &search.places {
        for file in &files {
            let there = place.iter().map(|folder| folder.join(file)).filter(|path| path.is_file());
            if let Some(path) = there.max_by_key(|path| written(path)) {
                let path = std::path::absolute(&path).unwrap_or(path);
                return Ok(kind(&path).unwrap_or(Locator::Library(path)));
            }
        }
    }
    if let Some(built_in) = search.built_in().find(|known| *known == name.replace('-', "_")) {
        return Ok(Locator::BuiltIn(built_in.to_owned()));
    }
    let names: Vec<String> = all(search).into_iter().map(|(name, _)| name).collect();
    let known = if names.is_empty() {
        "none was found".to_owned()
    } else {
        format!("known: {}", offered(name, names.iter().map(String::as_str)))
    };
    Err(PluginFault::Unknown { name: name.to_owned(), known })
}

/// All benchmarks that a name would find, sorted by name: libraries that mention the plugin symbol,
/// and YAML files that look like a benchmark.
#[must_use]
pub fn all(search: &SearchPath) -> Vec<(String, Locator)> {
    let mut found: BTreeMap<String, Locator> = search
        .built_in()
        .map(|name| (name.to_owned(), Locator::BuiltIn(name.to_owned())))
        .collect();
    let mut seen = BTreeSet::new();
    for place in &search.places {
        let entries = place.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort_by_key(|path| Reverse(written(path)));
        // A pipe or a device of a matching name may have no end.
        for path in paths.into_iter().filter(|path| path.is_file()) {
            let Some(locator) = kind(&path) else { continue };
            let Some(name) = name_of(&path) else { continue };
            let mark = match locator {
                Locator::Library(_) => SYMBOL.as_bytes(),
                _ => b"launches:".as_slice(),
            };
            if !seen.contains(&name) && mentions(&path, mark).unwrap_or(false) {
                seen.insert(name.clone());
                found.insert(name, locator);
            }
        }
    }
    found.into_iter().collect()
}

/// Kind of a file by its extension.
fn kind(path: &Path) -> Option<Locator> {
    let extension = path.extension()?.to_str()?;
    if extension == DLL_SUFFIX.trim_start_matches('.') {
        return Some(Locator::Library(path.to_owned()));
    }
    ["yaml", "yml"].contains(&extension).then(|| Locator::Declarative(path.to_owned()))
}

/// The name that would find a file. Libraries with a hash in their name are Cargo's own copies.
fn name_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let name = match kind(path)? {
        Locator::Library(_) => stem.strip_prefix(DLL_PREFIX)?,
        _ => stem,
    };
    let hashed = name
        .rsplit_once('-')
        .is_some_and(|(_, end)| end.len() == 16 && end.chars().all(|c| c.is_ascii_hexdigit()));
    (!hashed).then(|| name.to_owned())
}

/// Whether a file holds these bytes.
fn mentions(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let mut kept = 0;
    loop {
        let read = file.read(&mut buffer[kept..])?;
        if read == 0 {
            return Ok(false);
        }
        let filled = kept + read;
        if buffer[..filled].windows(bytes.len()).any(|window| window == bytes) {
            return Ok(true);
        }
        // The possible start of a match moves to the front.
        kept = filled.min(bytes.len() - 1);
        buffer.copy_within(filled - kept..filled, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, SearchPath) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let search = SearchPath::only(vec![folder.path().to_owned()]);
        (folder, search)
    }

    #[test]
    fn names_find_libraries_before_documents_and_the_first_folder_wins() {
        let library = format!("{DLL_PREFIX}two_words{DLL_SUFFIX}");
        let (first, _) = folder(&[("axpy.yml", "launches:")]);
        let (second, _) = folder(&[("axpy.yaml", "launches:"), (&library, "")]);
        let search = SearchPath::only(vec![first.path().to_owned(), second.path().to_owned()]);
        assert_eq!(find("axpy", &search), Ok(Locator::Declarative(first.path().join("axpy.yml"))));
        assert_eq!(find("two-words", &search), Ok(Locator::Library(second.path().join(library))));
    }

    #[test]
    fn the_newer_of_two_files_in_one_place_is_meant() {
        let library = format!("{DLL_PREFIX}axpy{DLL_SUFFIX}");
        let (beside, _) = folder(&[(&library, "stale")]);
        let (deps, _) = folder(&[(&library, "autobench_benchmark")]);
        let stale = File::options().write(true).open(beside.path().join(&library)).unwrap();
        stale.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let places = vec![vec![beside.path().to_owned(), deps.path().to_owned()]];
        let search = SearchPath { places, built_in: false };
        let expected = Locator::Library(deps.path().join(library));
        assert_eq!(find("axpy", &search), Ok(expected.clone()));
        assert_eq!(all(&search), [("axpy".to_owned(), expected)]);
    }

    #[test]
    fn an_unknown_name_is_answered_with_what_exists() {
        let library = format!("{DLL_PREFIX}vecadd{DLL_SUFFIX}");
        let other = format!("{DLL_PREFIX}serde{DLL_SUFFIX}");
        let hashed = format!("{DLL_PREFIX}vecadd-0123456789abcdef{DLL_SUFFIX}");
        let (_folder, search) = folder(&[
            (&library, "ELF autobench_benchmark"),
            (&hashed, "ELF autobench_benchmark"),
            (&other, "ELF"),
            ("scale.yaml", "name: scale\nlaunches:\n"),
            ("settings.yaml", "a: 1\n"),
        ]);
        let text = find("vecad", &search).unwrap_err().to_string();
        assert!(text.contains("`vecad` (known: scale, vecadd; did you mean `vecadd`?)"), "{text}");
    }

    #[test]
    #[cfg(unix)]
    fn what_has_no_end_is_no_benchmark() {
        let (folder, search) = folder(&[]);
        let path = folder.path().join("endless.yaml");
        std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        assert_eq!(all(&search), []);
    }

    #[test]
    fn paths_are_taken_as_they_are_or_do_not_exist() {
        let (folder, search) = folder(&[("odd.name", "")]);
        let path = folder.path().join("odd.name");
        let found = find(path.to_str().unwrap(), &search);
        assert_eq!(found, Ok(Locator::Library(path)));
        let missing = folder.path().join("missing.yaml");
        assert_eq!(find(missing.to_str().unwrap(), &search), Err(PluginFault::NoFile(missing)));
    }

    #[test]
    fn marks_are_found_across_the_pieces_a_file_is_read_in() {
        let mut text = vec![b'x'; (1 << 16) - 5];
        text.extend(b"autobench_benchmark");
        let (folder, _) = folder(&[]);
        let path = folder.path().join("large");
        fs::write(&path, text).unwrap();
        assert!(mentions(&path, SYMBOL.as_bytes()).unwrap());
        assert!(!mentions(&path, b"autobench_benchmarks").unwrap());
    }
}
