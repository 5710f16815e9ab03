//! Kinds of results that other crates add to `results`, `show` and `resume`.

use std::path::Path;

use super::Listed;
use crate::terminal::Failure;

/// A kind of result folder that another crate knows.
pub struct ResultKind {
    /// Whether a folder is of this kind.
    pub is_at: fn(&Path) -> bool,
    /// Returns the folder's row in `results`.
    pub listed: fn(&Path) -> Result<Listed, String>,
    /// Prints the result; with `true`, its journal.
    pub show: fn(&Path, bool) -> Result<(), Failure>,
    /// Continues the result if it is unfinished.
    pub resume: fn(&Path) -> Result<(), Failure>,
}

inventory::collect!(ResultKind);

impl ResultKind {
    /// Returns the kind of a folder, if another crate knows it.
    pub(crate) fn of(path: &Path) -> Option<&'static Self> {
        inventory::iter::<Self>().find(|kind| (kind.is_at)(path))
    }
}
