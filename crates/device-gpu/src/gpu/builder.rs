//! Turns jobs into images: finds them on disk, or compiles and keeps them there.

use std::{fs, path::PathBuf, sync::Arc, thread::available_parallelism, time::Instant};

use device::{
    CompileFault, CompileJob,
    compilation::cache::{Cache, of_bytes},
};
use serde::{Deserialize, Serialize};

use super::{
    compile_pool::{Compile, CompilePool},
    loaded::{Image, ImagePart},
    pace::Pace,
};

/// Increased whenever the generated text or a note changes its layout.
const VERSION: &str = "autobench gpu kernels 4";

pub(crate) struct Made {
    /// Machine code, or text with a terminating zero.
    pub(crate) bytes: Vec<u8>,
    /// File extension of the image.
    pub(crate) kind: &'static str,
    pub(crate) parts: Vec<ImagePart>,
}

/// A vendor's run-time compiler for one device.
pub(crate) trait Compiler: Send + Sync {
    /// Name of the folder that keeps its kernels.
    fn backend(&self) -> &'static str;
    /// Name, version and options, without options of a single compilation.
    fn command_line(&self) -> String;
    fn compile(&self, jobs: &[&CompileJob]) -> Result<Made, CompileFault>;
    fn may_share(&self, _job: &CompileJob) -> bool {
        false
    }
    /// Most compiler threads that are useful.
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    /// Kinds of image that the compiler makes, as file extensions.
    fn kinds(&self) -> &'static [&'static str];
}

/// A note in the cache: the name of a job's image, and the job's part of it.
#[derive(Serialize, Deserialize)]
struct CacheNote {
    image: String,
    #[serde(flatten)]
    part: ImagePart,
}

/// Compiler and cache, shared by the pool's threads.
struct SharedCompiler {
    compiler: Arc<dyn Compiler>,
    cache: Cache,
    pace: Pace,
}

impl SharedCompiler {
    fn find(&self, key: &str) -> Option<Image> {
        let note: CacheNote = serde_json::from_str(&self.cache.note(key)?).ok()?;
        let bytes = fs::read(self.cache.path(&note.image)?).ok()?;
        let (sum, extension) = note.image.rsplit_once('.')?;
        // A damaged image is compiled again.
        let is_whole = self.compiler.kinds().contains(&extension) && of_bytes(&bytes) == sum;
        is_whole.then_some(Image { bytes, part: note.part })
    }

    fn keep(&self, keys: &[&str], made: Made) -> std::io::Result<()> {
        // Named by its content, so that a worker with the same keys cannot put another image in its
        // place.
        let image = format!("{}.{}", of_bytes(&made.bytes), made.kind);
        self.cache.write(&image, &made.bytes)?;
        for (key, part) in keys.iter().zip(made.parts) {
            let note = serde_json::to_string(&CacheNote { image: image.clone(), part })?;
            self.cache.leave_note(key, &note)?;
        }
        Ok(())
    }
}

impl Compile<CompileJob> for SharedCompiler {
    fn group(&self, job: &CompileJob) -> Option<String> {
        // Options apply to a whole compilation.
        self.compiler.may_share(job).then(|| job.options.join(" "))
    }

    fn together(&self) -> usize {
        self.pace.together()
    }

    fn compile(&self, jobs: &[(String, CompileJob)]) -> Option<Vec<Result<(), CompileFault>>> {
        let (keys, texts): (Vec<&str>, Vec<&CompileJob>) =
            jobs.iter().map(|(key, job)| (key.as_str(), job)).unzip();
        let began = Instant::now();
        let kept = self.compiler.compile(&texts).and_then(|made| {
            self.pace.learn(began.elapsed(), jobs.len());
            self.keep(&keys, made).map_err(|error| {
                CompileFault::Machine(format!("the kernel cache cannot be written: {error}"))
            })
        });
        // One of several jobs may be at fault, so they are compiled again one by one.
        if kept.is_err() && jobs.len() > 1 {
            self.pace.refused();
            return None;
        }
        Some(vec![kept; jobs.len()])
    }
}

/// Compiler threads of one of several workers. A worker with one core compiles only while it waits
/// for a kernel.
fn threads(cores: usize, workers: usize, most: usize) -> usize {
    cores.div_ceil(workers.max(1)).min(most).max(1)
}

pub(crate) struct Builder {
    compiler: Arc<dyn Compiler>,
    /// Folder of kernels; `None` means the user's cache folder.
    folder: Option<PathBuf>,
    /// Workers that compile on this machine.
    workers: usize,
    /// Opened at the first compilation.
    open: Option<(Arc<SharedCompiler>, CompilePool<CompileJob>)>,
}

impl Builder {
    pub(crate) fn new(compiler: Arc<dyn Compiler>) -> Self {
        Self { compiler, folder: None, workers: 1, open: None }
    }

    pub(crate) fn command_line(&self) -> String {
        self.compiler.command_line()
    }

    pub(crate) fn set_cache(&mut self, folder: Option<PathBuf>) {
        self.folder = folder;
        self.open = None;
    }

    pub(crate) fn share_cores(&mut self, workers: usize) {
        self.workers = workers;
        self.open = None;
    }

    fn open(&mut self) -> Result<&(Arc<SharedCompiler>, CompilePool<CompileJob>), CompileFault> {
        if self.open.is_none() {
            let identity = format!("{VERSION}\n{}", self.command_line());
            let backend = self.compiler.backend();
            let cache = Cache::open(self.folder.clone(), backend, &identity).map_err(|error| {
                CompileFault::Machine(format!(
                    "compiled kernels can be kept nowhere: {error}; set XDG_CACHE_HOME or TMPDIR \
                     to a folder that can be written to"
                ))
            })?;
            let kept = Arc::new(SharedCompiler {
                compiler: Arc::clone(&self.compiler),
                cache,
                pace: Pace::default(),
            });
            let compiler: Arc<dyn Compile<CompileJob>> = Arc::<SharedCompiler>::clone(&kept);
            let cores = available_parallelism().map_or(1, std::num::NonZero::get);
            let threads = threads(cores, self.workers, self.compiler.most_threads());
            let pool = CompilePool::new(threads, &compiler).map_err(|error| {
                CompileFault::Machine(format!("cannot start a thread to compile on: {error}"))
            })?;
            self.open = Some((kept, pool));
        }
        self.open.as_ref().ok_or_else(|| CompileFault::Failed("there is no compiler".to_owned()))
    }

    /// Starts compiling the jobs that are not on disk yet, without waiting.
    pub(crate) fn start(&mut self, jobs: &[CompileJob]) {
        // Faults in opening are reported when a kernel is asked for.
        let Ok((kept, pool)) = self.open() else { return };
        for job in jobs {
            let key = kept.cache.key(job);
            if kept.cache.note(&key).is_none() {
                pool.start(&key, job.clone());
            }
        }
    }

    pub(crate) fn build(&mut self, jobs: &[CompileJob]) -> Vec<Result<Image, CompileFault>> {
        let (kept, pool) = match self.open() {
            Ok(open) => open,
            Err(fault) => return jobs.iter().map(|_| Err(fault.clone())).collect(),
        };
        let keys: Vec<String> = jobs.iter().map(|job| kept.cache.key(job)).collect();
        let mut missing: Vec<String> = Vec::new();
        for (key, job) in keys.iter().zip(jobs) {
            if !missing.contains(key) && kept.find(key).is_none() {
                pool.start(key, job.clone());
                missing.push(key.clone());
            }
        }
        let results = pool.finish(&missing);
        keys.iter()
            .map(|key| {
                if let Some(at) = missing.iter().position(|other| other == key) {
                    results[at].clone()?;
                }
                kept.find(key).ok_or_else(|| {
                    CompileFault::Machine("the kernel cache lost what it kept".to_owned())
                })
            })
            .collect()
    }
}

#[cfg(test)]
#[path = "builder_tests.rs"]
mod tests;
