//! Finds benchmarks by name or path. Libraries are only loaded in a worker, not here.

use std::{
    collections::BTreeMap,
    env::{
        self,
        consts::{DLL_PREFIX, DLL_SUFFIX},
    },
    fmt, fs,
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::{Path, PathBuf},
};

use autobench_sdk::abi::SYMBOL;
use registry::offered;
use serde::{Deserialize, Serialize};

use super::fault::PluginFault;

/// Variable with folders, separated as in `PATH`, that are searched after `--plugin-path`.
const VARIABLE: &str = "AUTOBENCH_PLUGIN_PATH";

/// Separates a library from the name of one of its benchmarks.
const OF: char = '#';

/// Where a benchmark comes from. For equal names in a folder, an earlier kind wins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Locator {
    /// A shared library with the C table.
    Library(PathBuf),
    /// A YAML document.
    Declarative(PathBuf),
    /// One of several benchmarks in a shared library, by name.
    OneOf(PathBuf, String),
    /// A benchmark that is linked into the program, by name.
    BuiltIn(String),
    /// A program that holds a benchmark and its device, or the socket where it listens.
    Guest(PathBuf),
}

impl Locator {
    /// The benchmark's file, if it has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Library(path)
            | Self::Declarative(path)
            | Self::OneOf(path, _)
            | Self::Guest(path) => Some(path),
            Self::BuiltIn(_) => None,
        }
    }
}

/// Writes the path or name by which [`find`] finds the benchmark.
impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(path) | Self::Declarative(path) | Self::Guest(path) => {
                path.display().fmt(f)
            }
            Self::OneOf(path, name) => write!(f, "{}{OF}{name}", path.display()),
            Self::BuiltIn(name) => name.fmt(f),
        }
    }
}

/// Folders that are searched, in order. Benchmarks linked into the program come last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
    built_in: bool,
}

impl SearchPath {
    /// The folders of `--plugin-path`, of `AUTOBENCH_PLUGIN_PATH`, next to the executable,
    /// `../lib/autobench` from there, and in the user's data directory.
    #[must_use]
    pub fn new(given: &[PathBuf]) -> Self {
        let mut folders = given.to_vec();
        if let Some(paths) = env::var_os(VARIABLE) {
            let named = env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty());
            folders.extend(named);
        }
        if let Some(beside) = env::current_exe().ok().as_deref().and_then(Path::parent) {
            folders.extend([beside.to_owned(), beside.join("../lib/autobench")]);
        }
        folders.extend(data_folder());
        Self { folders, built_in: true }
    }

    /// Exactly these folders, without the benchmarks linked into the program.
    #[must_use]
    pub fn only(folders: Vec<PathBuf>) -> Self {
        Self { folders, built_in: false }
    }

    /// The benchmarks that are linked into the program.
    fn built_in(&self) -> impl Iterator<Item = &'static str> {
        benchmarks::TABLES.iter().map(|(name, _)| *name).filter(|_| self.built_in)
    }
}

/// Autobench's folder in the user's data directory.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
        .map(|data| data.join("autobench"))
}

/// The benchmark with a name, or at a path: anything with a separator or a known extension. A path
/// may end in the name of one benchmark in a library.
///
/// # Errors
/// If there is no such benchmark; the fault lists the existing ones.
pub fn find(name: &str, search: &SearchPath) -> Result<Locator, PluginFault> {
    let one = name.rsplit_once(OF).filter(|(file, _)| file.ends_with(DLL_SUFFIX));
    let path = Path::new(one.map_or(name, |(file, _)| file));
    if path.components().count() > 1 || path.is_absolute() || kind(path).is_some() {
        if path.is_dir() {
            return Err(PluginFault::Folder(path.to_owned()));
        }
        let Ok(about) = fs::metadata(path).map(|about| (about.file_type(), about.permissions()))
        else {
            return Err(PluginFault::NoFile(path.to_owned()));
        };
        let (is_socket, is_executable) = (about.0.is_socket(), about.1.mode() & 0o111 != 0);
        if !is_socket && !about.0.is_file() {
            return Err(PluginFault::NoFile(path.to_owned()));
        }
        // The worker may have another current folder.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        return match (one, kind(&path)) {
            (Some((_, one)), _) => Ok(Locator::OneOf(path, symbolic(one))),
            (None, Some(known)) if !is_socket => Ok(known),
            _ if is_socket || is_executable && !is_versioned(&path) => Ok(Locator::Guest(path)),
            _ if fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")) => {
                Ok(Locator::Library(path))
            }
            _ => Err(PluginFault::NotExecutable(path)),
        };
    }
    let symbolic = symbolic(name);
    let files = [
        format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"),
        format!("{DLL_PREFIX}{symbolic}{DLL_SUFFIX}"),
        format!("{name}.yaml"),
        format!("{name}.yml"),
    ];
    for folder in &search.folders {
        if let Some(path) = files.iter().map(|file| folder.join(file)).find(|path| path.is_file()) {
            let path = std::path::absolute(&path).unwrap_or(path);
            return Ok(kind(&path).unwrap_or(Locator::Library(path)));
        }
        let one_of = |path| Locator::OneOf(path, symbolic.clone());
        let holds = |path: &PathBuf| {
            benchmarks_in(path).iter().any(|known| known.1 == one_of(path.clone()))
        };
        if let Some(path) = files_in(folder).find(holds) {
            return Ok(one_of(path));
        }
    }
    if let Some(built_in) = search.built_in().find(|known| *known == symbolic) {
        return Ok(Locator::BuiltIn(built_in.to_owned()));
    }
    Err(unknown(name, name, &all(search)))
}

/// All benchmarks that [`find`] finds by name, sorted by name: the exports of libraries, and YAML
/// files that look like a benchmark.
#[must_use]
pub fn all(search: &SearchPath) -> Vec<(String, Locator)> {
    let mut found: BTreeMap<String, Locator> = search
        .built_in()
        .map(|name| (name.to_owned(), Locator::BuiltIn(name.to_owned())))
        .collect();
    for folder in search.folders.iter().rev() {
        let mut here: Vec<_> = files_in(folder).flat_map(|path| benchmarks_in(&path)).collect();
        here.sort_by(|one, other| other.1.cmp(&one.1));
        found.extend(here);
    }
    found.into_iter().collect()
}

/// Why a library has no benchmark of this name, or no single benchmark.
pub(super) fn missing(path: &Path, one: Option<&str>) -> PluginFault {
    let (path, known) = (path.to_owned(), benchmarks_in(path));
    match one {
        Some(one) => unknown(&Locator::OneOf(path, one.to_owned()).to_string(), one, &known),
        None if known.is_empty() => PluginFault::NoSymbol { path },
        None => PluginFault::Several { path, names: names(&known).collect::<Vec<_>>().join(", ") },
    }
}

fn unknown(name: &str, wanted: &str, known: &[(String, Locator)]) -> PluginFault {
    let known = match known {
        [] => "none was found".to_owned(),
        _ => format!("known: {}", offered(wanted, names(known))),
    };
    PluginFault::Unknown { name: name.to_owned(), known }
}

fn names(known: &[(String, Locator)]) -> impl Iterator<Item = &str> {
    known.iter().map(|(name, _)| name.as_str())
}

/// A name as library symbols and file names spell it.
fn symbolic(name: &str) -> String {
    name.replace('-', "_")
}

/// The files of a folder that may hold benchmarks, sorted. Pipes and devices are left out, since
/// reading them may never end.
fn files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    // The worker may have another current folder.
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| kind(path).is_some() && path.is_file());
    paths.sort();
    paths.into_iter()
}

/// Kind of a file by its extension.
fn kind(path: &Path) -> Option<Locator> {
    let extension = path.extension()?.to_str()?;
    if extension == DLL_SUFFIX.trim_start_matches('.') {
        return Some(Locator::Library(path.to_owned()));
    }
    ["yaml", "yml"].contains(&extension).then(|| Locator::Declarative(path.to_owned()))
}

/// Whether a file is named like a library with a version: `libmine.so.2`.
fn is_versioned(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(&format!("{DLL_SUFFIX}.")))
}

/// The name that finds a file. Libraries with a hash in their name are Cargo's own copies, and are
/// left out.
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

/// The benchmarks in a file, found by its bytes: nothing is loaded. A library exports one plain
/// symbol for a single benchmark, or one symbol per benchmark that ends in its name.
fn benchmarks_in(path: &Path) -> Vec<(String, Locator)> {
    let (Some(file), Some(kind)) = (name_of(path), kind(path)) else { return Vec::new() };
    let text = fs::read(path).unwrap_or_default();
    let Locator::Library(_) = kind else {
        return behind(&text, "launches:").next().map(|_| (file, kind)).into_iter().collect();
    };
    let named = |rest: &[u8]| {
        let count = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
        let (end, rest) = rest.split_at(count);
        match end {
            [] => Some((file.clone(), kind.clone())),
            [b'_', one @ ..] if !one.is_empty() && rest.first() == Some(&0) => {
                let one = String::from_utf8_lossy(one).into_owned();
                Some((one.clone(), Locator::OneOf(path.to_owned(), one)))
            }
            _ => None,
        }
    };
    let found: BTreeMap<_, _> = behind(&text, SYMBOL).filter_map(named).collect();
    found.into_iter().collect()
}

/// The bytes after each occurrence of `mark`.
fn behind<'a>(text: &'a [u8], mark: &str) -> impl Iterator<Item = &'a [u8]> {
    let at = text.windows(mark.len()).enumerate().filter(|(_, part)| *part == mark.as_bytes());
    at.map(move |(at, part)| &text[at + part.len()..])
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
    fn a_library_with_several_benchmarks_offers_each_behind_files_of_its_name() {
        let library = format!("{DLL_PREFIX}mine{DLL_SUFFIX}");
        let symbols = "ELF\0autobench_benchmark_axpy\0autobench_benchmark_two_words\0\
                       autobench_benchmarks\0autobench_benchmark_\0autobench_benchmark_not!";
        let (folder, search) = folder(&[(&library, symbols), ("axpy.yaml", "launches:")]);
        let (library, yaml) = (folder.path().join(library), folder.path().join("axpy.yaml"));
        let one = |name: &str| Locator::OneOf(library.clone(), name.to_owned());
        let axpy = ("axpy".to_owned(), Locator::Declarative(yaml));
        assert_eq!(all(&search), [axpy.clone(), ("two_words".to_owned(), one("two_words"))]);
        assert_eq!(find("axpy", &search), Ok(axpy.1));
        assert_eq!(find("two-words", &search), Ok(one("two_words")));
        assert_eq!(find(&one("axpy").to_string(), &search), Ok(one("axpy")));
        let said = missing(&library, None).to_string();
        assert!(said.ends_with("name one of them behind a `#` (axpy, two_words)"), "{said}");
        let said = missing(&library, Some("axpi")).to_string();
        assert!(said.contains("mine.so#axpi` (known: axpy, two_words; did you mean"), "{said}");
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
        let (folder, search) =
            folder(&[("odd.name", "\x7fELF"), ("lib.so.2", "\x7fELF"), ("a.py", "")]);
        let path = |name: &str| folder.path().join(name);
        let found = |name: &str| find(path(name).to_str().unwrap(), &search);
        let executable = |name: &str| {
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
        };
        assert_eq!(found("odd.name"), Ok(Locator::Library(path("odd.name"))));
        assert_eq!(found("a.py"), Err(PluginFault::NotExecutable(path("a.py"))));
        ["odd.name", "lib.so.2", "a.py"].into_iter().for_each(executable);
        assert_eq!(found("odd.name"), Ok(Locator::Guest(path("odd.name"))));
        assert_eq!(found("lib.so.2"), Ok(Locator::Library(path("lib.so.2"))));
        assert_eq!(found("a.py"), Ok(Locator::Guest(path("a.py"))));
        let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        assert_eq!(found("socket"), Ok(Locator::Guest(path("socket"))));
        let missing = folder.path().join("missing.yaml");
        assert_eq!(find(missing.to_str().unwrap(), &search), Err(PluginFault::NoFile(missing)));
    }
}
