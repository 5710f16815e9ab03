//! Folders that are no study, for `results`, `show` and `resume`.

use std::path::Path;

use super::Listed;
use crate::terminal::Failure;

/// A kind of folder that another crate knows.
pub struct ResultKind {
    /// Whether a folder is of this kind.
    pub is_at: fn(&Path) -> bool,
    /// Its row in `results`.
    pub listed: fn(&Path) -> Result<Listed, String>,
    /// Prints it; with `true`, what happened in it.
    pub show: fn(&Path, bool) -> Result<(), Failure>,
    /// Goes on with it.
    pub resume: fn(&Path) -> Result<(), Failure>,
}

inventory::collect!(ResultKind);

impl ResultKind {
    /// The kind of a folder, if another crate knows it.
    pub(crate) fn of(path: &Path) -> Option<&'static Self> {
        inventory::iter::<Self>().find(|kind| (kind.is_at)(path))
    }
}
