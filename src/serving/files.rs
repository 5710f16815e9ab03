//! Files below a folder that no link leads to, opened part by part, so that no link can come between.

use std::{fs::File, os::fd::OwnedFd, path::Path};

use rustix::fs::{Dir, FileType, Mode, OFlags, fstat, open, openat};

/// What lies at a path.
#[derive(Debug)]
pub(super) enum Opened {
    /// A file, and its length.
    File(File, u64),
    /// A folder: names of its folders and of its files, in order.
    Folder(Vec<String>, Vec<String>),
}

/// Opens what lies at a path below a root; `None` if nothing does that may be shown.
pub(super) fn opened(root: &Path, parts: &[String]) -> Option<Opened> {
    // A pipe would wait for its writer without this.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut at: OwnedFd = open(root, flags | OFlags::DIRECTORY, Mode::empty()).ok()?;
    for part in parts {
        at = openat(&at, part.as_str(), flags | OFlags::NOFOLLOW, Mode::empty()).ok()?;
    }
    let facts = fstat(&at).ok()?;
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::RegularFile => {
            Some(Opened::File(File::from(at), u64::try_from(facts.st_size).ok()?))
        }
        FileType::Directory => listed(&at),
        _ => None,
    }
}

fn listed(folder: &OwnedFd) -> Option<Opened> {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in Dir::read_from(folder).ok()?.filter_map(Result::ok) {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if name.starts_with('.') {
            continue;
        }
        match entry.file_type() {
            FileType::Directory => folders.push(name.to_owned()),
            FileType::RegularFile => files.push(name.to_owned()),
            _ => {}
        }
    }
    folders.sort();
    files.sort();
    Some(Opened::Folder(folders, files))
}
