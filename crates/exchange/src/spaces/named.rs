//! Recorded spaces named by paths: files, folders of studies, and folders of these.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use records::{FileFault, STUDY_FILE, SUITE_FILE, StudyFolder};

use super::{
    RecordedSpace, SpaceFormat,
    file::{read_space_file, read_space_times, read_study_sizes},
};

/// Strategy of studies that record a whole space.
const WHOLE: &str = "exhaustive";
/// Folder depth at which studies are searched: `DIR/STUDY` and `DIR/SUITE/STUDY`.
const DEPTH: usize = 2;

/// Which studies in a folder count as recorded spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Studies {
    /// Only studies that tried every configuration.
    Whole,
    /// All studies; each size of a study is a space of its own.
    Any,
}

/// Why paths give no recorded space.
#[derive(Debug, thiserror::Error)]
pub enum NamedSpacesError {
    /// A folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FileFault),
    /// A path names something that cannot be used; holds one sentence.
    #[error("{0}")]
    Unusable(String),
    /// The folders hold no recorded space. Holds a subfolder that does, if there is one.
    #[error("there is no recorded space in these folders")]
    None(Option<PathBuf>),
}

/// Makes a `T` from a recorded space's name and content; an error is one sentence.
pub type Make<'a, T> = &'a dyn Fn(&str, &RecordedSpace) -> Result<T, String>;

/// How spaces are read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Whether only times are needed, so that other metrics are not read.
    pub only_times: bool,
    /// Receives one line for each path that is skipped and each oddity.
    pub note: &'a dyn Fn(&str),
}

/// The spaces of a path, or why it could not be read.
type ReadSpaces = Result<Arc<[RecordedSpace]>, String>;

/// Reads spaces, and can keep them for many comparisons in a row.
#[derive(Debug, Default)]
pub struct Spaces {
    /// Kept spaces by path, by whether all sizes of a study count, and by whether only times were
    /// read.
    known: Option<BTreeMap<(PathBuf, bool, bool), ReadSpaces>>,
}

impl Spaces {
    /// A reader that keeps what it reads.
    #[must_use]
    pub fn kept() -> Self {
        Self { known: Some(BTreeMap::new()) }
    }

    fn read(&mut self, path: &Path, all_sizes: bool, reading: Reading<'_>) -> ReadSpaces {
        let read = || -> ReadSpaces {
            let read = match (all_sizes, reading.only_times) {
                (true, _) => read_study_sizes(path),
                (false, true) => read_space_times(path).map(|space| vec![space]),
                (false, false) => read_space_file(path).map(|space| vec![space]),
            };
            let spaces = read.map_err(|error| error.to_string())?;
            for warning in spaces.iter().flat_map(|space| &space.warnings) {
                (reading.note)(&format!("`{}`: {warning}", path.display()));
            }
            Ok(spaces.into())
        };
        let key = (path.to_owned(), all_sizes, reading.only_times);
        match &mut self.known {
            None => read(),
            Some(known) => known.entry(key).or_insert_with(read).clone(),
        }
    }

    /// Reads the space at a path.
    ///
    /// # Errors
    /// One sentence, if it cannot be read or used.
    pub fn one<T>(
        &mut self,
        path: &Path,
        reading: Reading<'_>,
        make: Make<'_, T>,
    ) -> Result<T, String> {
        let one = self.some(path, Studies::Whole, reading, make)?.pop();
        one.ok_or_else(|| format!("`{}` holds no space", path.display()))
    }

    /// The spaces of a path: one, or one for each size of a study of which any may count.
    fn some<T>(
        &mut self,
        path: &Path,
        studies: Studies,
        reading: Reading<'_>,
        make: Make<'_, T>,
    ) -> Result<Vec<T>, String> {
        let all_sizes = studies == Studies::Any && path.join(STUDY_FILE).is_file();
        let spaces = self.read(path, all_sizes, reading)?;
        let made = spaces.iter().map(|recorded| make(&name(path, recorded), recorded));
        let (made, faults): (Vec<_>, Vec<_>) = made.partition(Result::is_ok);
        match faults.into_iter().find_map(Result::err).filter(|_| made.is_empty()) {
            Some(why) => Err(format!("`{}`: {why}", path.display())),
            None => Ok(made.into_iter().flatten().collect()),
        }
    }

    /// Reads the spaces at each path. Skips files of a folder that are not recorded spaces, with a
    /// note.
    ///
    /// # Errors
    /// If a named path cannot be read or used, or if there is no space.
    pub fn each<T>(
        &mut self,
        paths: &[PathBuf],
        studies: Studies,
        reading: Reading<'_>,
        make: Make<'_, T>,
    ) -> Result<Vec<(PathBuf, T)>, NamedSpacesError> {
        let mut all: Vec<(PathBuf, T)> = Vec::new();
        let mut seen = BTreeSet::new();
        for path in paths {
            if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                (reading.note)(&format!("passed over `{}`: it is named twice", path.display()));
                continue;
            }
            if path.is_dir() && !path.join(STUDY_FILE).is_file() {
                for file in recorded_in(path, studies)? {
                    match self.some(&file, studies, reading, make) {
                        Ok(some) => all.extend(some.into_iter().map(|one| (file.clone(), one))),
                        Err(why) => (reading.note)(&format!("passed over: {why}")),
                    }
                }
            } else {
                match self.some(path, studies, reading, make) {
                    Ok(some) => all.extend(some.into_iter().map(|one| (path.clone(), one))),
                    // A study may lack what the search is for, and others are searched all the same.
                    Err(why) if studies == Studies::Any => {
                        (reading.note)(&format!("passed over: {why}"));
                    }
                    Err(why) => return Err(NamedSpacesError::Unusable(why)),
                }
            }
        }
        match all.is_empty() {
            true => {
                Err(NamedSpacesError::None(paths.iter().find_map(|path| deeper(path, studies))))
            }
            false => Ok(all),
        }
    }
}

/// The name of a space in tables.
fn name(path: &Path, recorded: &RecordedSpace) -> String {
    let RecordedSpace { kernel, device, problem_size, .. } = recorded;
    if recorded.format == SpaceFormat::Study && !kernel.is_empty() {
        return format!("{kernel} on {device}, size {problem_size}");
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.trim_end_matches(".gz").trim_end_matches(".json").to_owned()
}

/// The first subfolder by name that has recorded spaces.
fn deeper(folder: &Path, studies: Studies) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let has_spaces = |inside: &PathBuf| {
        inside.is_dir() && recorded_in(inside, studies).is_ok_and(|found| !found.is_empty())
    };
    entries.flatten().map(|entry| entry.path()).filter(has_spaces).min()
}

/// The recorded spaces in a folder, by name: files and studies.
///
/// # Errors
/// If the folder cannot be read.
pub fn recorded_in(folder: &Path, studies: Studies) -> Result<Vec<PathBuf>, FileFault> {
    let mut found = Vec::new();
    gather(folder, (DEPTH, studies), &mut found)?;
    Ok(found)
}

fn gather(
    folder: &Path,
    (depth, studies): (usize, Studies),
    found: &mut Vec<PathBuf>,
) -> Result<(), FileFault> {
    let entries = std::fs::read_dir(folder).map_err(FileFault::reading(folder))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_record = [STUDY_FILE, SUITE_FILE].iter().any(|record| name == *record);
        if path.is_file() {
            let is_space = name.ends_with(".json") || name.ends_with(".json.gz");
            found.extend((is_space && !is_record).then_some(path));
        } else if let Ok(study) = StudyFolder::open(&path) {
            let counts = studies == Studies::Any
                || study.read_study().is_ok_and(|study| study.settings.strategy == WHOLE);
            found.extend(counts.then_some(path));
        } else if depth > 1 && path.join(SUITE_FILE).is_file() {
            gather(&path, (depth - 1, studies), found)?;
        }
    }
    Ok(())
}
