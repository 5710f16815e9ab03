//! A study's folder: its name and its files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use serde::{Serialize, de::DeserializeOwned};

use crate::{FileFault, STUDY_FORMAT, STUDY_VERSION, StudyRecord};

/// File of the record of repeats.
pub const REPEATS_FILE: &str = "repeats.json";
/// File of the record of a suite.
pub const SUITE_FILE: &str = "suite.json";
/// File of the study's record.
pub const STUDY_FILE: &str = "study.json";
/// File of the journal.
pub const JOURNAL_FILE: &str = "journal.jsonl";

/// Name of the file of an output that a study kept.
#[must_use]
pub fn output_file(output: &str) -> String {
    format!("output-{output}.csv")
}
/// File of all samples.
pub const SAMPLES_FILE: &str = "samples.f32";

/// Why a study's folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder or a file in it cannot be made, written or read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The folder holds no study.
    #[error("`{path}` is not a study: it has no `{STUDY_FILE}`; give a folder that `autobench run` made", path = .0.display())]
    NotAStudy(PathBuf),
    /// The folder holds several studies.
    #[error("`{path}` holds several studies of one plan; name one of them, such as `{path}/1`", path = .0.display())]
    Several(PathBuf),
    /// The folder holds the studies of a suite.
    #[error("`{path}` holds the studies of a suite, each in a folder of its own; name one of these", path = .0.display())]
    Suite(PathBuf),
    /// `study.json` is not the record of a study.
    #[error("`{path}` is not a study of autobench: {why}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file holds no ceilings.
    #[error("`{path}` holds no ceilings: {why}; `autobench profile` measures them again", path = path.display())]
    NoCeilings {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The record of repeats is damaged.
    #[error("`{path}` is damaged: {why}; restore it, or open the studies beside it one by one", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Another process is running the repeats.
    #[error("another autobench goes on with `{path}`; wait for it or stop it first", path = .0.display())]
    Busy(PathBuf),
    /// Something else is at the path of a new study.
    #[error("`{path}` is in the way of a study; move it elsewhere", path = .0.display())]
    InTheWay(PathBuf),
}

/// The next step for a record of a later version.
const NEWER: &str = "update autobench";

fn holds_repeats(path: &Path) -> bool {
    path.join(REPEATS_FILE).is_file()
}

/// A study's folder.
#[derive(Debug, Clone)]
pub struct StudyFolder {
    path: PathBuf,
}

impl StudyFolder {
    /// Creates `out/<UTC time>_<benchmark>_<device>_<detector>/`, with `-2`, `-3`… if that exists.
    /// For a study without a detector, the last part is `tune`.
    ///
    /// # Errors
    /// If the folder cannot be created or written to.
    pub fn create(
        out: &Path,
        started: DateTime<Utc>,
        benchmark: &str,
        device: &str,
        detector: &str,
    ) -> Result<Self, FolderError> {
        Ok(Self { path: create_named(out, started, &[benchmark, device, detector])? })
    }

    /// Creates a study's folder at `path`, if no study is there.
    ///
    /// # Errors
    /// If it cannot be created, or something else is there.
    pub fn create_at(path: &Path) -> Result<Self, FolderError> {
        let taken = [STUDY_FILE, JOURNAL_FILE].iter().any(|name| path.join(name).exists());
        if taken || path.is_file() || holds_repeats(path) {
            return Err(FolderError::InTheWay(path.to_owned()));
        }
        create_synced(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Opens an existing folder for writing, and creates it if it is missing.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn again(path: &Path) -> Result<Self, FolderError> {
        create_synced(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Opens the folder of an existing study.
    ///
    /// # Errors
    /// If the folder holds no `study.json`.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        if path.join(STUDY_FILE).is_file() {
            return Ok(Self { path: path.to_owned() });
        }
        Err(match path.to_owned() {
            path if holds_repeats(&path) => FolderError::Several(path),
            path if path.join(SUITE_FILE).is_file() => FolderError::Suite(path),
            path => FolderError::NotAStudy(path),
        })
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of a file in the folder.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file in one piece: to a temporary file that is then renamed, so that no reader sees
    /// half of it.
    ///
    /// # Errors
    /// If it cannot be written; the previous file then stays untouched.
    pub fn write_whole(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.file(name);
        Ok(write_whole(&path, bytes)?)
    }

    /// Writes `study.json`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_study(&self, record: &StudyRecord) -> Result<(), FolderError> {
        write_record(&self.file(STUDY_FILE), record)
    }

    /// Reads `study.json`.
    ///
    /// # Errors
    /// If it cannot be read, is not a study's record, or is of a later version.
    pub fn read_study(&self) -> Result<StudyRecord, FolderError> {
        read_record(&self.file(STUDY_FILE), STUDY_FORMAT, STUDY_VERSION).map_err(
            |error| match error {
                FolderError::Malformed { path, why } if !why.ends_with(NEWER) => {
                    let why = format!("{why}; restore it from a copy, or move its folder away");
                    FolderError::Malformed { path, why }
                }
                other => other,
            },
        )
    }
}

/// Creates `out/<UTC time>_<part>_<part>…/`, with a number if that exists.
///
/// # Errors
/// If it cannot be created.
pub fn create_named(
    out: &Path,
    started: DateTime<Utc>,
    parts: &[&str],
) -> Result<PathBuf, FolderError> {
    create_synced(out)?;
    let time = started.format("%Y%m%dT%H%M%SZ").to_string();
    let name = [time].into_iter().chain(parts.iter().map(|part| slug(part)));
    let name = name.collect::<Vec<_>>().join("_");
    for attempt in 1_u32.. {
        let path = match attempt {
            1 => out.join(&name),
            n => out.join(format!("{name}-{n}")),
        };
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 10_000 => {}
            Err(e) => return Err(FileFault::creating(&path)(e).into()),
        }
    }
    Err(FileFault::creating(&out.join(name))(io::ErrorKind::AlreadyExists.into()).into())
}

/// Writes a record as JSON, and waits until it is on disk.
///
/// # Errors
/// If it cannot be written; the previous file then stays untouched.
pub fn write_record(path: &Path, record: &impl Serialize) -> Result<(), FolderError> {
    let malformed = |why: String| FolderError::Malformed { path: path.to_owned(), why };
    let mut bytes =
        serde_json::to_vec_pretty(record).map_err(|error| malformed(error.to_string()))?;
    bytes.push(b'\n');
    write_whole(path, &bytes)?;
    path.parent().map_or(Ok(()), sync_folder).map_err(|fault| fault.into())
}

/// Creates a folder and its missing parents, and waits until each is listed on disk.
fn create_synced(path: &Path) -> Result<(), FileFault> {
    let missing: Vec<&Path> =
        path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists()).collect();
    fs::create_dir_all(path).map_err(FileFault::creating(path))?;
    missing.into_iter().rev().try_for_each(sync_folder)
}

/// Waits until the lists of a folder and of its parent are on disk.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), FileFault> {
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let synced = fs::File::open(folder).and_then(|open| open.sync_all());
        match synced {
            // Some file systems cannot do this; then there is nothing to wait for.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                return Err(FileFault::writing(folder)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads a record of this format, up to `version`.
///
/// # Errors
/// If it cannot be read, is something else, or is of a later version.
pub fn read_record<T: DeserializeOwned>(
    path: &Path,
    format: &str,
    version: u32,
) -> Result<T, FolderError> {
    let bytes = fs::read(path).map_err(FileFault::reading(path))?;
    let malformed = |why: String| FolderError::Malformed { path: path.to_owned(), why };
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|e| malformed(e.to_string()))?;
    if value["format"] != format {
        return Err(malformed(format!("its `format` is not `{format}`")));
    }
    if value["version"].as_u64().is_none_or(|v| v > u64::from(version)) {
        return Err(malformed(format!(
            "its version is {}, and this program reads up to {version}; {NEWER}",
            value["version"]
        )));
    }
    serde_json::from_value(value).map_err(|e| malformed(e.to_string()))
}

/// Writes a file in one piece: to a temporary file that is then renamed.
///
/// # Errors
/// If it cannot be written; the previous file then stays untouched.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileFault> {
    let failed = FileFault::writing(path);
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".autobench-");
    // Temporary files are private; results get the usual permissions under the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut aside = builder.tempfile_in(parent).map_err(&failed)?;
    io::Write::write_all(&mut aside, bytes).map_err(&failed)?;
    // Renamed before its data is on disk, a file may be empty after a power cut.
    aside.as_file().sync_data().map_err(&failed)?;
    aside.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// A text as a file name: lower-case letters, digits and single dashes, at most 40 characters.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "unnamed".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> DateTime<Utc> {
        "2026-03-04T12:00:00Z".parse().expect("a time")
    }

    #[test]
    fn slugs_are_safe_names() {
        assert_eq!(slug("AMD EPYC 9B45 (2 cores)"), "amd-epyc-9b45-2-cores");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("été"), "t");
        assert_eq!(slug("☃"), "unnamed");
        assert!(slug(&"x".repeat(100)).len() <= 40);
    }

    #[test]
    fn two_studies_of_one_second_have_two_folders() {
        let out = tempfile::tempdir().expect("a folder");
        let make = || StudyFolder::create(out.path(), noon(), "vecadd", "A100", "kneedle");
        let first = make().expect("made");
        let second = make().expect("made");
        assert!(first.path().ends_with("20260304T120000Z_vecadd_a100_kneedle"));
        assert!(second.path().ends_with("20260304T120000Z_vecadd_a100_kneedle-2"));
    }

    #[test]
    fn a_folder_without_study_json_is_not_a_study() {
        let out = tempfile::tempdir().expect("a folder");
        let error = StudyFolder::open(out.path()).expect_err("empty");
        assert!(error.to_string().contains("is not a study"), "{error}");
    }

    #[test]
    fn another_program_s_json_and_later_versions_are_refused() {
        let out = tempfile::tempdir().expect("a folder");
        for (text, word) in [
            ("{}", "format"),
            (r#"{"format":"autobench-study","version":99}"#, "update autobench"),
            ("{\"format\":", "EOF"),
        ] {
            fs::write(out.path().join(STUDY_FILE), text).expect("written");
            let folder = StudyFolder::open(out.path()).expect("a study");
            let error = folder.read_study().expect_err("refused").to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_place_that_is_a_file_gives_one_sentence() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = StudyFolder::create(&file.path().join("out"), noon(), "a", "b", "c")
            .expect_err("a file is no folder");
        assert!(error.to_string().contains("--out"), "{error}");
    }

    #[test]
    fn whole_files_replace_the_ones_before_and_leave_nothing_aside() {
        let out = tempfile::tempdir().expect("a folder");
        let folder = StudyFolder::create(out.path(), noon(), "a", "b", "c").expect("made");
        folder.write_whole("sizes.csv", b"old").expect("written");
        folder.write_whole("sizes.csv", b"new").expect("written");
        assert_eq!(fs::read(folder.file("sizes.csv")).expect("read"), b"new");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
}
