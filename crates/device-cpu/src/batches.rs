//! Compiles the jobs that the cache lacks: several configurations together, and one by one if that
//! fails.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use device::{CompileFault, CompileJob, compilation::variants};

use super::{cache::LibraryCache, compiler::Compiler, source};

/// Most variants in a compilation. Each costs about a third of a separate compilation.
const BATCH: usize = 8;

pub(super) struct Batches<'a> {
    pub(super) compiler: &'a Compiler,
    pub(super) cache: &'a LibraryCache,
    pub(super) jobs: &'a [CompileJob],
    pub(super) keys: &'a [String],
}

impl Batches<'_> {
    /// Compiles missing jobs in batches, and the jobs of failed batches one by one. Returns the
    /// faults.
    pub(super) fn compile(&self, missing: &[usize], threads: usize) -> Vec<(usize, CompileFault)> {
        let (shared, apart): (Vec<usize>, Vec<usize>) =
            missing.iter().partition(|&&at| variants::may_share(&self.jobs[at]));
        let size = shared.len().div_ceil(threads.max(1)).clamp(1, BATCH);
        let mut batches: Vec<Vec<usize>> = self
            .by_options(shared)
            .iter()
            .flat_map(|alike| alike.chunks(size).map(<[usize]>::to_vec))
            .collect();
        batches.extend(apart.into_iter().map(|at| vec![at]));
        let failed = self.compile_batches(&batches, threads);
        let (alone, together): (Vec<_>, Vec<_>) =
            failed.into_iter().partition(|(batch, _)| batch.len() == 1);
        let again: Vec<Vec<usize>> =
            together.into_iter().flat_map(|(batch, _)| batch).map(|at| vec![at]).collect();
        let still = self.compile_batches(&again, threads);
        alone.into_iter().chain(still).map(|(batch, fault)| (batch[0], fault)).collect()
    }

    /// Groups jobs by their options, which apply to a whole compilation.
    fn by_options(&self, jobs: Vec<usize>) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for at in jobs {
            let options = &self.jobs[at].options;
            match groups.iter_mut().find(|group| self.jobs[group[0]].options == *options) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        groups
    }

    fn compile_batches(
        &self,
        batches: &[Vec<usize>],
        threads: usize,
    ) -> Vec<(Vec<usize>, CompileFault)> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(fault) = self.compile_batch(batch)
                    && let Ok(mut failed) = failed.lock()
                {
                    failed.push((batch.clone(), fault));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(batches.len()) {
                scope.spawn(work);
            }
            work();
        });
        failed.into_inner().unwrap_or_default()
    }

    fn compile_batch(&self, batch: &[usize]) -> Result<(), CompileFault> {
        let failed = |error: std::io::Error| {
            CompileFault::Machine(format!("the kernel cache cannot be written: {error}"))
        };
        let folder = self.cache.scratch().map_err(failed)?;
        let jobs: Vec<&CompileJob> = batch.iter().map(|&at| &self.jobs[at]).collect();
        if let [job] = jobs.as_slice() {
            for (name, text) in job.sources.iter().skip(1) {
                let path = folder.path().join(plain(name)?);
                path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
                std::fs::write(path, text).map_err(failed)?;
            }
        }
        let library = folder.path().join("unit.so");
        let unit = source::unit(&jobs);
        let options = jobs.first().map_or(&[][..], |job| job.options.as_slice());
        self.compiler.build(&unit, options, folder.path(), self.cache.include(), &library)?;
        let keys: Vec<&str> = batch.iter().map(|&at| self.keys[at].as_str()).collect();
        self.cache.keep(&library, &keys).map_err(failed)?;
        Ok(())
    }
}

/// Returns a source's name as a path that stays inside the folder.
fn plain(name: &str) -> Result<&std::path::Path, CompileFault> {
    let path = std::path::Path::new(name);
    let inside = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if inside {
        Ok(path)
    } else {
        Err(CompileFault::Failed(format!("the source name `{name}` leads out of its folder")))
    }
}
