//! The real compiler, if there is one. Every kernel of the repository compiles without an include
//! path, with its configurations distributed over several architectures. The simulated driver
//! accepts the results but runs nothing. Each benchmark compiles in a separate process, because one
//! process cannot always compile kernels in parallel.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use device::{ArgumentValue, BACKENDS, CompileFault, CompileJob, Device, RunFault};
use plugins::{Benchmark, SearchPath, all, find, open};
use records::Named;
use space::{Space, Value, seeded};

use super::{
    libraries,
    vendor::{self, BACKEND},
};
use crate::{
    contract::{int, job, step},
    support,
};

/// Configurations of each kernel: many at night, otherwise a fixed few.
fn configurations() -> usize {
    if support::exhaustive() { 200 } else { 12 }
}

/// Variable that passes the real compiler to the tests in this file.
const REAL: &str = "AUTOBENCH_TEST_REAL_COMPILER";
/// Variable with the benchmark whose kernels a process compiles.
const BENCHMARK: &str = "AUTOBENCH_TEST_BENCHMARK";

fn must_be_real() {
    libraries::must_be_in_use();
    assert!(std::env::var_os(REAL).is_some(), "not a test by itself");
}

/// Name of a real compiler that the program finds; `None` without one.
pub(crate) fn found() -> Option<String> {
    vendor::candidates().into_iter().find_map(|candidate| {
        let mut command = support::command();
        command.env(vendor::DRIVER, libraries::driver());
        let named = candidate.as_ref().map(|name| name.to_string_lossy().into_owned());
        vendor::accept_real(&mut command, named.as_deref().unwrap_or_default());
        command.envs(candidate.map(|name| (vendor::COMPILER, name)));
        let output = command.args(["devices", "--json"]).output().expect("it runs");
        let backends = support::json(&output);
        let ours = backends.as_array()?.iter().find(|backend| backend[0] == BACKEND)?;
        ours[1]["Ok"][0]["facts"]["compiler_library"].as_str().map(str::to_owned)
    })
}

#[test]
fn every_kernel_compiles_with_the_real_compiler() {
    if libraries::are_in_use() {
        return;
    }
    let Some(compiler) = found() else {
        eprintln!("skipped: no real compiler was found; {}", vendor::INSTALL);
        return;
    };
    let (variable, architectures) = vendor::ARCHITECTURES;
    let compile_again = |tests: &str, architecture: &str, benchmark: Option<&str>| {
        let folder = tempfile::tempdir().expect("a folder");
        libraries::again(&libraries::ours(tests), |command| {
            vendor::accept_real(command, &compiler);
            command
                .env(vendor::COMPILER, &compiler)
                .env(REAL, "1")
                .env("XDG_CACHE_HOME", folder.path())
                .env(variable, architecture)
                .envs(benchmark.map(|name| (BENCHMARK, name)));
        })
    };
    for architecture in architectures {
        compile_again("real_compiler::inner_", architecture, None);
    }
    let benchmarks = all(&SearchPath::new(&[]));
    assert!(benchmarks.len() >= 2, "what Cargo built for this test: {benchmarks:?}");
    // The sample has one architecture per benchmark.
    let is_tried =
        |at: usize, other: usize| support::exhaustive() || at % architectures.len() == other;
    let work: Vec<(&str, &str)> = architectures
        .iter()
        .enumerate()
        .flat_map(|(other, architecture)| {
            let tried = benchmarks.iter().enumerate().filter(move |(at, _)| is_tried(*at, other));
            tried.map(move |(_, (name, _))| (*architecture, name.as_str()))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let take_turns = || {
        let _stop = StopOthers { next: &next, end: work.len() };
        while let Some((architecture, name)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let said = compile_again("real_compiler::benchmark_", architecture, Some(name));
            said.lines()
                .filter(|line| line.contains("ms a variant"))
                .for_each(|line| eprintln!("{line}"));
        }
    };
    std::thread::scope(|scope| {
        (0..vendor::compiling_processes()).for_each(|_| {
            scope.spawn(take_turns);
        });
    });
}

/// When dropped in a panic, leaves the other threads no work.
struct StopOthers<'a> {
    next: &'a AtomicUsize,
    end: usize,
}

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.next.store(self.end, Ordering::Relaxed);
        }
    }
}

fn device(folder: &tempfile::TempDir) -> Box<dyn Device> {
    let backend = BACKENDS.find(BACKEND).expect("it is a backend");
    let mut device = (backend.open)(0).expect("opens");
    device.set_cache(Some(folder.path().to_owned())).expect("a cache");
    device
}

/// Number of configurations to compile. Benchmarks without a parameter `precision` get fewer: each
/// of their configurations mixes formats and compiles slowly.
fn sampled(benchmark: &Benchmark) -> usize {
    let single = benchmark.parameters().iter().any(|parameter| parameter.name == "precision");
    // Every architecture gets at least four configurations.
    let least = 4 * share().1;
    if single { configurations().max(least) } else { (configurations() / 10).max(least) }
}

/// The jobs of this process: its share of a benchmark's configurations, in all formats.
fn jobs(benchmark: &Benchmark) -> Vec<CompileJob> {
    let (sampled, (share, shares)) = (sampled(benchmark), share());
    let size = benchmark.document().size.start;
    let constants = [("size".to_owned(), Value::Int(size.cast_signed()))];
    let space = Space::build(benchmark.parameters(), benchmark.restrictions(), &constants);
    let space = space.expect("a space");
    let ids = space.sample(sampled, &mut seeded(1, 0));
    let mut jobs = Vec::new();
    // A small space repeats, each time in another format. The share shifts with each format, so
    // that an even space is still covered whole.
    let quarter = sampled.div_ceil(4).max(2);
    let ours = |(at, _): &(usize, _)| (at + at / quarter) % shares == share;
    for (at, id) in ids.into_iter().cycle().take(sampled).enumerate().filter(ours) {
        let workload = benchmark.workload(size, &Named::of(&space, id));
        let mut job = workload.expect("a workload").job;
        let format = ["f32", "f64", "f16", "bf16"][at / quarter % 4];
        job.macros.iter_mut().filter(|(name, _)| name == "precision").for_each(|(_, value)| {
            format.clone_into(value);
        });
        jobs.push(job);
    }
    jobs
}

/// Index of the architecture that this process compiles for, and the number of architectures.
fn share() -> (usize, usize) {
    let (variable, architectures) = vendor::ARCHITECTURES;
    let ours = std::env::var(variable).expect(variable);
    let at = architectures.iter().position(|architecture| *architecture == ours);
    (at.expect("one of them"), architectures.len())
}

#[test]
#[ignore = "run by the first test of this file, in processes of its own"]
fn benchmark_compiles_in_every_format() {
    must_be_real();
    let name = std::env::var(BENCHMARK).expect(BENCHMARK);
    let locator = find(&name, &SearchPath::new(&[])).expect("its plugin");
    let (benchmark, _plugin) = open(&locator).expect("a benchmark");
    let folder = tempfile::tempdir().expect("a folder");
    let mut device = device(&folder);
    let jobs = jobs(&benchmark);
    let start = Instant::now();
    let compiled = device.compile(&jobs);
    let each = start.elapsed().as_secs_f64() * 1e3 / jobs.len() as f64;
    let mut fine = 0;
    for (result, job) in compiled.into_iter().zip(&jobs) {
        match result {
            Ok(kernel) => {
                fine += 1;
                let facts = device.kernel_facts(kernel);
                assert!(
                    facts["registers"] >= vendor::FEWEST_REGISTERS,
                    "{name} {:?}: {facts:?}",
                    job.macros
                );
            }
            Err(fault) if vendor::is_too_large(&fault) => {}
            Err(fault) => panic!("{name} {:?}: {fault}", job.macros),
        }
    }
    assert!(!jobs.is_empty() && 2 * fine >= jobs.len(), "{fine} of {} of {name}", jobs.len());
    let compiler = device.info().compiler;
    let target = device.info().facts["compiled_for"].clone();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    eprintln!(
        "{name}: {compiler}, {target}, {cores} threads: {each:.1} ms a variant, {fine} of {} \
         compile",
        jobs.len()
    );
}

#[test]
fn the_whole_header_compiles_with_the_real_compiler() {
    if libraries::are_in_use() {
        return;
    }
    let Some(compiler) = found() else {
        eprintln!("skipped: no real compiler was found; {}", vendor::INSTALL);
        return;
    };
    for architecture in vendor::HEADER_ARCHITECTURES {
        let said = libraries::again(&libraries::ours("real_compiler::header_"), |command| {
            vendor::accept_real(command, &compiler);
            command
                .env(vendor::COMPILER, &compiler)
                .env(REAL, "1")
                .env(vendor::ARCHITECTURES.0, architecture);
        });
        said.lines()
            .filter(|line| line.starts_with("skipped"))
            .for_each(|line| eprintln!("{line}"));
    }
}

#[test]
#[ignore = "run by a test of this file, in processes of its own"]
fn header_compiles_in_every_format() {
    must_be_real();
    let folder = tempfile::tempdir().expect("a folder");
    let backend = BACKENDS.find(BACKEND).expect("it is a backend");
    let mut device = match (backend.open)(0) {
        // Compilers drop old architectures.
        Err(fault) if fault.to_string().contains("knows no architecture as old") => {
            eprintln!("skipped: {fault}");
            return;
        }
        opened => opened.expect("opens"),
    };
    device.set_cache(Some(folder.path().to_owned())).expect("a cache");
    let jobs = ["double", "float", "ab::f16", "ab::bf16"]
        .map(|format| job(include_str!("header.cu"), &format!("all<{format}>"), [64, 1, 1]));
    for (compiled, job) in device.compile(&jobs).into_iter().zip(&jobs) {
        assert!(compiled.is_ok(), "{:?}: {compiled:?}", job.entries);
    }
}

#[test]
#[ignore = "run by the first test of this file, in a process of its own"]
fn inner_faults_of_the_real_compiler_are_told_apart() {
    must_be_real();
    let folder = tempfile::tempdir().expect("a folder");
    let mut device = device(&folder);
    let broken = "__global__ void broken(float *c) {\n  c[0] = undeclared;\n}\n";
    let large = "__global__ void large(float *c) {\n  __shared__ float x[100000];\n  \
                 x[threadIdx.x] = c[threadIdx.x];\n  __syncthreads();\n  c[0] = x[c[3] > 0];\n}\n";
    let halves = format!("#include <{}>\n__global__ void halves(float *c) {{}}\n", vendor::HEADER);
    let mut fault = |text: &str, entry: &str| {
        device.compile(&[job(text, entry, [1; 3])]).remove(0).expect_err("it is faulty")
    };
    let expected = vendor::UNDECLARED.to_owned();
    assert_eq!(fault(broken, "broken"), CompileFault::Failed(expected));
    let missing = fault(broken.replace("undeclared", "1").as_str(), "absent").to_string();
    assert!(missing.starts_with("an entry is not") && missing.contains("absent"), "{missing}");
    let CompileFault::Invalid(why) = fault(large, "large") else { panic!("it is too large") };
    assert!(why.contains(vendor::TOO_LARGE), "{why}");
    let why = fault(&halves, "halves").to_string();
    assert!(why.contains("ab::f16"), "{why}");
}

#[test]
#[ignore = "run by the first test of this file, in a process of its own"]
fn inner_parameters_and_registers_are_read_from_the_image() {
    must_be_real();
    let folder = tempfile::tempdir().expect("a folder");
    let mut device = device(&folder);
    let text = "struct pair { float a, b, c; };\n__global__ void mixed(float *x, pair p, char c, \
                double d) { x[0] = p.a + p.b * p.c + c + d; }\n";
    let kernel = device.compile(&[job(text, "mixed", [1; 3])]).remove(0).expect("compiles");
    let facts = device.kernel_facts(kernel);
    assert!(facts["registers"] >= vendor::FEWEST_REGISTERS, "{facts:?}");
    let fault = device.run(kernel, &[step([1; 3], [1; 3], vec![int(1)])]);
    let Err(RunFault::Invalid(why)) = fault else { panic!("{fault:?}") };
    assert!(why.contains("[8, 12, 1, 8]"), "{why}");
}

#[test]
#[ignore = "run by the first test of this file, in a process of its own"]
fn inner_variables_of_constant_memory_are_found_in_the_image() {
    must_be_real();
    let folder = tempfile::tempdir().expect("a folder");
    let mut device = device(&folder);
    let text = "__constant__ float factors[3];\n__global__ void scale(float *x) { x[0] *= \
                factors[threadIdx.x]; }\n";
    let kernel = device.compile(&[job(text, "scale", [1; 3])]).remove(0).expect("compiles");
    let [x, factors] = [4, 12].map(|bytes| device.allocate(bytes).expect("memory"));
    let mut run = |name: &str| {
        let constant = ArgumentValue::Constant(name.to_owned(), factors);
        device.run(kernel, &[step([1; 3], [1; 3], vec![constant, ArgumentValue::Buffer(x)])])
    };
    run("factors").expect("it is found");
    let Err(RunFault::Invalid(why)) = run("absent") else { panic!("there is none") };
    assert!(why.contains("`absent`"), "{why}");
}

#[test]
#[ignore = "run by the first test of this file, in a process of its own"]
fn inner_several_at_once_are_what_each_is_alone() {
    must_be_real();
    let text = "template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= FACTOR; }\n\
                extern \"C\" __global__ void plain(float *x) {\n  __shared__ float y[ROOM];\n  \
                y[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  \
                x[0] = y[x[1] > 0] + FACTOR;\n}\n";
    let all: Vec<CompileJob> = (0..24)
        .map(|at| {
            let mut job = job(text, ["plain", "scale<float>", "scale<double>"][at % 3], [64, 1, 1]);
            // Some jobs need more shared memory than there is.
            let room = if at % 8 == 3 { 1 << 20 } else { 64 << (at % 4) };
            job.macros =
                vec![("FACTOR".to_owned(), at.to_string()), ("ROOM".to_owned(), room.to_string())];
            job
        })
        .collect();
    let told = |at_once: usize| -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut device = device(&folder);
        let told = |device: &mut dyn Device, result: Result<_, CompileFault>| match result {
            Ok(kernel) => format!("{:?}", device.kernel_facts(kernel)),
            Err(fault) => fault.to_string(),
        };
        let mut all_told = Vec::new();
        for jobs in all.chunks(at_once) {
            for result in device.compile(jobs) {
                all_told.push(told(device.as_mut(), result));
            }
        }
        let images = std::fs::read_dir(folder.path().join(BACKEND)).expect("a cache");
        let notes = |name: &str| name.ends_with(".kernel");
        let names =
            images.map(|file| file.expect("a file").file_name().into_string().expect("text"));
        let (notes, images): (Vec<String>, Vec<String>) = names.partition(|name| notes(name));
        eprintln!("{at_once} at once: {} kernels in {} images", notes.len(), images.len());
        all_told
    };
    assert_eq!(told(all.len()), told(1));
}
