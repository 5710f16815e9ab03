//! From jobs to kernels in memory: from the cache, or compiled into it first.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Weak},
};

use super::{
    batches::Batches,
    cache::{Cache, Found},
    compiler::Compiler,
    library::{Entry, Loaded},
    memory::Slot,
};
use crate::backends::{CompileFault, CompileJob, RunFault};

/// A kernel in memory.
pub(super) struct Built {
    pub(super) entries: Vec<Entry>,
    /// Whether barriers outside of phases make it run on fibers.
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

/// Compiles and loads.
pub(super) struct Builder {
    compiler: Compiler,
    /// Where kernels are kept, if not in the user's cache folder.
    folder: Option<PathBuf>,
    /// Opened by the first compilation.
    cache: Option<Cache>,
    /// Compilers at once.
    threads: usize,
    loaded: HashMap<PathBuf, Weak<Loaded>>,
}

impl Builder {
    /// With the user's cache folder.
    pub(super) fn new(compiler: Compiler, threads: usize) -> Self {
        Self { compiler, folder: None, cache: None, threads, loaded: HashMap::new() }
    }

    /// The compiler in use.
    pub(super) const fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Keeps kernels here from now on; nowhere named means the user's cache folder.
    pub(super) fn set_cache(&mut self, folder: Option<PathBuf>) {
        self.folder = folder;
        self.cache = None;
    }

    /// A kernel per job, in order.
    pub(super) fn build(&mut self, jobs: &[CompileJob]) -> Vec<Result<Built, CompileFault>> {
        let cache = match self.cache.take().map_or_else(|| self.open(), Ok) {
            Ok(cache) => cache,
            Err(fault) => return jobs.iter().map(|_| Err(fault.clone())).collect(),
        };
        let results = self.build_with(&cache, jobs);
        self.cache = Some(cache);
        results
    }

    fn open(&self) -> Result<Cache, CompileFault> {
        Cache::open(self.folder.clone(), &self.compiler.identity()).map_err(|error| {
            CompileFault::Failed(format!(
                "compiled kernels can be kept nowhere: {error}; set XDG_CACHE_HOME or TMPDIR to \
                 a folder that can be written to"
            ))
        })
    }

    fn build_with(
        &mut self,
        cache: &Cache,
        jobs: &[CompileJob],
    ) -> Vec<Result<Built, CompileFault>> {
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
                None => {
                    let found = cache.find(key).ok_or_else(|| {
                        CompileFault::Failed("the kernel cache lost what it kept".to_owned())
                    })?;
                    self.load(&found).map_err(CompileFault::Failed)
                }
            })
            .collect()
    }

    fn load(&mut self, found: &Found) -> Result<Built, String> {
        let known = self.loaded.get(&found.library).and_then(Weak::upgrade);
        let library = match known {
            Some(library) => library,
            None => {
                let library = Loaded::open(&found.library)?;
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
