//! Compiled kernels on disk, keyed by everything that determines the code. Files are written under
//! a temporary name and renamed, so that several programs can share the folder.

use std::{
    collections::HashMap,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use super::headers::HEADERS;
use crate::CompileJob;

/// Size, modification time and hash of a file.
type Seen = (u64, Option<SystemTime>, String);

/// A folder of compiled kernels. A backend keeps files under any name, and under each job's key a
/// note that says which of them belong to the job.
pub struct Cache {
    folder: PathBuf,
    /// Compiler, flags and headers.
    identity: String,
    /// Files whose hash was verified, as they were then.
    whole: Mutex<HashMap<PathBuf, Seen>>,
    /// The temporary folder, if neither `root` nor the user's cache folder can be written.
    _temporary: Option<tempfile::TempDir>,
}

impl Cache {
    /// Opens a backend's folder in `root`, or in the user's cache folder if `root` is `None`. If
    /// that fails, uses a temporary folder.
    pub fn open(root: Option<PathBuf>, backend: &str, identity: &str) -> io::Result<Self> {
        if let Some(root) = root.or_else(default_root)
            && let Ok(cache) = Self::at(&root.join(backend), identity, None)
        {
            return Ok(cache);
        }
        let temporary = tempfile::Builder::new().prefix("autobench-").tempdir()?;
        let folder = temporary.path().to_owned();
        Self::at(&folder, identity, Some(temporary))
    }

    fn at(folder: &Path, identity: &str, temporary: Option<tempfile::TempDir>) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let folder = fs::canonicalize(folder)?;
        let identity = format!("{identity}\n{}", of_headers());
        let cache = Self { folder, identity, whole: Mutex::default(), _temporary: temporary };
        cache.sweep();
        // Proves that the folder is writable.
        cache.scratch()?;
        Ok(cache)
    }

    /// Path of the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes temporary files that killed processes of this host left behind.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let prefix = aside();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(&prefix));
            let process = rest.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
            if process.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
                let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
            }
        }
    }

    /// Makes a folder for one compilation. The folder is removed when dropped.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn scratch(&self) -> io::Result<tempfile::TempDir> {
        let prefix = format!("{}{}-", aside(), std::process::id());
        tempfile::Builder::new().prefix(&prefix).tempdir_in(&self.folder)
    }

    /// The key of a job's kernel: a hash of everything that its code depends on.
    #[must_use]
    pub fn key(&self, job: &CompileJob) -> String {
        let mut hash = Sha256::new();
        part(&mut hash, &self.identity);
        for (name, text) in job.sources.iter().chain(&job.macros) {
            part(&mut hash, name);
            part(&mut hash, text);
        }
        hash.update((job.sources.len() as u64).to_le_bytes());
        hash.update((job.options.len() as u64).to_le_bytes());
        for text in job.options.iter().chain(&job.entries) {
            part(&mut hash, text);
        }
        for block in &job.blocks {
            for threads in block {
                hash.update(threads.to_le_bytes());
            }
        }
        hex(hash)
    }

    /// The text kept under a key.
    #[must_use]
    pub fn note(&self, key: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(format!("{key}.kernel"))).ok()
    }

    /// Removes the text kept under a key.
    pub fn forget(&self, key: &str) {
        let _ = fs::remove_file(self.folder.join(format!("{key}.kernel")));
    }

    /// Whether a file has this hash. A verified file is read again only if it has changed.
    pub fn is_whole(&self, path: &Path, sum: &str) -> bool {
        let Ok(about) = path.metadata() else { return false };
        let seen = (about.len(), about.modified().ok(), sum.to_owned());
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if whole.get(path) == Some(&seen) {
            return true;
        }
        let is_whole = fs::read(path).is_ok_and(|bytes| of_bytes(&bytes) == sum);
        if is_whole {
            whole.insert(path.to_owned(), seen);
        }
        is_whole
    }

    /// Keeps a text under a key.
    ///
    /// # Errors
    /// If the text cannot be written.
    pub fn leave_note(&self, key: &str, text: &str) -> io::Result<()> {
        self.write(&format!("{key}.kernel"), text.as_bytes())?;
        Ok(())
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name_aside = format!("{}{}-{count}", aside(), std::process::id());
        let aside = self.folder.join(name_aside);
        let mut file = fs::File::create(&aside)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        let path = self.folder.join(name);
        fs::rename(&aside, &path)?;
        Ok(path)
    }

    /// Path of a file that a note names. The path cannot lead out of the folder.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let path = self.folder.join(Path::new(name).file_name()?);
        path.is_file().then_some(path)
    }
}

/// Prefix of this host's temporary files. Process numbers of other hosts mean nothing here.
fn aside() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("aside-{}-", host.chars().map(plain).collect::<String>())
}

/// Hash of the headers that every kernel may include.
#[must_use]
pub fn of_headers() -> String {
    let mut hash = Sha256::new();
    for (name, text) in HEADERS {
        part(&mut hash, name);
        part(&mut hash, text);
    }
    hex(hash)
}

/// Hash of bytes.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(bytes);
    hex(hash)
}

/// Hash of several keys.
#[must_use]
pub fn of_keys(keys: &[&str]) -> String {
    let mut hash = Sha256::new();
    keys.iter().for_each(|key| part(&mut hash, key));
    hex(hash)[..32].to_owned()
}

fn default_root() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
    Some(cache.join("autobench"))
}

/// Hashes a text with its length, so that the boundary between two texts matters.
fn part(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> CompileJob {
        CompileJob {
            sources: vec![("k.cu".to_owned(), "text".to_owned())],
            macros: vec![("A".to_owned(), "1".to_owned())],
            options: vec![],
            entries: vec!["k".to_owned()],
            blocks: vec![[64, 1, 1]],
        }
    }

    fn cache(folder: &tempfile::TempDir, identity: &str) -> Cache {
        Cache::open(Some(folder.path().to_owned()), "kind", identity).expect("cache")
    }

    #[test]
    fn every_part_of_a_job_changes_its_key() {
        let folder = tempfile::tempdir().expect("folder");
        let ours = cache(&folder, "cc");
        let mut others = vec![job(); 7];
        others[0].sources[0].1.push(' ');
        others[1].macros[0].1 = "2".to_owned();
        others[2].entries[0] = "l".to_owned();
        others[3].blocks[0] = [1, 64, 1];
        others[4].macros[0] = ("A1".to_owned(), String::new());
        others[5].options = vec!["-O2".to_owned()];
        others[6].options = vec!["k".to_owned()];
        others[6].entries.clear();
        for other in others {
            assert_ne!(ours.key(&job()), ours.key(&other));
        }
        let options = |options: &[&str]| {
            let options = options.iter().map(|&option| option.to_owned()).collect();
            ours.key(&CompileJob { options, ..job() })
        };
        assert_ne!(options(&["-O2", "-g"]), options(&["-g", "-O2"]));
        assert_ne!(options(&["-O2-g"]), options(&["-O2", "-g"]));
        assert_ne!(ours.key(&job()), cache(&folder, "dd").key(&job()));
    }

    #[test]
    fn what_a_killed_process_left_aside_is_swept() {
        let folder = tempfile::tempdir().expect("folder");
        let ours = cache(&folder, "cc");
        let left = ours.folder().join(format!("{}4194999-7", aside()));
        fs::create_dir(&left).expect("made");
        fs::write(left.join("unit.cpp"), "text").expect("written");
        let foreign = ours.folder().join("aside-elsewhere-4194999-7");
        fs::write(&foreign, "text").expect("written");
        let used = ours.scratch().expect("scratch");
        cache(&folder, "cc");
        assert!(!left.exists() && foreign.exists() && used.path().exists());
    }

    #[test]
    fn notes_and_files_are_found_again_and_lost_ones_are_not() {
        let folder = tempfile::tempdir().expect("folder");
        let cache = cache(&folder, "cc");
        let key = cache.key(&job());
        assert_eq!(cache.note(&key), None);
        cache.leave_note(&key, "kept.bin").expect("note");
        assert_eq!(cache.note(&key), Some("kept.bin".to_owned()));
        assert_eq!(cache.path("kept.bin"), None);
        let file = cache.write("kept.bin", b"image").expect("file");
        assert_eq!(cache.path("../somewhere/kept.bin"), Some(file.clone()));
        fs::remove_file(file).expect("remove");
        assert_eq!(cache.path("kept.bin"), None);
    }
}
