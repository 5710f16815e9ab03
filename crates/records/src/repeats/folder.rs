//! The folder of repeats.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
};

use crate::{
    FolderError, REPEATS_FILE, StudyFolder,
    repeats::{MOST_REPEATS, REPEATS_FORMAT, REPEATS_VERSION, Repeat, RepeatsRecord, RepeatsView},
    study::folder::{create_named, read_record, write_record},
    write_whole,
};

/// A folder of repeats: `repeats.json` and the studies' folders `1`, `2`…
#[derive(Debug, Clone)]
pub struct RepeatsFolder {
    path: PathBuf,
}

/// Lock of a folder: while it lives, no other process can resume the repeats.
#[derive(Debug)]
pub struct RepeatsLock {
    _folder: Option<File>,
}

impl RepeatsFolder {
    /// Creates the folder, named like a study of the plan, and writes its record.
    ///
    /// # Errors
    /// If it cannot be created or written to.
    pub fn create(out: &Path, record: &RepeatsRecord) -> Result<Self, FolderError> {
        let plan = &record.plan;
        let detector = plan.settings.detectors.first().map_or("tune", String::as_str);
        let name = [plan.benchmark.name.as_str(), plan.device.name.as_str(), detector];
        let folder = Self { path: create_named(out, plan.started, &name)? };
        folder.write(record)?;
        Ok(folder)
    }

    /// Whether a folder holds repeats.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        path.join(REPEATS_FILE).is_file()
    }

    /// Opens the folder of existing repeats.
    ///
    /// # Errors
    /// If the folder holds no repeats.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        if Self::is_at(path) {
            Ok(Self { path: path.to_owned() })
        } else {
            Err(FolderError::NotAStudy(path.to_owned()))
        }
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the study with this number, whether it exists or not.
    #[must_use]
    pub fn study(&self, number: u32) -> PathBuf {
        self.path.join(number.to_string())
    }

    /// Locks the folder, so that no other process can resume the repeats.
    ///
    /// # Errors
    /// If another process has locked it.
    pub fn lock(&self) -> Result<RepeatsLock, FolderError> {
        // Some systems cannot lock folders; there, only the studies' journals are locked.
        let Ok(folder) = File::open(&self.path) else { return Ok(RepeatsLock { _folder: None }) };
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => Err(FolderError::Busy(self.path.clone())),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(RepeatsLock { _folder: Some(folder) }),
        }
    }

    /// Writes a file in one piece.
    ///
    /// # Errors
    /// If it cannot be written; the previous file then stays untouched.
    pub fn write_whole(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        Ok(write_whole(&self.path.join(name), bytes)?)
    }

    /// Writes `repeats.json`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, record: &RepeatsRecord) -> Result<(), FolderError> {
        write_record(&self.path.join(REPEATS_FILE), record)
    }

    /// Reads `repeats.json`.
    ///
    /// # Errors
    /// If it cannot be read, is not a record of repeats, or is of a later version.
    pub fn read(&self) -> Result<RepeatsRecord, FolderError> {
        let path = self.path.join(REPEATS_FILE);
        let damaged = |why: String| FolderError::Damaged { path: path.clone(), why };
        let record: RepeatsRecord = match read_record(&path, REPEATS_FORMAT, REPEATS_VERSION) {
            Err(FolderError::Malformed { why, .. }) => return Err(damaged(why)),
            record => record?,
        };
        if !(1..=MOST_REPEATS).contains(&record.studies) {
            return Err(damaged(format!(
                "`studies` is {}, not a number from 1 to {MOST_REPEATS}",
                record.studies
            )));
        }
        Ok(record)
    }

    /// Result so far of the study with this number.
    #[must_use]
    pub fn repeat(&self, record: &RepeatsRecord, number: u32) -> Repeat {
        Repeat::read(&self.study(number), record, number)
    }

    /// All studies as they are now.
    #[must_use]
    pub fn view(&self, record: &RepeatsRecord) -> RepeatsView {
        let repeats = record.numbers().map(|number| self.repeat(record, number)).collect();
        RepeatsView::new(record.clone(), repeats)
    }

    /// Folder for a study that has not begun: created now, or left empty by a killed process.
    ///
    /// # Errors
    /// If it cannot be created, or holds something else.
    pub fn begin(&self, number: u32) -> Result<StudyFolder, FolderError> {
        StudyFolder::create_at(&self.study(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BenchmarkRecord, DeviceRecord, Host, JOURNAL_FILE, STUDY_FILE, StudyRecord, StudyState,
        settings::StudySettings,
    };

    fn record(studies: u32) -> RepeatsRecord {
        let (device, benchmark) = (DeviceRecord::default(), BenchmarkRecord::default());
        let settings = StudySettings { seed: 7, ..StudySettings::default() };
        let plan = StudyRecord::new(vec![], Host::default(), device, benchmark, settings);
        RepeatsRecord::new(studies, plan)
    }

    fn made(studies: u32) -> (tempfile::TempDir, RepeatsFolder) {
        let out = tempfile::tempdir().expect("a folder");
        let folder = RepeatsFolder::create(out.path(), &record(studies)).expect("made");
        (out, folder)
    }

    #[test]
    fn a_record_survives_its_file_and_tells_every_study_apart() {
        let (_out, folder) = made(3);
        let read = folder.read().expect("read");
        let expected = RepeatsRecord { plan: read.plan.clone(), ..record(3) };
        assert_eq!(read, expected);
        let seeds: Vec<u64> = read.numbers().map(|number| read.settings(number).seed).collect();
        assert_eq!(seeds[0], 7);
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2]);
    }

    #[test]
    fn damaged_records_are_told_with_the_next_step() {
        let (_out, folder) = made(2);
        let whole = std::fs::read_to_string(folder.path().join(REPEATS_FILE)).expect("read");
        for (text, words) in [
            ("", "EOF"),
            ("[]", "`format`"),
            (&whole[..whole.len() / 2], "EOF"),
            (&whole.replace("\"studies\": 2", "\"studies\": 4000000000"), "from 1 to 1000"),
            (&whole.replace("\"studies\": 2", "\"studies\": 0"), "from 1 to 1000"),
            (&whole.replace("\"studies\": 2", "\"studies\": -1"), "invalid value"),
            (
                &whole.replace("\"version\": 1,\n  \"studies\"", "\"version\": 9,\n  \"studies\""),
                "update",
            ),
        ] {
            folder.write_whole(REPEATS_FILE, text.as_bytes()).expect("written");
            let error = folder.read().expect_err(words).to_string();
            assert!(error.contains(words) && error.contains("one by one"), "{error}");
        }
    }

    #[test]
    fn repeats_are_no_study_and_say_where_theirs_are() {
        let (_out, folder) = made(2);
        let error = StudyFolder::open(folder.path()).expect_err("no study").to_string();
        assert!(error.contains("several studies") && error.contains("/1`"), "{error}");
        assert!(RepeatsFolder::open(&folder.study(1)).is_err());
    }

    #[test]
    fn one_program_at_a_time_goes_on() {
        let (_out, folder) = made(2);
        let lock = folder.lock().expect("free");
        assert!(matches!(folder.lock(), Err(FolderError::Busy(_))));
        drop(lock);
        folder.lock().expect("free again");
    }

    #[test]
    fn a_study_of_something_else_is_no_repeat() {
        let (_out, folder) = made(2);
        let mut other = record(1).plan;
        other.benchmark.name = "gemm".to_owned();
        let study = folder.begin(1).expect("made");
        study.write_study(&other).expect("written");
        std::fs::write(study.file(JOURNAL_FILE), "").expect("written");
        let inside = RepeatsFolder { path: folder.study(2) };
        std::fs::create_dir(inside.path()).expect("made");
        inside.write(&record(3)).expect("written");
        let view = folder.view(&folder.read().expect("read"));
        for (repeat, words) in view.repeats.iter().zip(["not of ``", "several studies"]) {
            assert!(repeat.state.reason().contains(words), "{:?}", repeat.state);
        }
        assert!(folder.begin(2).is_err(), "repeats are in the way");
    }

    #[test]
    fn whatever_lies_where_a_study_should_be_is_a_row() {
        let (_out, folder) = made(5);
        std::fs::write(folder.study(1), "a file").expect("written");
        std::fs::create_dir(folder.study(2)).expect("made");
        for (number, text) in [(3, "{"), (4, "{\"format\":\"autobench-study\",\"version\":1}")] {
            std::fs::create_dir(folder.study(number)).expect("made");
            std::fs::write(folder.study(number).join(STUDY_FILE), text).expect("written");
        }
        let view = folder.view(&folder.read().expect("read"));
        let states: Vec<&StudyState> = view.repeats.iter().map(|r| &r.state).collect();
        for at in [0, 2, 3] {
            assert!(matches!(states[at], StudyState::Failed(_)), "{states:?}");
        }
        for at in [1, 4] {
            assert_eq!(states[at], &StudyState::Unfinished("not begun".to_owned()));
        }
        assert_eq!(view.agreement.finished, 0);
        folder.begin(2).expect("an empty folder is where a kill left it");
        assert!(folder.begin(1).is_err() && folder.begin(3).is_err());
        std::fs::write(folder.study(2).join(JOURNAL_FILE), "").expect("written");
        assert!(folder.begin(2).is_err(), "somebody's journal");
    }
}
