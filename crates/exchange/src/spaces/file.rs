//! Reads files of recorded spaces, and recognises their format by their content.

use std::path::{Path, PathBuf};

use records::{
    Event, FileFault, FolderError, JOURNAL_FILE, JournalEntry, JournalError, STUDY_FILE,
    StudyFolder, StudyRecord, Trial, parse_journal, read_journal,
};

use crate::{
    RecordedSpace, StudiedError, parse_kernel_tuner, parse_kernel_tuner_times, parse_t4,
    spaces::{content::content, json_reader::JsonReader},
};

/// Limit of a file's size, plain or unpacked.
const LARGEST: u64 = 1 << 30;

/// Why a file cannot be read as a recorded space.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The file is too large.
    #[error("`{path}` holds more than {} MiB; split it, and merge with `autobench convert`", LARGEST >> 20, path = .0.display())]
    TooLarge(PathBuf),
    /// The file is not a recorded space.
    #[error("`{path}` is not a recorded space: {why}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file has only one size, but the caller asked for a size.
    #[error("`{path}` has one size only; leave --size out", path = .0.display())]
    OneSize(PathBuf),
    /// The study has no trials at that size.
    #[error("`{path}`: {source}", path = path.display())]
    Studied {
        /// The study.
        path: PathBuf,
        /// Cause.
        source: StudiedError,
    },
    /// The folder is not a study.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The study's journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Reads a recorded space: a Kernel Tuner cache or T4 results, plain or gzipped, or the folder or
/// journal of a study at its largest size. The content decides the format, not the name.
///
/// # Errors
/// If the path cannot be read or is not a recorded space.
pub fn read_space_file(path: &Path) -> Result<RecordedSpace, RecordedError> {
    read_space_at(path, None)
}

/// Reads a recorded space; for a study, the trials at a size.
///
/// # Errors
/// If the path cannot be read, is not a recorded space, or has no such size.
pub fn read_space_at(path: &Path, size: Option<u64>) -> Result<RecordedSpace, RecordedError> {
    read(path, size, parse_kernel_tuner)
}

/// Reads at least what a search over times needs: see [`parse_kernel_tuner_times`].
///
/// # Errors
/// If the path cannot be read or is not a recorded space.
pub fn read_space_times(path: &Path) -> Result<RecordedSpace, RecordedError> {
    read(path, None, parse_kernel_tuner_times)
}

fn read(
    path: &Path,
    size: Option<u64>,
    kernel_tuner: fn(&str) -> Result<RecordedSpace, String>,
) -> Result<RecordedSpace, RecordedError> {
    if path.is_dir() {
        return study(path, size);
    }
    let bytes = bytes(path, LARGEST)?;
    let malformed = |why: String| RecordedError::Malformed { path: path.to_owned(), why };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let at = error.valid_up_to() + 1;
        malformed(format!("it is no text, from byte {at} on"))
    })?;
    let format = FileFormat::of(text).map_err(malformed)?;
    if size.is_some() && matches!(format, FileFormat::KernelTuner | FileFormat::T4) {
        return Err(RecordedError::OneSize(path.to_owned()));
    }
    match format {
        FileFormat::KernelTuner => {
            kernel_tuner(text).map_err(|why| malformed(format!("as a Kernel Tuner cache, {why}")))
        }
        FileFormat::T4 => parse_t4(text).map_err(|why| malformed(format!("as T4 results, {why}"))),
        FileFormat::StudyPart => match path.parent() {
            Some(folder) if folder.join(STUDY_FILE).is_file() => study(folder, size),
            _ => {
                let read = parse_journal(path, text.as_bytes())?;
                studied(path, None, &read.entries, size)
            }
        },
    }
}

fn bytes(path: &Path, largest: u64) -> Result<Vec<u8>, RecordedError> {
    let bytes = content(path, largest).map_err(FileFault::reading(path))?;
    bytes.ok_or_else(|| RecordedError::TooLarge(path.to_owned()))
}

fn study(path: &Path, size: Option<u64>) -> Result<RecordedSpace, RecordedError> {
    let folder = StudyFolder::open(path)?;
    let record = folder.read_study()?;
    let read = read_journal(&folder.file(JOURNAL_FILE))?;
    studied(path, Some(&record), &read.entries, size)
}

/// Reads the trials of a study at every size, each as a recorded space, smallest size first.
///
/// # Errors
/// If the folder cannot be read, or the study has no trials.
pub(crate) fn read_study_sizes(path: &Path) -> Result<Vec<RecordedSpace>, RecordedError> {
    let folder = StudyFolder::open(path)?;
    let record = folder.read_study()?;
    let read = read_journal(&folder.file(JOURNAL_FILE))?;
    let mut sizes: Vec<u64> = trials(&read.entries).map(|trial| trial.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes = if sizes.is_empty() { vec![None] } else { sizes.into_iter().map(Some).collect() };
    sizes.into_iter().map(|size| studied(path, Some(&record), &read.entries, size)).collect()
}

fn studied(
    path: &Path,
    record: Option<&StudyRecord>,
    entries: &[JournalEntry],
    size: Option<u64>,
) -> Result<RecordedSpace, RecordedError> {
    RecordedSpace::of_study(record, trials(entries), size)
        .map_err(|source| RecordedError::Studied { path: path.to_owned(), source })
}

fn trials(entries: &[JournalEntry]) -> impl Iterator<Item = &Trial> + Clone {
    entries.iter().filter_map(|entry| match &entry.event {
        Event::Trial(event) => Some(&event.trial),
        _ => None,
    })
}

/// Formats, recognised by the first member that only one of them has.
enum FileFormat {
    KernelTuner,
    T4,
    /// Journal or record of a study.
    StudyPart,
}

impl FileFormat {
    fn of(text: &str) -> Result<Self, String> {
        const NEEDED: &str = "a Kernel Tuner cache, T4 results or the folder of a study";
        let mut reader = JsonReader::new(text);
        if !reader.enter(b'{').unwrap_or(false) {
            return Err(format!("it holds no JSON object; give {NEEDED}"));
        }
        // A torn or faulty member ends the search: the format's own reader reports it better.
        while let Ok(Some(name)) = reader.key() {
            match &*name {
                "cache" | "tune_params" | "tune_params_keys" => return Ok(Self::KernelTuner),
                "results" => return Ok(Self::T4),
                "seq" | "event" => return Ok(Self::StudyPart),
                "format" if reader.rest().trim_start().starts_with("\"autobench-study\"") => {
                    return Ok(Self::StudyPart);
                }
                "ConfigurationSpace" | "KernelSpecification" => {
                    return Err(format!("it is a T1 file, which has no results; give {NEEDED}"));
                }
                _ => {}
            }
            if reader.skip().is_err() {
                break;
            }
        }
        Err(format!("none of `cache`, `results` and `seq` is in it; give {NEEDED}"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_small_file_that_unpacks_to_more_than_allowed_is_refused() {
        let mut packed = tempfile::NamedTempFile::new().expect("a file");
        let mut encoder = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
        encoder.write_all(&vec![b' '; 1 << 20]).expect("written");
        encoder.finish().expect("written");
        let length = packed.as_file().metadata().expect("there").len();
        assert!(length < 1 << 14, "{length}");
        assert_eq!(bytes(packed.path(), 1 << 20).expect("allowed").len(), 1 << 20);
        let error = bytes(packed.path(), (1 << 20) - 1).expect_err("refused").to_string();
        assert!(error.contains("more than 1024 MiB; split it"), "{error}");
        let error = bytes(packed.path(), 16).expect_err("refused").to_string();
        assert!(error.contains("more than 1024 MiB; split it"), "{error}");
    }
}
