//! From jobs to images: from the disk, or compiled onto it first.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Arc, thread::available_parallelism};

use serde::{Deserialize, Serialize};

use super::{
    ahead::{Compile, Pool},
    loaded::{Entry, Image},
};
use crate::backends::{CompileFault, CompileJob, cache::Cache};

/// Raised when the generated text or a note changes its shape.
const VERSION: &str = "autobench gpu kernels 2";

/// A vendor's run-time compiler, and the device that it compiles for.
pub(crate) trait Compiler: Send + Sync {
    /// The folder that its kernels are kept in.
    fn backend(&self) -> &'static str;
    /// Its name, version and options, without those of one compilation.
    fn command_line(&self) -> String;
    /// Compiles a job.
    fn compile(&self, job: &CompileJob) -> Result<Image, CompileFault>;
    /// Threads that are worth having for it.
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    /// Kinds of image that it makes, as the extensions of their files.
    fn kinds(&self) -> &'static [&'static str];
}

/// What is noted of a kernel beside its image.
#[derive(Serialize, Deserialize)]
struct Note {
    image: String,
    entries: Vec<Entry>,
    facts: BTreeMap<String, f64>,
}

/// The compiler and the disk, as the threads of the pool use them.
struct Kept {
    compiler: Arc<dyn Compiler>,
    cache: Cache,
}

impl Kept {
    fn find(&self, key: &str) -> Option<Image> {
        let note: Note = serde_json::from_str(&self.cache.note(key)?).ok()?;
        let bytes = fs::read(self.cache.path(&note.image)?).ok()?;
        let extension = note.image.rsplit('.').next()?;
        let kind = self.compiler.kinds().iter().find(|kind| **kind == extension)?;
        Some(Image { bytes, kind, entries: note.entries, facts: note.facts })
    }

    fn keep(&self, key: &str, image: Image) -> std::io::Result<()> {
        let Image { bytes, kind, entries, facts } = image;
        let image = format!("{key}.{kind}");
        self.cache.write(&image, &bytes)?;
        let note = serde_json::to_string(&Note { image, entries, facts })?;
        self.cache.leave_note(key, &note)
    }
}

impl Compile<CompileJob> for Kept {
    fn compile(&self, key: &str, job: &CompileJob) -> Result<(), CompileFault> {
        let image = self.compiler.compile(job)?;
        self.keep(key, image).map_err(|error| {
            CompileFault::Failed(format!("the kernel cache cannot be written: {error}"))
        })
    }
}

/// Compiles on threads of the host.
pub(crate) struct Builder {
    compiler: Arc<dyn Compiler>,
    /// Where kernels are kept, if not in the user's cache folder.
    folder: Option<PathBuf>,
    /// Opened by the first compilation.
    open: Option<(Arc<Kept>, Pool<CompileJob>)>,
}

impl Builder {
    /// With the user's cache folder.
    pub(crate) fn new(compiler: Arc<dyn Compiler>) -> Self {
        Self { compiler, folder: None, open: None }
    }

    /// The command line that all kernels are compiled with.
    pub(crate) fn command_line(&self) -> String {
        self.compiler.command_line()
    }

    /// Keeps kernels here from now on; nowhere named means the user's cache folder.
    pub(crate) fn set_cache(&mut self, folder: Option<PathBuf>) {
        self.folder = folder;
        self.open = None;
    }

    fn open(&mut self) -> Result<&(Arc<Kept>, Pool<CompileJob>), CompileFault> {
        if self.open.is_none() {
            let identity = format!("{VERSION}\n{}", self.command_line());
            let backend = self.compiler.backend();
            let cache = Cache::open(self.folder.clone(), backend, &identity).map_err(|error| {
                CompileFault::Failed(format!(
                    "compiled kernels can be kept nowhere: {error}; set XDG_CACHE_HOME or TMPDIR \
                     to a folder that can be written to"
                ))
            })?;
            let kept = Arc::new(Kept { compiler: Arc::clone(&self.compiler), cache });
            let compiler: Arc<dyn Compile<CompileJob>> = Arc::<Kept>::clone(&kept);
            let cores = available_parallelism().map_or(1, std::num::NonZero::get);
            let threads = cores.min(self.compiler.most_threads());
            let pool = Pool::new(threads, &compiler).map_err(|error| {
                CompileFault::Failed(format!("cannot start a thread to compile on: {error}"))
            })?;
            self.open = Some((kept, pool));
        }
        self.open.as_ref().ok_or_else(|| CompileFault::Failed("there is no compiler".to_owned()))
    }

    /// Starts compiling what is not on the disk yet, and does not wait for it.
    pub(crate) fn start(&mut self, jobs: &[CompileJob]) {
        // What cannot be opened says so when a kernel is asked for.
        let Ok((kept, pool)) = self.open() else { return };
        for job in jobs {
            let key = kept.cache.key(job);
            if kept.cache.note(&key).is_none() {
                pool.start(&key, job.clone());
            }
        }
    }

    /// An image per job, in order.
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
                    CompileFault::Failed("the kernel cache lost what it kept".to_owned())
                })
            })
            .collect()
    }
}
