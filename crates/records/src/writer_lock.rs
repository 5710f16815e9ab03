//! The lock for files that are read, changed and written again, so that programs at the same time
//! lose nothing. Journals have locks of their own: they are written while a study runs.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use crate::FileFault;

/// The right to change a file. Hold it from before the file is read until it is written.
#[derive(Debug)]
pub struct WriterLock {
    path: PathBuf,
    /// `None` where the file system has no locks.
    _held: Option<File>,
}

impl WriterLock {
    /// Waits until no other program changes the file, which need not exist. The lock is a hidden
    /// file next to it: the file itself is replaced when it is written.
    ///
    /// # Errors
    /// If the lock cannot be created.
    pub fn of(changed: &Path) -> Result<Self, FileFault> {
        let name = changed.file_name().unwrap_or_default().to_string_lossy();
        let path = changed.with_file_name(format!(".autobench-{name}.lock"));
        let failed = FileFault::writing(changed);
        loop {
            let mut options = File::options();
            let file = options.create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(&failed)?;
            match file.lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Self { path, _held: Some(file) }),
                // The program that held it has removed it.
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(Self { path, _held: None }),
            }
        }
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Still locked: whoever waits for it sees that it is gone, and makes a new one. A lock that
        // stays is harmless.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether the open file is the one at this path.
fn is_at(file: &File, path: &Path) -> bool {
    let both = file.metadata().and_then(|own| Ok((own, fs::symlink_metadata(path)?)));
    both.is_ok_and(|(own, other)| (own.dev(), own.ino()) == (other.dev(), other.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("numbers.txt");
        let add = |number: usize| {
            let _lock = WriterLock::of(&path).expect("a lock");
            let text = fs::read_to_string(&path).unwrap_or_default();
            crate::write_whole(&path, format!("{text}{number}\n").as_bytes()).expect("written");
        };
        std::thread::scope(|scope| {
            for writer in 0..8 {
                scope.spawn(move || (0..10).for_each(|at| add(10 * writer + at)));
            }
        });
        let text = fs::read_to_string(&path).expect("written");
        let mut numbers: Vec<usize> = text.lines().map(|line| line.parse().expect("one")).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..80).collect::<Vec<usize>>());
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "a lock stayed");
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named_at_once() {
        let fault = WriterLock::of(Path::new("/no/such/folder/tags.txt")).expect_err("none");
        assert!(fault.to_string().contains("/no/such/folder/tags.txt"), "{fault}");
    }
}
