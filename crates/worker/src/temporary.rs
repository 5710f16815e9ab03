//! The program's temporary folder: logs of its workers, and temporary files of the workers, their
//! compilers and their kernels. Removed with the last worker, or by the next program if this one is
//! killed.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{ClientSettings, WorkerFault};

/// Number of workers that use the folder now.
static USERS: Mutex<usize> = Mutex::new(0);

/// The folder, which exists as long as a worker uses it.
#[derive(Debug)]
pub(super) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// The folder of this program. Creates it if no worker uses it yet.
    pub(super) fn of_program() -> Result<Self, WorkerFault> {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, prefix) = (std::env::temp_dir(), prefix());
        let folder = all.join(format!("{prefix}{}", std::process::id()));
        if *users == 0 {
            sweep(&all, &prefix);
            // A killed program may have had this process number.
            let _ = std::fs::remove_dir_all(&folder);
            create(&folder)?;
        }
        *users += 1;
        Ok(Self(folder))
    }

    /// Settings of a worker with its own log, whose last lines are the reason for a crash.
    pub(super) fn settings(&self, memory_limit: Option<u64>) -> ClientSettings {
        static WORKERS: AtomicUsize = AtomicUsize::new(0);
        let number = WORKERS.fetch_add(1, Ordering::Relaxed);
        let log = self.0.join(format!("worker-{number}.log"));
        let temporary = Some(self.0.clone());
        ClientSettings { memory_limit, temporary, ..ClientSettings::new(&log) }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        *users -= 1;
        if *users == 0 {
            // If this fails, the next program tries again.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

fn create(folder: &Path) -> Result<(), WorkerFault> {
    DirBuilder::new().mode(0o700).create(folder).map_err(|error| {
        WorkerFault::Start(format!(
            "cannot create the temporary folder `{}`: {error}; set TMPDIR to a folder that exists \
             and can be written to",
            folder.display()
        ))
    })
}

/// Prefix of the folders' names on this host. Other hosts have processes with the same numbers.
fn prefix() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("autobench-{}-", host.chars().map(plain).collect::<String>())
}

/// Removes the folders of programs that no longer run.
fn sweep(all: &Path, prefix: &str) {
    for entry in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let of = name.to_str().and_then(|name| name.strip_prefix(prefix)?.parse::<u32>().ok());
        if of.is_some_and(|program| !Path::new(&format!("/proc/{program}")).exists()) {
            // Another program may have removed it meanwhile.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_programs_that_are_gone_are_swept() {
        let all = tempfile::tempdir().expect("a folder");
        let own = std::process::id();
        // No process has a number this large.
        let names = ["autobench-host-4194999", "autobench-host-x", "autobench-other-4194999"];
        for name in names.map(str::to_owned).into_iter().chain([format!("autobench-host-{own}")]) {
            std::fs::create_dir(all.path().join(name)).expect("made");
        }
        std::fs::write(all.path().join("autobench-host-4194999/worker-0.log"), "a")
            .expect("written");
        sweep(all.path(), "autobench-host-");
        let left = std::fs::read_dir(all.path()).expect("readable").count();
        assert_eq!(left, 3);
        assert!(!all.path().join("autobench-host-4194999").exists());
    }

    #[test]
    fn a_place_that_cannot_be_written_to_is_named_with_the_cause() {
        for (place, cause) in [
            ("/proc/sys", ""),
            ("/no/such/place", "No such file"),
            ("/dev/null", "Not a directory"),
        ] {
            let told = create(&Path::new(place).join("autobench-x")).expect_err(place).to_string();
            assert!(told.contains("temporary folder") && told.contains(cause), "{told}");
            assert!(told.contains("set TMPDIR"), "{told}");
        }
    }
}
