//! Plugins in C for tests, written directly against the C table, and workers to run them.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use records::{Named, Outcome};
use space::Value;
use worker::{Client, ClientSettings, DeviceChoice, Locator, MeasurePlan, Setup};

/// Long enough for every correct trial, even on a busy machine.
pub(crate) const PATIENT: Duration = Duration::from_secs(120);

/// Computes `c[i] = a[i] + 1`; the parameter `does` selects a fault.
pub(crate) const KERNEL: &str = r#"
extern "C" __global__ void hostile(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if does == 1
    *(volatile int*)8 = i;
#endif
#if does == 2
    for (volatile int turn = 0; turn >= 0;) turn = 1;
#endif
#if does == 7
    this is no kernel
#endif
    if (i < n) {
        float value = a[i] + 1.0f;
#if does == 3
        if (i == n - 1) c[n] = value;
#endif
#if does == 4
        if (i == n - 1) return;
#endif
#if does == 5
        if (i == n - 1) value = 0.0f * (1.0f / (a[i] - a[i]));
#endif
#if does == 6
        if (i >= n / block_size_x * block_size_x) value += 1.0f;
#endif
#if does == 8
        if (i == 0) ((float*)a)[0] = -1.0f;
#endif
        c[i] = value;
    }
}
"#;

/// The document of the benchmark `hostile`.
pub(crate) fn document(kernel: &str) -> String {
    serde_json::json!({
        "name": "hostile",
        "about": "adds one to every element, or does something worse",
        "sources": [{ "name": "hostile.cu", "text": kernel }],
        "launches": [{ "entry": "hostile", "problem": ["size"] }],
        "arguments": [
            { "name": "a", "role": "in", "format": "f32", "shape": ["size"],
              "fill": { "ramp": { "start": 0.0, "step": 0.000030517578125 } } },
            { "name": "c", "role": "out", "format": "f32", "shape": ["size"] },
            { "name": "n", "role": "in", "format": "i32", "value": "size" }
        ],
        "parameters": [
            { "name": "block_size_x", "values": [64, 128] },
            { "name": "does", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8] }
        ],
        "size": { "start": 1024, "meaning": "elements" },
        "bytes": "8 * size",
        "metrics": [{ "name": "GB/s", "unit": "GB/s", "expression": "bytes / seconds / 1e9" }],
        "secondary": "GB/s",
        "error": { "metric": "max", "bound": 1e-3, "wrong_above": 1e-3 },
        "reference": "plugin"
    })
    .to_string()
}

/// Functions of a plugin in C that a test may replace.
pub(crate) struct Parts<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) describe: &'a str,
    pub(crate) footprint: Option<&'a str>,
    pub(crate) build: &'a str,
    pub(crate) reference: &'a str,
    pub(crate) analyze: Option<&'a str>,
}

impl Default for Parts<'_> {
    fn default() -> Self {
        Self {
            kernel: KERNEL,
            describe: "say(document, DOCUMENT); return 0;",
            footprint: None,
            build: "*instance = (void*)seed; return 0;",
            reference: "for (uint64_t k = 0; k < count; k++) \
                        elements[k] = indices[k] * 0.000030517578125 + 1.0; return 0;",
            analyze: None,
        }
    }
}

/// Builds a plugin in a folder; `None`, with a message, without a C compiler.
pub(crate) fn plugin(folder: &Path, name: &str, parts: &Parts) -> Option<PathBuf> {
    let text = serde_json::to_string(&document(parts.kernel)).expect("a string");
    let source = format!(
        r#"
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct {{ void* context; void (*write)(void*, const uint8_t*, size_t); }} Sink;
static void say(Sink to, const char* text) {{ to.write(to.context, (const uint8_t*)text, strlen(text)); }}
static const char DOCUMENT[] = {text};
static int describe(Sink document, Sink message) {{ {describe} }}
static int footprint(uint64_t size, const char* configuration, uint64_t* bytes, Sink message) {{ {footprint} }}
static int build(uint64_t size, uint64_t seed, void** instance, Sink message) {{ {build} }}
static int reference(void* instance, uint32_t output, const uint64_t* indices, uint64_t count,
                     double* elements, Sink message) {{ {reference} }}
static int analyze(void* instance, const char* measurement, double* primary, double* secondary,
                   Sink message) {{ {analyze} }}
typedef struct {{
    uint32_t abi_version, struct_size;
    int (*describe)(Sink, Sink);
    int (*footprint)(uint64_t, const char*, uint64_t*, Sink);
    int (*build)(uint64_t, uint64_t, void**, Sink);
    int (*reference)(void*, uint32_t, const uint64_t*, uint64_t, double*, Sink);
    void* fill;
    int (*analyze)(void*, const char*, double*, double*, Sink);
    void* free;
}} Table;
const Table autobench_benchmark = {{ 1, sizeof(Table), describe, {has_footprint}, build, reference, 0, {has_analyze}, 0 }};
"#,
        describe = parts.describe,
        footprint = parts.footprint.unwrap_or("return 2;"),
        has_footprint = if parts.footprint.is_some() { "footprint" } else { "0" },
        build = parts.build,
        reference = parts.reference,
        analyze = parts.analyze.unwrap_or("return 2;"),
        has_analyze = if parts.analyze.is_some() { "analyze" } else { "0" },
    );
    let (code, library) = (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
    std::fs::write(&code, source).expect("writable");
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-w", "-o"]).args([&library, &code]).output();
    match compiled {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(library)
        }
        Err(error) => {
            eprintln!("skipped: no C compiler `cc` ({error})");
            None
        }
    }
}

/// A worker of the program under test.
pub(crate) fn worker(folder: &Path) -> Client {
    worker_by(folder, env!("CARGO_BIN_EXE_autobench").into())
}

/// A worker that is started from this executable.
fn worker_by(folder: &Path, executable: PathBuf) -> Client {
    let executable = Some(executable);
    let settings = ClientSettings { executable, ..ClientSettings::new(&folder.join("worker.log")) };
    Client::start(settings).expect("a worker")
}

/// The library with the benchmarks of this repository, next to this test's executable.
pub(crate) fn several() -> PathBuf {
    let here = std::env::current_exe().expect("this test");
    let file = format!("{}several{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    here.parent().expect("a folder").join(file)
}

/// The setup of a benchmark on the cpu device.
pub(crate) fn setup_of(folder: &Path, benchmark: Locator, cold: bool) -> Setup {
    Setup {
        stage: None,
        benchmark,
        device: DeviceChoice { backend: "cpu".to_owned(), ordinal: 0 },
        seed: 42,
        cache: Some(folder.join("cache")),
        workers: 1,
        cold,
        errors: Vec::new(),
    }
}

/// The setup of a plugin on the cpu device.
pub(crate) fn setup(folder: &Path, library: &Path) -> Setup {
    setup_of(folder, Locator::Library(library.to_owned()), true)
}

/// A worker that is ready for a benchmark with this document and the kernel file `kernel.cu`.
pub(crate) fn ready(folder: &Path, document: &str, kernel: &str, cold: bool) -> Client {
    set_up(worker(folder), folder, document, kernel, cold)
}

/// Like [`ready`], but the compiler has no space left while a file `full` exists.
pub(crate) fn ready_until_full(folder: &Path, document: &str, kernel: &str) -> Client {
    let script = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("made executable");
        path
    };
    let full = folder.join("full");
    let says = "echo 'fatal error: unit.o: No space left on device' >&2; exit 1";
    let full = format!("[ -e {} ] && {{ {says}; }}", full.display());
    let compiler = format!("case \" $* \" in *' -c '*) {full};; esac\nexec c++ \"$@\"");
    let compiler = script("compiler", &compiler);
    let program = env!("CARGO_BIN_EXE_autobench");
    let starts = format!("CXX={} exec {program} \"$@\"", compiler.display());
    set_up(worker_by(folder, script("starts", &starts)), folder, document, kernel, true)
}

fn set_up(mut client: Client, folder: &Path, document: &str, kernel: &str, cold: bool) -> Client {
    let path = folder.join("benchmark.yaml");
    std::fs::write(&path, document).expect("written");
    std::fs::write(folder.join("kernel.cu"), kernel).expect("written");
    client.set_up(setup_of(folder, Locator::Declarative(path), cold), PATIENT).expect("a device");
    client
}

/// A configuration of `hostile`.
pub(crate) fn configuration(does: i64) -> Named {
    Named(vec![("block_size_x".to_owned(), Value::Int(64)), ("does".to_owned(), Value::Int(does))])
}

/// One trial of `hostile`.
pub(crate) fn trial(client: &mut Client, size: u64, does: i64, timeout: Duration) -> Outcome {
    client.measure(size, &configuration(does), &MeasurePlan::default(), timeout)
}

/// Whether everything is tried, as `scripts/nightly` asks for, and not a fixed sample of it.
pub(crate) fn exhaustive() -> bool {
    std::env::var_os("AUTOBENCH_EXHAUSTIVE").is_some()
}
