//! The folder of a suite.

use std::path::{Path, PathBuf};

use records::{
    Entry, FileFault, FolderError, JOURNAL_FILE, JournalError, SUITE_FILE, create_named,
    parse_events, read_record, write_record, write_whole,
};

use super::{
    journal::{SuiteEvent, SuiteJournal},
    record::{SUITE_FORMAT, SUITE_VERSION, SuiteRecord},
};

/// The folder of a suite: `suite.json`, `journal.jsonl`, and the folders of its studies.
#[derive(Debug, Clone)]
pub struct SuiteFolder {
    path: PathBuf,
}

impl SuiteFolder {
    /// Creates `out/<UTC time>_<suite>_suite/` and writes the record into it.
    ///
    /// # Errors
    /// If the folder cannot be created or written.
    pub fn create(out: &Path, record: &SuiteRecord) -> Result<Self, FolderError> {
        let path = create_named(out, record.started, &[&record.suite, "suite"])?;
        write_record(&path.join(SUITE_FILE), record)?;
        Ok(Self { path })
    }

    /// Whether a folder holds a suite.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        path.join(SUITE_FILE).is_file()
    }

    /// The folder of an existing suite.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads `suite.json`.
    ///
    /// # Errors
    /// If the file cannot be read, is not a suite, or has a later version.
    pub fn read(&self) -> Result<SuiteRecord, FolderError> {
        let path = self.path.join(SUITE_FILE);
        match read_record(&path, SUITE_FORMAT, SUITE_VERSION) {
            Err(FolderError::Malformed { why, .. }) => Err(FolderError::Damaged { path, why }),
            record => record,
        }
    }

    /// Opens the journal for writing, or creates it. Until the journal is dropped, no other process
    /// can write it.
    ///
    /// # Errors
    /// If another process writes the journal, or it is damaged, or it cannot be read or written.
    pub fn journal(&self) -> Result<(SuiteJournal, Vec<Entry<SuiteEvent>>), JournalError> {
        SuiteJournal::open(&self.path.join(JOURNAL_FILE))
    }

    /// Reads the events so far, even while another process writes the journal.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry<SuiteEvent>>, JournalError> {
        let path = self.path.join(JOURNAL_FILE);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let bytes = std::fs::read(&path).map_err(FileFault::reading(&path))?;
        Ok(parse_events(&path, &bytes)?.entries)
    }

    /// Writes a file as a whole.
    ///
    /// # Errors
    /// If the file cannot be written. The previous file is then unchanged.
    pub fn write_whole(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        Ok(write_whole(&self.path.join(name), bytes)?)
    }
}
