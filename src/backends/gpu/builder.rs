//! From jobs to images: from the disk, or compiled onto it first.

use std::{fs, path::PathBuf, sync::Arc, thread::available_parallelism, time::Instant};

use serde::{Deserialize, Serialize};

use super::{
    ahead::{Compile, Pool},
    loaded::{Image, Part},
    pace::Pace,
};
use crate::backends::{
    CompileFault, CompileJob,
    cache::{Cache, of_keys},
};

/// Raised when the generated text or a note changes its shape.
const VERSION: &str = "autobench gpu kernels 3";

/// What a compiler made of jobs.
pub(crate) struct Made {
    /// Machine code, or text with its final zero.
    pub(crate) bytes: Vec<u8>,
    /// What its kind is called: the extension of its file.
    pub(crate) kind: &'static str,
    /// The part of each job, in order.
    pub(crate) parts: Vec<Part>,
}

/// A vendor's run-time compiler, and the device that it compiles for.
pub(crate) trait Compiler: Send + Sync {
    /// The folder that its kernels are kept in.
    fn backend(&self) -> &'static str;
    /// Its name, version and options, without those of one compilation.
    fn command_line(&self) -> String;
    /// Compiles a job, or several that may share a compilation.
    fn compile(&self, jobs: &[&CompileJob]) -> Result<Made, CompileFault>;
    /// Whether a job may be compiled together with others.
    fn may_share(&self, _job: &CompileJob) -> bool {
        false
    }
    /// Threads that are worth having for it.
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    /// Kinds of image that it makes, as the extensions of their files.
    fn kinds(&self) -> &'static [&'static str];
}

/// What is noted of a job beside its image.
#[derive(Serialize, Deserialize)]
struct Note {
    image: String,
    #[serde(flatten)]
    part: Part,
}

/// The compiler and the disk, as the threads of the pool use them.
struct Kept {
    compiler: Arc<dyn Compiler>,
    cache: Cache,
    pace: Pace,
}

impl Kept {
    fn find(&self, key: &str) -> Option<Image> {
        let note: Note = serde_json::from_str(&self.cache.note(key)?).ok()?;
        let bytes = fs::read(self.cache.path(&note.image)?).ok()?;
        let extension = note.image.rsplit('.').next()?;
        let is_known = self.compiler.kinds().contains(&extension);
        is_known.then_some(Image { bytes, part: note.part })
    }

    fn keep(&self, keys: &[&str], made: Made) -> std::io::Result<()> {
        let name = match keys {
            [key] => (*key).to_owned(),
            several => of_keys(several),
        };
        let image = format!("{name}.{}", made.kind);
        self.cache.write(&image, &made.bytes)?;
        for (key, part) in keys.iter().zip(made.parts) {
            let note = serde_json::to_string(&Note { image: image.clone(), part })?;
            self.cache.leave_note(key, &note)?;
        }
        Ok(())
    }
}

impl Compile<CompileJob> for Kept {
    fn together(&self, job: &CompileJob) -> usize {
        if self.compiler.may_share(job) { self.pace.together() } else { 1 }
    }

    fn compile(&self, jobs: &[(String, CompileJob)]) -> Vec<Result<(), CompileFault>> {
        let (keys, texts): (Vec<&str>, Vec<&CompileJob>) =
            jobs.iter().map(|(key, job)| (key.as_str(), job)).unzip();
        let began = Instant::now();
        let kept = self.compiler.compile(&texts).and_then(|made| {
            self.pace.learn(began.elapsed(), jobs.len());
            self.keep(&keys, made).map_err(|error| {
                CompileFault::Failed(format!("the kernel cache cannot be written: {error}"))
            })
        });
        match kept {
            // One of them is at fault, or they do not go together: alone each speaks for itself.
            Err(_) if jobs.len() > 1 => {
                jobs.iter().flat_map(|job| self.compile(std::slice::from_ref(job))).collect()
            }
            result => vec![result; jobs.len()],
        }
    }
}

/// Compiles on threads of the host.
pub(crate) struct Builder {
    compiler: Arc<dyn Compiler>,
    /// Where kernels are kept, if not in the user's cache folder.
    folder: Option<PathBuf>,
    /// Processes that compile on this machine.
    workers: usize,
    /// Opened by the first compilation.
    open: Option<(Arc<Kept>, Pool<CompileJob>)>,
}

impl Builder {
    /// With the user's cache folder.
    pub(crate) fn new(compiler: Arc<dyn Compiler>) -> Self {
        Self { compiler, folder: None, workers: 1, open: None }
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

    /// Compiles on a part of the cores from now on.
    pub(crate) fn share_cores(&mut self, workers: usize) {
        self.workers = workers.max(1);
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
            let kept = Arc::new(Kept {
                compiler: Arc::clone(&self.compiler),
                cache,
                pace: Pace::default(),
            });
            let compiler: Arc<dyn Compile<CompileJob>> = Arc::<Kept>::clone(&kept);
            let cores = available_parallelism().map_or(1, std::num::NonZero::get);
            let threads = cores.div_ceil(self.workers).min(self.compiler.most_threads());
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

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        sync::{Mutex, PoisonError},
    };

    use super::*;

    /// Makes of jobs their texts; what says `error` does not compile.
    struct Joiner(Mutex<Vec<usize>>);

    impl Compiler for Joiner {
        fn backend(&self) -> &'static str {
            "joiner"
        }

        fn command_line(&self) -> String {
            "joiner 1".to_owned()
        }

        fn most_threads(&self) -> usize {
            1
        }

        fn kinds(&self) -> &'static [&'static str] {
            &["text"]
        }

        fn may_share(&self, _job: &CompileJob) -> bool {
            true
        }

        fn compile(&self, jobs: &[&CompileJob]) -> Result<Made, CompileFault> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(jobs.len());
            let texts: Vec<&str> = jobs.iter().map(|job| job.sources[0].1.as_str()).collect();
            if let Some(text) = texts.iter().find(|text| text.contains("error")) {
                return Err(CompileFault::Failed((*text).to_owned()));
            }
            let part = |text: &&str| Part {
                entries: Vec::new(),
                facts: BTreeMap::from([("registers".to_owned(), text.len() as f64)]),
            };
            let parts = texts.iter().map(part).collect();
            Ok(Made { bytes: texts.join("+").into_bytes(), kind: "text", parts })
        }
    }

    fn job(text: &str) -> CompileJob {
        CompileJob {
            sources: vec![("k.cu".to_owned(), text.to_owned())],
            macros: Vec::new(),
            entries: Vec::new(),
            blocks: Vec::new(),
        }
    }

    #[test]
    fn what_was_compiled_together_is_found_apart_and_the_faulty_one_alone_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let joiner = Arc::new(Joiner(Mutex::new(Vec::new())));
        let mut builder = Builder::new(Arc::<Joiner>::clone(&joiner));
        builder.set_cache(Some(folder.path().to_owned()));
        let text = |image: &Result<Image, CompileFault>| match image {
            Ok(image) => String::from_utf8_lossy(&image.bytes).into_owned(),
            Err(fault) => fault.to_string(),
        };
        assert_eq!(text(&builder.build(&[job("first")])[0]), "first");
        let jobs = ["a", "bb", "ccc"].map(job);
        for _ in 0..2 {
            let images = builder.build(&jobs);
            assert!(images.iter().all(|image| text(image) == "a+bb+ccc"), "{images:?}");
            let registers =
                images.iter().map(|image| image.as_ref().unwrap().part.facts["registers"]);
            assert_eq!(registers.collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        }
        let images = builder.build(&["d", "an error", "e"].map(job));
        assert_eq!(images.iter().map(text).collect::<Vec<_>>(), ["d", "an error", "e"]);
        let compiled = joiner.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert_eq!(compiled, [1, 3, 3, 1, 1, 1]);
    }
}
