//! `slurm/slurm.json`: how the studies of a suite are submitted.

use std::path::{Path, PathBuf};

use records::{FileFault, FolderError, read_record, write_record};
use serde::{Deserialize, Serialize};

/// Folder in a suite's folder for scripts, logs, and the journals of elements.
pub const SLURM_FOLDER: &str = "slurm";
const FILE: &str = "slurm.json";
const FORMAT: &str = "autobench-slurm";
const VERSION: u32 = 1;

/// How the studies of a suite are submitted, the first time and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlurmRecord {
    format: String,
    version: u32,
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Working directory of the elements.
    pub directory: PathBuf,
    /// Most elements that run at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array_limit: Option<u32>,
    /// Seconds before the time limit at which SLURM signals an element to stop.
    pub margin: u32,
    /// Further options of `sbatch`, which replace our own.
    pub options: Vec<String>,
}

impl SlurmRecord {
    /// Creates a record without options.
    #[must_use]
    pub fn new(program: PathBuf, directory: PathBuf) -> Self {
        let (format, version) = (FORMAT.to_owned(), VERSION);
        let (array_limit, margin, options) = (None, super::Margin::default().0, Vec::new());
        Self { format, version, program, directory, array_limit, margin, options }
    }

    /// Whether the suite in a folder was submitted.
    #[must_use]
    pub fn is_at(suite: &Path) -> bool {
        suite.join(SLURM_FOLDER).join(FILE).is_file()
    }

    /// Writes the record into the folder of a suite.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn write(&self, suite: &Path) -> Result<(), FolderError> {
        let folder = suite.join(SLURM_FOLDER);
        std::fs::create_dir_all(&folder).map_err(FileFault::creating(&folder))?;
        write_record(&folder.join(FILE), self)
    }

    /// Reads the record from the folder of a suite.
    ///
    /// # Errors
    /// If the record cannot be read, has another format, or has a later version.
    pub fn read(suite: &Path) -> Result<Self, FolderError> {
        read_record(&suite.join(SLURM_FOLDER).join(FILE), FORMAT, VERSION)
    }
}
