//! Where a benchmark comes from.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a benchmark comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Locator {
    /// A shared library with the C table.
    Library(PathBuf),
    /// A YAML document.
    Declarative(PathBuf),
}

impl Locator {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Library(path) | Self::Declarative(path) => path,
        }
    }
}
