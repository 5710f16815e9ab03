//! Files that a document names: they lie in the document's folder, so that a document from elsewhere
//! reads nothing else of this machine, or in a folder that the user allows.

use std::{
    env,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

/// Variable with folders, separated as in `PATH`, whose files documents may name, too.
const VARIABLE: &str = "AUTOBENCH_FILES";

/// Returns the path of a file that a document names. A file that is missing is told by who reads it.
///
/// # Errors
/// If the file lies outside the folder, by its name or by a link, or is no regular file.
pub(super) fn nearby(folder: &Path, name: &str) -> Result<PathBuf, String> {
    among(folder, name, &env::var_os(VARIABLE).unwrap_or_default())
}

fn among(folder: &Path, name: &str, allowed: &OsStr) -> Result<PathBuf, String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let is_below = Path::new(name).components().all(inside);
    let path = folder.join(name);
    let whole = path.canonicalize();
    let is_in = |folder: &Path| match (&whole, folder.canonicalize()) {
        (Ok(whole), Ok(folder)) => whole.starts_with(folder),
        _ => is_below,
    };
    let mut allowed = env::split_paths(allowed).filter(|folder| folder.is_absolute());
    let is_own = is_below && is_in(folder);
    if !is_own && !allowed.any(|folder| is_in(&folder)) {
        return Err(format!(
            "`{name}` is not in the document's folder; copy it there, or set {VARIABLE} to the folder that it \
             is in"
        ));
    }
    match whole {
        Ok(whole) if !whole.is_file() => Err(format!("`{name}` is no file")),
        _ => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_the_user_allows_is_as_good_as_the_documents() {
        let whole = tempfile::tempdir().expect("a folder");
        let (own, other) = (whole.path().join("own"), whole.path().join("other"));
        for folder in [&own, &other] {
            std::fs::create_dir(folder).expect("made");
        }
        std::fs::write(other.join("data"), "").expect("written");
        let absolute = other.join("data").display().to_string();
        for name in ["../other/data", &absolute] {
            let refused = among(&own, name, OsStr::new("")).expect_err("refused");
            assert!(refused.contains("set AUTOBENCH_FILES"), "{refused}");
            let both = env::join_paths([Path::new("/no/such/folder"), &other]).expect("joined");
            assert_eq!(among(&own, name, &both), Ok(own.join(name)));
            // Relative folders would change their meaning with the current one.
            assert!(among(&own, name, OsStr::new(".")).is_err());
            assert!(among(&own, name, own.as_os_str()).is_err());
        }
        assert!(among(&own, "../other/none", other.as_os_str()).is_err());
    }
}
