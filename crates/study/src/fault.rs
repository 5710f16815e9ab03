//! Why a study ends without an answer.

use records::{FolderError, JournalError};

/// Why a study cannot go on. Everything measured before stays recorded.
#[derive(Debug, thiserror::Error)]
pub enum StudyFault {
    /// Ctrl-C, or a signal to end.
    #[error("interrupted; everything measured is recorded")]
    Interrupted,
    /// No size fits the device.
    #[error("{0}")]
    NoSize(String),
    /// No configuration is valid, or none ran with correct results.
    #[error("{0}")]
    NothingValid(String),
    /// The benchmark contradicts itself.
    #[error("{0}")]
    Benchmark(String),
    /// The journal cannot be written.
    #[error("{0}")]
    Records(String),
}

impl From<JournalError> for StudyFault {
    fn from(error: JournalError) -> Self {
        Self::Records(error.to_string())
    }
}

impl From<FolderError> for StudyFault {
    fn from(error: FolderError) -> Self {
        Self::Records(error.to_string())
    }
}
