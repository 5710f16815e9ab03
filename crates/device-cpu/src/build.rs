//! Turns jobs into kernels: finds them in the cache or compiles them, and loads them when needed.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Weak},
};

use device::{CompileFault, CompileJob, RunFault};

use super::{
    batches::Batches,
    cache::{CachedLibrary, LibraryCache},
    compiler::Compiler,
    floating::FloatingPointControl,
    library::{EntryPoint, Loaded},
    slot::Slot,
};

pub(super) struct Built {
    pub(super) entries: Vec<EntryPoint>,
    /// Whether the kernel runs on fibers, because it has barriers outside of phases.
    pub(super) fibers: bool,
    variant: usize,
    library: Arc<Loaded>,
}

impl Built {
    /// Copies a buffer to the `__constant__` variable of this name.
    pub(super) fn bind(&self, name: &str, region: Slot<'_>) -> Result<(), RunFault> {
        let (address, bytes) = self.library.constant(name, self.variant).ok_or_else(|| {
            RunFault::Invalid(format!("the kernel has no `__constant__` variable `{name}`"))
        })?;
        if region.bytes() as u64 > bytes {
            return Err(RunFault::Invalid(format!(
                "the constant `{name}` holds {bytes} bytes and was given {}",
                region.bytes()
            )));
        }
        region.copy_out(address);
        Ok(())
    }
}

pub(super) struct Builder {
    compiler: Compiler,
    /// Folder of kernels; `None` means the user's cache folder.
    folder: Option<PathBuf>,
    /// Opened at the first compilation.
    cache: Option<LibraryCache>,
    threads: usize,
    loaded: HashMap<PathBuf, Weak<Loaded>>,
}

impl Builder {
    pub(super) fn new(compiler: Compiler, threads: usize) -> Self {
        Self { compiler, folder: None, cache: None, threads, loaded: HashMap::new() }
    }

    pub(super) const fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    pub(super) fn set_cache(&mut self, folder: Option<PathBuf>) {
        self.folder = folder;
        self.cache = None;
    }

    pub(super) fn build(
        &mut self,
        jobs: &[CompileJob],
    ) -> Vec<Result<CachedLibrary, CompileFault>> {
        let cache = match self.cache.take().map_or_else(|| self.open(), Ok) {
            Ok(cache) => cache,
            Err(fault) => return jobs.iter().map(|_| Err(fault.clone())).collect(),
        };
        let results = self.build_with(&cache, jobs);
        self.cache = Some(cache);
        results
    }

    fn open(&self) -> Result<LibraryCache, CompileFault> {
        LibraryCache::open(self.folder.clone(), &self.compiler.identity()).map_err(|error| {
            CompileFault::Machine(format!(
                "compiled kernels can be kept nowhere: {error}; set XDG_CACHE_HOME or TMPDIR to \
                 a folder that can be written to"
            ))
        })
    }

    /// Compiles a job alone if it was compiled together with others, whose constructors would run
    /// with it. Returns whether it was.
    pub(super) fn build_alone(&mut self, job: &CompileJob) -> Result<bool, CompileFault> {
        let cache = self.cache.take().map_or_else(|| self.open(), Ok)?;
        let key = cache.key(job);
        let shared = cache.find(&key).is_none_or(|found| !cache.is_alone(&found, &key));
        if shared {
            cache.forget(&key);
        }
        let built = self.build_with(&cache, std::slice::from_ref(job)).pop();
        self.cache = Some(cache);
        built.map_or(Ok(false), |built| built.map(|_| shared))
    }

    fn build_with(
        &mut self,
        cache: &LibraryCache,
        jobs: &[CompileJob],
    ) -> Vec<Result<CachedLibrary, CompileFault>> {
        let keys: Vec<String> = jobs.iter().map(|job| cache.key(job)).collect();
        let mut missing: Vec<usize> = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let twice = missing.iter().any(|&other| keys[other] == *key);
            if !twice && cache.find(key).is_none() {
                missing.push(at);
            }
        }
        let mut faults: HashMap<&str, CompileFault> = HashMap::new();
        let batches = Batches { compiler: &self.compiler, cache, jobs, keys: &keys };
        for (at, fault) in batches.compile(&missing, self.threads) {
            faults.insert(&keys[at], fault);
        }
        keys.iter()
            .map(|key| match faults.get(key.as_str()) {
                Some(fault) => Err(fault.clone()),
                None => cache.find(key).ok_or_else(|| {
                    CompileFault::Machine("the kernel cache lost what it kept".to_owned())
                }),
            })
            .collect()
    }

    /// Loads a kernel. This runs the constructors of its library.
    pub(super) fn load(&mut self, found: &CachedLibrary) -> Result<Built, String> {
        let known = self.loaded.get(&found.library).and_then(Weak::upgrade);
        let library = match known {
            Some(library) => library,
            None => {
                let library = FloatingPointControl::kept(|| Loaded::open(&found.library))?;
                self.loaded.retain(|_, library| library.strong_count() > 0);
                self.loaded.insert(found.library.clone(), Arc::downgrade(&library));
                library
            }
        };
        Ok(Built {
            entries: library.entries(found.variant)?,
            fibers: library.has_barriers(found.variant),
            variant: found.variant,
            library,
        })
    }
}
