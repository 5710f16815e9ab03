//! Compiling through the disk, with a compiler that joins the jobs' texts.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use super::*;

/// A compiler whose image is the jobs' joined texts. A text with `error` does not compile.
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
        let part = |text: &&str| ImagePart {
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
        options: vec![],
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
        let registers = images.iter().map(|image| image.as_ref().unwrap().part.facts["registers"]);
        assert_eq!(registers.collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
    }
    let images = builder.build(&["d", "an error", "e"].map(job));
    assert_eq!(images.iter().map(text).collect::<Vec<_>>(), ["d", "an error", "e"]);
    let compiled = joiner.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(compiled, [1, 3, 3, 1, 1, 1]);
}

#[test]
fn workers_share_the_cores() {
    let most = usize::MAX;
    let given = [(16, 1, most), (16, 3, most), (2, 8, most), (16, 1, 2), (4, 0, most)];
    assert_eq!(given.map(|(cores, workers, most)| threads(cores, workers, most)), [16, 6, 1, 2, 4]);
}

#[test]
fn a_damaged_image_is_compiled_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let joiner = Arc::new(Joiner(Mutex::new(Vec::new())));
    let build = || {
        let mut builder = Builder::new(Arc::<Joiner>::clone(&joiner));
        builder.set_cache(Some(folder.path().to_owned()));
        builder.build(&[job("first")]).remove(0).expect("compiled").bytes
    };
    assert_eq!(build(), b"first");
    let mut folders = vec![folder.path().to_owned()];
    while let Some(here) = folders.pop() {
        for path in fs::read_dir(here).expect("readable").map(|entry| entry.expect("entry").path())
        {
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(kind) if kind == "text" => fs::write(path, "fir").expect("writable"),
                _ => {}
            }
        }
    }
    assert_eq!(build(), b"first");
    assert_eq!(joiner.0.lock().unwrap_or_else(PoisonError::into_inner).len(), 2);
}
