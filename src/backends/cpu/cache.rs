//! Compiled kernels on disk, found by everything that decides them. Files are written aside and
//! renamed, so that programs may share the folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sha2::{Digest, Sha256};

use crate::backends::CompileJob;

/// Raised when the generated text or the table changes its shape.
const VERSION: &str = "autobench cpu kernels 1";

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// The headers that travel in the executable: path and text.
        const HEADERS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../kernels/include/", $name)))),*
        ];
    };
}

headers!(
    "autobench/autobench.h",
    "autobench/cpu/atomics.h",
    "autobench/cpu/fibers.h",
    "autobench/cpu/index.h",
    "autobench/cpu/lacking.h",
    "autobench/cpu/lacking/cooperative_groups.h",
    "autobench/cpu/lacking/cuda_bf16.h",
    "autobench/cpu/lacking/cuda_fp16.h",
    "autobench/cpu/lacking/mma.h",
    "autobench/cpu/launch.h",
    "autobench/cpu/math.h",
    "autobench/formats.h",
    "autobench/math.h",
    "autobench/phases.h",
    "autobench/vec.h",
);

/// A folder of compiled kernels.
pub(super) struct Cache {
    folder: PathBuf,
    include: PathBuf,
    /// Compiler and flags.
    identity: String,
    /// Kept while nothing else can be written to.
    _temporary: Option<tempfile::TempDir>,
}

/// A kernel on disk: the library, and which of its variants.
pub(super) struct Found {
    pub(super) library: PathBuf,
    pub(super) variant: usize,
}

impl Cache {
    /// In `root`, or the user's cache folder, or where neither can be written, a temporary one.
    pub(super) fn open(root: Option<PathBuf>, identity: String) -> io::Result<Self> {
        if let Some(root) = root.or_else(default_root)
            && let Ok(cache) = Self::at(&root.join("cpu"), identity.clone(), None)
        {
            return Ok(cache);
        }
        let temporary = tempfile::Builder::new().prefix("autobench-").tempdir()?;
        let folder = temporary.path().to_owned();
        Self::at(&folder, identity, Some(temporary))
    }

    fn at(
        folder: &Path,
        identity: String,
        temporary: Option<tempfile::TempDir>,
    ) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let folder = fs::canonicalize(folder)?;
        let mut hash = Sha256::new();
        for (name, text) in HEADERS {
            part(&mut hash, name);
            part(&mut hash, text);
        }
        let headers = hex(hash);
        let include = folder.join(format!("include-{}", &headers[..16]));
        let identity = format!("{VERSION}\n{identity}\n{headers}\n{}", processor());
        let cache = Self { folder, include, identity, _temporary: temporary };
        // Also the proof that the folder can be written to.
        let aside = cache.scratch()?;
        if !cache.include.is_dir() {
            for (name, text) in HEADERS {
                let path = aside.path().join("include").join(name);
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::write(path, text)?;
            }
            let renamed = fs::rename(aside.path().join("include"), &cache.include);
            if renamed.is_err() && !cache.include.is_dir() {
                renamed?;
            }
        }
        Ok(cache)
    }

    /// The folder of the headers.
    pub(super) fn include(&self) -> &Path {
        &self.include
    }

    /// A folder for one compilation, gone when dropped.
    pub(super) fn scratch(&self) -> io::Result<tempfile::TempDir> {
        tempfile::Builder::new().prefix("aside-").tempdir_in(&self.folder)
    }

    /// What a job is found by.
    pub(super) fn key(&self, job: &CompileJob) -> String {
        let mut hash = Sha256::new();
        part(&mut hash, &self.identity);
        for (name, text) in job.sources.iter().chain(&job.macros) {
            part(&mut hash, name);
            part(&mut hash, text);
        }
        hash.update((job.sources.len() as u64).to_le_bytes());
        for entry in &job.entries {
            part(&mut hash, entry);
        }
        for block in &job.blocks {
            for threads in block {
                hash.update(threads.to_le_bytes());
            }
        }
        hex(hash)
    }

    /// The kernel of a key, if it was compiled before.
    pub(super) fn find(&self, key: &str) -> Option<Found> {
        let text = fs::read_to_string(self.folder.join(format!("{key}.kernel"))).ok()?;
        let (library, variant) = text.trim().split_once(' ')?;
        // A name that leads out of the folder was not written here.
        let library = self.folder.join(Path::new(library).file_name()?);
        Some(Found { library, variant: variant.parse().ok()? }).filter(|f| f.library.is_file())
    }

    /// Keeps a library that holds the kernels of these keys, in order.
    pub(super) fn keep(&self, built: &Path, keys: &[&str]) -> io::Result<PathBuf> {
        let mut hash = Sha256::new();
        keys.iter().for_each(|key| part(&mut hash, key));
        let name = format!("{}.so", &hex(hash)[..32]);
        let library = self.folder.join(&name);
        fs::rename(built, &library)?;
        for (variant, key) in keys.iter().enumerate() {
            static COUNT: AtomicU64 = AtomicU64::new(0);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let aside = self.folder.join(format!("aside-{}-{count}", std::process::id()));
            fs::write(&aside, format!("{name} {variant}\n"))?;
            fs::rename(&aside, self.folder.join(format!("{key}.kernel")))?;
        }
        Ok(library)
    }
}

/// `-march=native` means another thing on another processor.
fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let told = ["model name", "flags", "Features", "CPU part"];
    let first = info.split("\n\n").next().unwrap_or_default();
    first.lines().filter(|line| told.iter().any(|name| line.starts_with(name))).collect()
}

fn default_root() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
    Some(cache.join("autobench"))
}

/// Hashes a text with its length, so that neighbours cannot trade letters.
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
            entries: vec!["k".to_owned()],
            blocks: vec![[64, 1, 1]],
        }
    }

    #[test]
    fn every_part_of_a_job_changes_its_key() {
        let folder = tempfile::tempdir().expect("folder");
        let cache = Cache::open(Some(folder.path().to_owned()), "cc".to_owned()).expect("cache");
        let mut others = vec![job(); 5];
        others[0].sources[0].1.push(' ');
        others[1].macros[0].1 = "2".to_owned();
        others[2].entries[0] = "l".to_owned();
        others[3].blocks[0] = [1, 64, 1];
        others[4].macros[0] = ("A1".to_owned(), String::new());
        for other in others {
            assert_ne!(cache.key(&job()), cache.key(&other));
        }
        let compiler = Cache::open(Some(folder.path().to_owned()), "dd".to_owned()).expect("cache");
        assert_ne!(cache.key(&job()), compiler.key(&job()));
    }

    #[test]
    fn what_was_kept_is_found_and_a_lost_library_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let cache = Cache::open(Some(folder.path().to_owned()), "cc".to_owned()).expect("cache");
        let key = cache.key(&job());
        assert!(cache.find(&key).is_none());
        let built = folder.path().join("built");
        fs::write(&built, "library").expect("write");
        let library = cache.keep(&built, &["other", &key]).expect("keep");
        let found = cache.find(&key).expect("found");
        assert_eq!((found.library, found.variant), (library.clone(), 1));
        fs::remove_file(library).expect("remove");
        assert!(cache.find(&key).is_none());
    }
}
