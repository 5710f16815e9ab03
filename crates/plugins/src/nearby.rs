//! Files that a document names: they lie in the document's folder, so that a document from elsewhere
//! reads nothing else of this machine.

use std::path::{Component, Path, PathBuf};

/// Returns the path of a file that a document names. A file that is missing is told by who reads it.
///
/// # Errors
/// If the file lies outside the folder, by its name or by a link, or is no regular file.
pub(super) fn nearby(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let outside = || format!("`{name}` is not in the document's folder; copy it there");
    if !Path::new(name).components().all(inside) {
        return Err(outside());
    }
    let path = folder.join(name);
    if let (Ok(whole), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) {
        if !whole.starts_with(folder) {
            return Err(outside());
        }
        if !whole.is_file() {
            return Err(format!("`{name}` is no file"));
        }
    }
    Ok(path)
}
