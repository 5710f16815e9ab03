//! Finds libraries, and opens the first that works.
#![expect(unsafe_code, reason = "opening a library runs its initialisers")]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use device::Missing;
use libloading::{Library, os::unix};

pub(crate) struct FoundLibrary {
    pub(crate) library: Library,
    pub(crate) path: String,
}

pub(crate) struct Wanted {
    /// Name in messages ("the NVIDIA driver").
    pub(crate) what: &'static str,
    /// Environment variable that names the file or its folder. If set, nothing else is searched.
    pub(crate) variable: &'static str,
    /// File names, best first; each is tried by the system's loader, then in the folders.
    pub(crate) names: &'static [&'static str],
    /// Where else the library is looked for, in words.
    pub(crate) places: &'static str,
    /// Prefix of files in the same folder that are opened first. The library asks for them by name
    /// alone, and not every version looks for them in its own folder.
    pub(crate) beside: Option<&'static str>,
    /// How to get the library.
    pub(crate) cure: &'static str,
}

impl Wanted {
    /// Offers each library that can be opened to `accept`, until one is taken. The error of
    /// `accept` says why not.
    pub(crate) fn find<T>(
        &self,
        folders: &[PathBuf],
        mut accept: impl FnMut(FoundLibrary) -> Result<T, String>,
    ) -> Result<T, Missing> {
        let mut refusals: Vec<String> = Vec::new();
        let candidates = match named(self.variable) {
            Some(named) if named.is_dir() => in_folder(&named, self.names),
            Some(named) => vec![named],
            None => {
                let plain = self.names.iter().map(PathBuf::from);
                plain.chain(folders.iter().flat_map(|at| in_folder(at, self.names))).collect()
            }
        };
        for path in &candidates {
            self.open_beside(path);
            match open(path).and_then(&mut accept) {
                Ok(accepted) => return Ok(accepted),
                // A bare name that the loader did not find is no refusal; a path is.
                Err(why) if path.components().count() > 1 || !why.contains("No such file") => {
                    // The same file under another name gives the same reason.
                    if !refusals.iter().any(|other| said(other) == said(&why)) {
                        refusals.push(why);
                    }
                }
                Err(_) => {}
            }
        }
        Err(self.missing(folders, &refusals))
    }

    /// Returns the library that this process has loaded already, unless the user names one.
    /// Otherwise returns the first that can be opened.
    pub(crate) fn loaded_or_found(&self, folders: &[PathBuf]) -> Option<FoundLibrary> {
        /// `RTLD_NOLOAD` of `dlopen` on Linux.
        const NOLOAD: i32 = 4;
        let names = if self.is_named() { &[] } else { self.names };
        let loaded = names.iter().find_map(|name| {
            // SAFETY: nothing is loaded, so no code runs.
            let library = unsafe { unix::Library::open(Some(*name), unix::RTLD_LAZY | NOLOAD) };
            Some(FoundLibrary { library: library.ok()?.into(), path: (*name).to_owned() })
        });
        loaded.or_else(|| self.find(folders, Ok).ok())
    }

    pub(crate) fn is_named(&self) -> bool {
        named(self.variable).is_some()
    }

    fn open_beside(&self, path: &Path) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let Some((folder, start)) = folder.zip(self.beside) else { return };
        for found in matching(folder, start).iter().filter_map(|beside| open(beside).ok()) {
            std::mem::forget(found.library);
        }
    }

    fn missing(&self, folders: &[PathBuf], refusals: &[String]) -> Missing {
        let why = match (named(self.variable), refusals) {
            (Some(named), []) => format!(
                "{} was not found: {} is `{}`, where there is none of {}",
                self.what,
                self.variable,
                named.display(),
                self.names.join(", ")
            ),
            (Some(_), refusals) => {
                format!(
                    "{} that {} names cannot be used: {}",
                    self.what, self.variable, refusals[0]
                )
            }
            (None, []) => format!(
                "{} was not found: none of {} where the system's loader looks, nor in {}{}",
                self.what,
                self.names.join(", "),
                self.places,
                existing_ones(folders)
            ),
            (None, refusals) => format!("{} cannot be used: {}", self.what, refusals.join("; ")),
        };
        Missing { why, cure: self.cure.to_owned() }
    }
}

/// A refusal without the file name that it begins with.
fn said(refusal: &str) -> &str {
    refusal.split_once("` ").map_or(refusal, |(_, said)| said)
}

fn existing_ones(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return String::new();
    }
    let names: Vec<String> = folders.iter().map(|at| at.display().to_string()).collect();
    format!(" (here {})", names.join(", "))
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn in_folder(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect()
}

pub(crate) fn open(path: &Path) -> Result<FoundLibrary, String> {
    // SAFETY: the vendor's library, or the file that the user names instead.
    let library = unsafe { Library::new(path) }.map_err(|error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        format!("`{}` cannot be loaded: {}", path.display(), cause.unwrap_or(error.to_string()))
    })?;
    Ok(FoundLibrary { library, path: path.display().to_string() })
}

/// The folder that an environment variable names, if it exists.
pub(crate) fn named_folder(variable: &str) -> Option<PathBuf> {
    named(variable).filter(|path| path.is_dir())
}

/// Entries of a folder whose names begin with `start`.
pub(crate) fn matching(folder: impl AsRef<Path>, start: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
    };
    entries.flatten().map(|entry| entry.path()).filter(named).collect()
}

/// The folders that exist, each once, in order.
pub(crate) fn existing(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths {
        if path.is_dir() && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSENT: Wanted = Wanted {
        what: "the library",
        variable: "AUTOBENCH_NO_SUCH_VARIABLE",
        names: &["libautobench-absent.so.1"],
        places: "a folder",
        beside: None,
        cure: "install it",
    };

    #[test]
    fn a_library_that_is_nowhere_is_missing_with_the_places() {
        let folder = tempfile::tempdir().expect("a folder");
        let places = [folder.path().to_owned()];
        let missing = ABSENT.find(&places, |found| Ok(found.path)).expect_err("there is none");
        assert_eq!(missing.cure, "install it");
        assert!(missing.why.contains(&folder.path().display().to_string()), "{missing}");
    }

    #[test]
    fn a_file_that_is_no_library_is_missing_with_the_loaders_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("libautobench-absent.so.1");
        fs::write(&file, "no library").expect("written");
        let missing = ABSENT
            .find(&[folder.path().to_owned()], |found| Ok(found.path))
            .expect_err("it is no library");
        assert!(missing.why.contains("cannot be loaded"), "{missing}");
    }
}
