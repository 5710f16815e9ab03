//! The cpu device's cache of compiled kernels: shared objects, each with the kernels of one or more
//! jobs. The headers are kept as files that compilers can include.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use device::{
    CompileJob,
    compilation::{cache, headers::HEADERS},
};

/// Increased whenever the generated text or the table changes its layout.
const VERSION: &str = "autobench cpu kernels 2";

pub(super) struct LibraryCache {
    kept: cache::Cache,
    include: PathBuf,
}

pub(super) struct CachedLibrary {
    pub(super) library: PathBuf,
    pub(super) variant: usize,
}

impl LibraryCache {
    /// Opens the cache. `compiler` is the compiler and its flags.
    pub(super) fn open(root: Option<PathBuf>, compiler: &str) -> io::Result<Self> {
        let identity = format!("{VERSION}\n{compiler}\n{}", processor());
        let kept = cache::Cache::open(root, "cpu", &identity)?;
        let include = kept.folder().join(format!("include-{}", &cache::of_headers()[..16]));
        let cache = Self { kept, include };
        cache.write_headers()?;
        Ok(cache)
    }

    fn write_headers(&self) -> io::Result<()> {
        let is_whole = |(name, text): &(&str, &str)| {
            fs::read(self.include.join(name)).is_ok_and(|found| found == text.as_bytes())
        };
        if HEADERS.iter().all(is_whole) {
            return Ok(());
        }
        // A damaged folder is replaced.
        let _ = fs::remove_dir_all(&self.include);
        let aside = self.scratch()?;
        for (name, text) in HEADERS {
            let path = aside.path().join("include").join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
        let renamed = fs::rename(aside.path().join("include"), &self.include);
        // Another program may have been faster to rename its folder.
        if self.include.is_dir() { Ok(()) } else { renamed }
    }

    pub(super) fn include(&self) -> &Path {
        &self.include
    }

    pub(super) fn scratch(&self) -> io::Result<tempfile::TempDir> {
        self.kept.scratch()
    }

    pub(super) fn key(&self, job: &CompileJob) -> String {
        self.kept.key(job)
    }

    /// Finds the kernel of a key, if it was compiled earlier and its library is undamaged.
    pub(super) fn find(&self, key: &str) -> Option<CachedLibrary> {
        let note = self.kept.note(key)?;
        let mut words = note.split_whitespace();
        let [library, variant, sum] = [words.next()?, words.next()?, words.next()?];
        let library = self.kept.path(library)?;
        let whole = self.kept.is_whole(&library, sum);
        whole.then_some(CachedLibrary { library, variant: variant.parse().ok()? })
    }

    /// Whether a kernel's library holds no other kernel.
    pub(super) fn is_alone(&self, found: &CachedLibrary, key: &str) -> bool {
        let name = format!("{}.so", cache::of_keys(&[key]));
        found.library.file_name().is_some_and(|of| of == name.as_str())
    }

    pub(super) fn forget(&self, key: &str) {
        self.kept.forget(key);
    }

    pub(super) fn keep(&self, built: &Path, keys: &[&str]) -> io::Result<PathBuf> {
        let name = format!("{}.so", cache::of_keys(keys));
        let library = self.kept.folder().join(&name);
        let sum = cache::of_bytes(&fs::read(built)?);
        fs::File::open(built)?.sync_data()?;
        fs::rename(built, &library)?;
        for (variant, key) in keys.iter().enumerate() {
            self.kept.leave_note(key, &format!("{name} {variant} {sum}\n"))?;
        }
        Ok(library)
    }
}

/// Describes the processor. Part of the cache key, since `-march=native` depends on it.
fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let told = ["model name", "flags", "Features", "CPU part"];
    let first = info.split("\n\n").next().unwrap_or_default();
    first.lines().filter(|line| told.iter().any(|name| line.starts_with(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_and_a_lost_library_is_not() {
        let folder = tempfile::tempdir().expect("folder");
        let cache = LibraryCache::open(Some(folder.path().to_owned()), "cc").expect("cache");
        let job = CompileJob {
            sources: vec![("k.cu".to_owned(), "text".to_owned())],
            macros: vec![],
            options: vec![],
            entries: vec!["k".to_owned()],
            blocks: vec![[64, 1, 1]],
        };
        let key = cache.key(&job);
        assert!(cache.find(&key).is_none());
        let built = folder.path().join("built");
        fs::write(&built, "library").expect("write");
        let library = cache.keep(&built, &["other", &key]).expect("keep");
        let found = cache.find(&key).expect("found");
        assert!(!cache.is_alone(&found, &key));
        assert_eq!((found.library, found.variant), (library.clone(), 1));
        fs::write(&library, "libr").expect("halved");
        assert!(cache.find(&key).is_none(), "a damaged library is compiled again");
        fs::write(&built, "library").expect("write");
        cache.keep(&built, &[&key]).expect("keep");
        assert!(cache.find(&key).is_some_and(|found| cache.is_alone(&found, &key)));
        cache.forget(&key);
        assert!(cache.find(&key).is_none());
        fs::remove_file(library).expect("remove");
        assert!(cache.find(&key).is_none());
    }

    #[test]
    fn headers_are_written_as_files() {
        let folder = tempfile::tempdir().expect("folder");
        let cache = LibraryCache::open(Some(folder.path().to_owned()), "cc").expect("cache");
        assert!(cache.include().join("autobench/autobench.h").is_file());
        assert!(cache.include().join("autobench/cpu/lacking/mma.h").is_file());
        let damaged = cache.include().join("autobench/autobench.h");
        fs::write(&damaged, "").expect("emptied");
        LibraryCache::open(Some(folder.path().to_owned()), "cc").expect("cache");
        assert!(fs::read(damaged).expect("read").len() > 100, "it was written again");
    }
}
