//! The folder of what this program needs only while it runs: the words of its workers, and whatever
//! they, their compilers and their kernels write for a while. It goes with the program; that of a
//! program that was killed goes with the next one.

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
    // A program that was killed may have had this one's number.
    let _ = std::fs::remove_dir_all(&folder);
    // Where there can be none, no worker starts, and says so.
    let _ = DirBuilder::new().mode(0o700).create(&folder);
    folder
});

/// Workers that were started so far.
static WORKERS: AtomicUsize = AtomicUsize::new(0);

/// How a worker is started that has its words to itself: the last of them are a crash's reason.
pub(in crate::cli) fn worker(memory_limit: Option<u64>) -> ClientSettings {
    let number = WORKERS.fetch_add(1, Ordering::Relaxed);
    let log = FOLDER.join(format!("worker-{number}.log"));
    let temporary = Some(FOLDER.clone());
    ClientSettings { memory_limit, temporary, ..ClientSettings::new(&log) }
}

/// Removes the folder, once all workers are gone.
pub(in crate::cli) fn remove() {
    if WORKERS.load(Ordering::Relaxed) > 0 {
        // Whatever is in the way, the next program tries again.
        let _ = std::fs::remove_dir_all(&*FOLDER);
    }
}

/// How the names of such folders begin on this host: processes of others have numbers of their own.
fn prefix() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("autobench-{}-", host.chars().map(plain).collect::<String>())
}

/// Removes the folders of programs that were killed: their numbers name no process any more.
fn sweep(all: &Path, prefix: &str) {
    for entry in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let of = name.to_str().and_then(|name| name.strip_prefix(prefix)?.parse::<u32>().ok());
        if of.is_some_and(|program| !Path::new(&format!("/proc/{program}")).exists()) {
            // Another program may have been faster.
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
        // No number of a process is as large.
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
