//! Temporary folder of the program: logs of its workers, and temporary files of theirs, their
//! compilers and their kernels. Removed at the end, or by the next program if this one is killed.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::worker::ClientSettings;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let (all, prefix) = (std::env::temp_dir(), prefix());
    sweep(&all, &prefix);
    let folder = all.join(format!("{prefix}{}", std::process::id()));
    // A killed program may have had this process number.
    let _ = std::fs::remove_dir_all(&folder);
    // Without it no worker starts, and that error is reported.
    let _ = DirBuilder::new().mode(0o700).create(&folder);
    folder
});

static WORKERS: AtomicUsize = AtomicUsize::new(0);

/// Settings of a worker with a log of its own, whose last lines are the reason of a crash.
pub(in crate::cli) fn worker(memory_limit: Option<u64>) -> ClientSettings {
    let number = WORKERS.fetch_add(1, Ordering::Relaxed);
    let log = FOLDER.join(format!("worker-{number}.log"));
    let temporary = Some(FOLDER.clone());
    ClientSettings { memory_limit, temporary, ..ClientSettings::new(&log) }
}

/// Removes the folder; call when all workers are gone.
pub(in crate::cli) fn remove() {
    if WORKERS.load(Ordering::Relaxed) > 0 {
        // If this fails, the next program tries again.
        let _ = std::fs::remove_dir_all(&*FOLDER);
    }
}

/// Prefix of the folders' names on this host: other hosts have processes with the same numbers.
fn prefix() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("autobench-{}-", host.chars().map(plain).collect::<String>())
}

/// Removes the folders of killed programs, whose numbers belong to no process.
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
}
