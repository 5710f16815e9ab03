//! Files and folders that cannot be used: the cause, and the next step.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Reading,
    Writing,
    Recording,
    Creating,
}

/// A file or folder that cannot be used.
#[derive(Debug)]
pub struct FileFault {
    doing: Doing,
    path: PathBuf,
    source: io::Error,
}

impl FileFault {
    /// The file cannot be read.
    pub fn reading(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        Self::doing(Doing::Reading, path)
    }

    /// The file cannot be written.
    pub fn writing(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        Self::doing(Doing::Writing, path)
    }

    /// The journal of a study cannot be written.
    pub fn recording(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        Self::doing(Doing::Recording, path)
    }

    /// The folder cannot be made.
    pub fn creating(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        Self::doing(Doing::Creating, path)
    }

    fn doing(doing: Doing, path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self { doing, path: path.clone(), source }
    }

    /// The cause and the next step.
    #[must_use]
    pub fn why(&self) -> String {
        use io::ErrorKind as Kind;
        let other = match self.doing {
            Doing::Reading => "check the path",
            Doing::Writing => "name another place",
            Doing::Recording => "when it can be, `autobench resume` goes on",
            Doing::Creating => "choose another place with --out",
        };
        let full = match self.doing {
            Doing::Recording => "free some space, and go on with `autobench resume`",
            _ => "free some space and try again",
        };
        let (why, step) = match (self.source.kind(), self.doing) {
            (Kind::NotFound, Doing::Reading) => ("there is no such file", other),
            (Kind::NotFound, _) => ("its folder does not exist", other),
            (Kind::NotADirectory, _) => ("a part of the path is no folder", other),
            (Kind::IsADirectory, _) => ("it is a folder", "name a file"),
            (Kind::AlreadyExists, _) => ("a file of that name exists", other),
            (Kind::PermissionDenied, Doing::Reading) => {
                ("reading it is not permitted", "change its permissions, or copy it")
            }
            (Kind::PermissionDenied | Kind::ReadOnlyFilesystem, _) => {
                ("writing there is not permitted", other)
            }
            (Kind::StorageFull | Kind::QuotaExceeded, _) => ("the disk is full", full),
            (Kind::FileTooLarge, _) => {
                ("a file may not be longer here", "raise the limit with `ulimit -f unlimited`")
            }
            // Damaged gzip files end here: no other compressed data is read.
            (Kind::InvalidInput | Kind::InvalidData | Kind::UnexpectedEof, Doing::Reading) => {
                ("its packed data is damaged or ends early", "fetch or pack it again")
            }
            _ => return format!("{}; {other}", without_number(&self.source)),
        };
        format!("{why}; {step}")
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = match self.doing {
            Doing::Reading => "read",
            Doing::Writing | Doing::Recording => "write",
            Doing::Creating => "create",
        };
        write!(f, "cannot {doing} `{}`: {}", self.path.display(), self.why())
    }
}

impl std::error::Error for FileFault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// The system's message without its error number and without the name of a temporary file.
fn without_number(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at path ").next().unwrap_or(&text);
    text.split(" (os error").next().unwrap_or(text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_says_what_is_wrong_and_what_to_do() {
        let path = Path::new("x.json");
        let system = |number| io::Error::from_raw_os_error(number);
        let (no_such, loops, full, too_long) = (2, 40, 28, 27);
        for (fault, sentence) in [
            (
                FileFault::reading(path)(system(no_such)),
                "cannot read `x.json`: there is no such file; check the path",
            ),
            (
                FileFault::writing(path)(system(no_such)),
                "cannot write `x.json`: its folder does not exist; name another place",
            ),
            (
                FileFault::creating(path)(system(loops)),
                "cannot create `x.json`: too many levels of symbolic links; choose another place with --out",
            ),
            (
                FileFault::recording(path)(system(full)),
                "cannot write `x.json`: the disk is full; free some space, and go on with `autobench resume`",
            ),
            (
                FileFault::recording(path)(system(too_long)),
                "cannot write `x.json`: a file may not be longer here; raise the limit with `ulimit -f unlimited`",
            ),
        ] {
            assert_eq!(fault.to_string(), sentence);
        }
    }
}
