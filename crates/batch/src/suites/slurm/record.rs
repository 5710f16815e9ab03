//! `slurm/slurm.json`: how the studies of a suite are submitted.

use std::path::{Path, PathBuf};

use records::{FileFault, FolderError, read_record, write_record};
use serde::{Deserialize, Serialize};

/// Folder inside a suite's with scripts, logs, and what elements wrote.
pub const SLURM_FOLDER: &str = "slurm";
const FILE: &str = "slurm.json";
const FORMAT: &str = "autobench-slurm";
const VERSION: u32 = 1;

/// How the studies of a suite are submitted; also when they are submitted again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlurmRecord {
    format: String,
    version: u32,
    /// The program, with its whole path.
    pub program: PathBuf,
    /// Folder in which elements begin.
    pub directory: PathBuf,
    /// How many elements run at the same time at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array_limit: Option<u32>,
    /// Seconds before a time limit at which an element is told to end.
    pub margin: u32,
    /// Further options of `sbatch`, which win over ours.
    pub options: Vec<String>,
}

impl SlurmRecord {
    /// A record without options.
    #[must_use]
    pub fn new(program: PathBuf, directory: PathBuf) -> Self {
        let (format, version) = (FORMAT.to_owned(), VERSION);
        let (array_limit, margin, options) = (None, super::Margin::default().0, Vec::new());
        Self { format, version, program, directory, array_limit, margin, options }
    }

    /// Whether the suite in a folder is submitted.
    #[must_use]
    pub fn is_at(suite: &Path) -> bool {
        suite.join(SLURM_FOLDER).join(FILE).is_file()
    }

    /// Writes it into the folder of a suite.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, suite: &Path) -> Result<(), FolderError> {
        let folder = suite.join(SLURM_FOLDER);
        std::fs::create_dir_all(&folder).map_err(FileFault::creating(&folder))?;
        write_record(&folder.join(FILE), self)
    }

    /// Reads it from the folder of a suite.
    ///
    /// # Errors
    /// If it cannot be read, is something else, or is of a later version.
    pub fn read(suite: &Path) -> Result<Self, FolderError> {
        read_record(&suite.join(SLURM_FOLDER).join(FILE), FORMAT, VERSION)
    }
}
