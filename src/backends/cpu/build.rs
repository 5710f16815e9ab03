//! From jobs to kernels in memory: the cache first, then several to a compilation, one by one
//! where that fails.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{
    cache::{Cache, Found},
    compiler::Compiler,
    library::{Entry, Loaded},
    memory::Region,
    source,
};
use crate::backends::{CompileFault, CompileJob, DeviceFault, RunFault};

/// Variants in one compilation, at most. Each costs about a third of a compilation of its own.
const BATCH: usize = 8;

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
    pub(super) fn bind(&self, name: &str, region: &Region) -> Result<(), RunFault> {
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
    cache: Cache,
    /// Compilers at once.
    threads: usize,
    loaded: HashMap<PathBuf, Weak<Loaded>>,
}

impl Builder {
    /// With the user's cache folder.
    pub(super) fn new(compiler: Compiler, threads: usize) -> Result<Self, DeviceFault> {
        let cache = open(None, &compiler)?;
        Ok(Self { compiler, cache, threads, loaded: HashMap::new() })
    }

    /// The compiler in use.
    pub(super) const fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Keeps kernels here from now on; nowhere named means the user's cache folder.
    pub(super) fn set_cache(&mut self, folder: Option<PathBuf>) -> Result<(), DeviceFault> {
        self.cache = open(folder, &self.compiler)?;
        Ok(())
    }

    /// A kernel per job, in order.
    pub(super) fn build(&mut self, jobs: &[CompileJob]) -> Vec<Result<Built, CompileFault>> {
        let keys: Vec<String> = jobs.iter().map(|job| self.cache.key(job)).collect();
        let mut missing: Vec<usize> = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let twice = missing.iter().any(|&other| keys[other] == *key);
            if !twice && self.cache.find(key).is_none() {
                missing.push(at);
            }
        }
        let mut faults: HashMap<&str, CompileFault> = HashMap::new();
        for (at, fault) in self.compile(jobs, &keys, &missing) {
            faults.insert(&keys[at], fault);
        }
        keys.iter()
            .map(|key| match faults.get(key.as_str()) {
                Some(fault) => Err(fault.clone()),
                None => {
                    let found = self.cache.find(key).ok_or_else(|| {
                        CompileFault::Failed("the kernel cache lost what it kept".to_owned())
                    })?;
                    self.load(&found).map_err(CompileFault::Failed)
                }
            })
            .collect()
    }

    /// Compiles what is missing, in batches over as many compilers as there are cores, and what
    /// failed together one by one. Gives the faults.
    fn compile(
        &self,
        jobs: &[CompileJob],
        keys: &[String],
        missing: &[usize],
    ) -> Vec<(usize, CompileFault)> {
        let (shared, apart): (Vec<usize>, Vec<usize>) =
            missing.iter().partition(|&&at| source::may_share(&jobs[at]));
        let size = shared.len().div_ceil(self.threads.max(1)).clamp(1, BATCH);
        let mut batches: Vec<Vec<usize>> = shared.chunks(size).map(<[usize]>::to_vec).collect();
        batches.extend(apart.into_iter().map(|at| vec![at]));
        let failed = self.compile_batches(jobs, keys, &batches);
        let (alone, together): (Vec<_>, Vec<_>) =
            failed.into_iter().partition(|(batch, _)| batch.len() == 1);
        let again: Vec<Vec<usize>> =
            together.into_iter().flat_map(|(batch, _)| batch).map(|at| vec![at]).collect();
        let still = self.compile_batches(jobs, keys, &again);
        alone.into_iter().chain(still).map(|(batch, fault)| (batch[0], fault)).collect()
    }

    fn compile_batches(
        &self,
        jobs: &[CompileJob],
        keys: &[String],
        batches: &[Vec<usize>],
    ) -> Vec<(Vec<usize>, CompileFault)> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(fault) = self.compile_batch(jobs, keys, batch)
                    && let Ok(mut failed) = failed.lock()
                {
                    failed.push((batch.clone(), fault));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(batches.len()) {
                scope.spawn(work);
            }
            work();
        });
        failed.into_inner().unwrap_or_default()
    }

    fn compile_batch(
        &self,
        jobs: &[CompileJob],
        keys: &[String],
        batch: &[usize],
    ) -> Result<(), CompileFault> {
        let failed = |error: std::io::Error| {
            CompileFault::Failed(format!("the kernel cache cannot be written: {error}"))
        };
        let folder = self.cache.scratch().map_err(failed)?;
        let jobs: Vec<&CompileJob> = batch.iter().map(|&at| &jobs[at]).collect();
        if let [job] = jobs.as_slice() {
            for (name, text) in job.sources.iter().skip(1) {
                let path = folder.path().join(plain(name)?);
                path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
                std::fs::write(path, text).map_err(failed)?;
            }
        }
        let library = folder.path().join("unit.so");
        let unit = source::unit(&jobs);
        self.compiler.build(&unit, folder.path(), self.cache.include(), &library)?;
        let keys: Vec<&str> = batch.iter().map(|&at| keys[at].as_str()).collect();
        self.cache.keep(&library, &keys).map_err(failed)?;
        Ok(())
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

fn open(folder: Option<PathBuf>, compiler: &Compiler) -> Result<Cache, DeviceFault> {
    Cache::open(folder, compiler.identity()).map_err(|error| {
        DeviceFault(format!(
            "compiled kernels can be kept nowhere: {error}; set XDG_CACHE_HOME or TMPDIR to a \
             folder that can be written to"
        ))
    })
}

/// A source's name as a path inside of its folder.
fn plain(name: &str) -> Result<&std::path::Path, CompileFault> {
    let path = std::path::Path::new(name);
    let inside = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if inside {
        Ok(path)
    } else {
        Err(CompileFault::Failed(format!("the source name `{name}` leads out of its folder")))
    }
}
