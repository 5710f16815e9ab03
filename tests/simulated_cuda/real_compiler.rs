//! The real NVRTC, where there is one: every kernel of the repository compiles, with no include
//! path, for several architectures. The simulated driver takes what it makes and runs nothing.

use std::time::Instant;

use crate::{int, job, libraries, step};
use autobench::{
    backends::{BACKENDS, CompileFault, CompileJob, Device, RunFault},
    plugins::{Benchmark, SearchPath, all, open},
    records::Named,
    space::{Space, Value, seeded},
};

/// Configurations of each kernel.
const SAMPLED: usize = 200;
/// Names the real NVRTC to the tests of this file.
const REAL: &str = "AUTOBENCH_TEST_REAL_NVRTC";

/// A driver that takes what any NVRTC makes.
const NEWEST: (&str, &str) = ("SIMULATED_CUDA_VERSION", "99000");

fn is_real() -> bool {
    libraries::are_in_use() && std::env::var_os(REAL).is_some()
}

/// Where the program finds a real NVRTC, if it does.
fn found() -> Option<String> {
    let mut command = crate::support::command();
    command.env("AUTOBENCH_CUDA_DRIVER", libraries::driver()).env(NEWEST.0, NEWEST.1);
    let output = command.args(["devices", "--json"]).output().expect("it runs");
    let backends = crate::support::json(&output);
    let cuda = backends.as_array()?.iter().find(|backend| backend[0] == "cuda")?;
    cuda[1]["Ok"][0]["facts"]["compiler_library"].as_str().map(str::to_owned)
}

#[test]
fn every_kernel_compiles_with_the_real_nvrtc() {
    if libraries::are_in_use() {
        return;
    }
    let Some(nvrtc) = found() else {
        eprintln!(
            "skipped: no NVRTC was found; `pip install nvidia-cuda-nvrtc-cu12`, or set \
             AUTOBENCH_NVRTC to a libnvrtc.so.12"
        );
        return;
    };
    for compute in ["80", "90"] {
        let said = libraries::again("real_compiler::inner_", |command| {
            let folder = tempfile::tempdir().expect("a folder");
            command
                .env("AUTOBENCH_NVRTC", &nvrtc)
                .env(REAL, "1")
                .env("XDG_CACHE_HOME", folder.keep())
                .env(NEWEST.0, NEWEST.1)
                .env("SIMULATED_CUDA_COMPUTE", compute);
        });
        said.lines()
            .filter(|line| line.contains("ms a variant"))
            .for_each(|line| eprintln!("{line}"));
    }
}

fn device(folder: &tempfile::TempDir) -> Box<dyn Device> {
    let backend = BACKENDS.iter().find(|b| b.name() == "cuda").expect("it is a backend");
    let mut device = backend.open(0).expect("opens");
    device.set_cache(Some(folder.path().to_owned())).expect("a cache");
    device
}

/// Configurations of a benchmark, in all formats, as jobs.
fn jobs(benchmark: &Benchmark) -> Vec<CompileJob> {
    let size = benchmark.document().size.start;
    let constants = [("size".to_owned(), Value::Int(size.cast_signed()))];
    let space = Space::build(benchmark.parameters(), benchmark.restrictions(), &constants);
    let space = space.expect("a space");
    let ids = space.sample(SAMPLED, &mut seeded(1, 0));
    let mut jobs = Vec::new();
    for (at, id) in ids.into_iter().cycle().take(SAMPLED).enumerate() {
        let parts = benchmark.compile_parts(size, &Named::of(&space, id));
        let parts = parts.expect("macros");
        let mut macros = parts.macros;
        let format = ["f32", "f64", "f16", "bf16"][at / 50 % 4];
        macros.iter_mut().filter(|(name, _)| name == "precision").for_each(|(_, value)| {
            format.clone_into(value);
        });
        let (entries, blocks) = (parts.entries, parts.blocks);
        jobs.push(CompileJob { sources: parts.sources, macros, entries, blocks });
    }
    jobs
}

#[test]
fn inner_every_benchmark_compiles_in_every_format() {
    if !is_real() {
        return;
    }
    let benchmarks = all(&SearchPath::new(&[]));
    assert!(benchmarks.len() >= 2, "what Cargo built for this test: {benchmarks:?}");
    for (name, locator) in benchmarks {
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
                    assert!(facts["registers"] >= 8.0, "{name} {:?}: {facts:?}", job.macros);
                }
                // Tiles of f64 can be larger than a block may have without asking.
                Err(CompileFault::Invalid(why)) => assert!(why.contains("shared data"), "{why}"),
                Err(CompileFault::Failed(why)) => panic!("{name} {:?}: {why}", job.macros),
            }
        }
        assert!(fine > SAMPLED / 2, "{fine} of {name}");
        let compiler = device.info().compiler;
        let target = device.info().facts["compiled_for"].clone();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        eprintln!(
            "{name}: {compiler}, {target}, {cores} threads: {each:.1} ms a variant, {fine} of {} \
             compile",
            jobs.len()
        );
    }
}

#[test]
fn inner_faults_of_the_real_compiler_are_told_apart() {
    if !is_real() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut device = device(&folder);
    let broken = "__global__ void broken(float *c) {\n  c[0] = undeclared;\n}\n";
    let large = "__global__ void large(float *c) {\n  __shared__ float x[100000];\n  \
                 x[threadIdx.x] = c[threadIdx.x];\n  __syncthreads();\n  c[0] = x[c[3] > 0];\n}\n";
    let halves = "#include <cuda_fp16.h>\n__global__ void halves(float *c) {}\n";
    let mut fault = |text: &str, entry: &str| {
        device.compile(&[job(text, entry, [1; 3])]).remove(0).expect_err("it is faulty")
    };
    let expected = "test.cu:2: error: identifier \"undeclared\" is undefined".to_owned();
    assert_eq!(fault(broken, "broken"), CompileFault::Failed(expected));
    let missing = fault(broken.replace("undeclared", "1").as_str(), "absent").to_string();
    assert!(missing.starts_with("an entry is not") && missing.contains("absent"), "{missing}");
    let CompileFault::Invalid(why) = fault(large, "large") else { panic!("it is too large") };
    assert!(why.contains("uses too much shared data"), "{why}");
    let why = fault(halves, "halves").to_string();
    assert!(why.contains("ab::f16"), "{why}");
}

#[test]
fn inner_parameters_and_registers_are_read_from_the_cubin() {
    if !is_real() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut device = device(&folder);
    let text = "struct pair { float a, b, c; };\n__global__ void mixed(float *x, pair p, char c, \
                double d) { x[0] = p.a + p.b * p.c + c + d; }\n";
    let kernel = device.compile(&[job(text, "mixed", [1; 3])]).remove(0).expect("compiles");
    assert!(device.kernel_facts(kernel)["registers"] >= 8.0);
    let fault = device.run(kernel, &[step([1; 3], [1; 3], vec![int(1)])]);
    let Err(RunFault::Invalid(why)) = fault else { panic!("{fault:?}") };
    assert!(why.contains("[8, 12, 1, 8]"), "{why}");
}
