//! Kernels may include the host's standard headers, with every compiler on this machine.

use std::{path::Path, process::Command};

use crate::support::{command, exhaustive, sentence, turn};

/// All headers of C++17 and C that a kernel may want to include.
const HEADERS: &str = "
    algorithm any array atomic bitset cassert ccomplex cctype cerrno cfenv cfloat charconv
    chrono cinttypes climits clocale cmath codecvt complex condition_variable csetjmp csignal
    cstdarg cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque
    exception execution filesystem forward_list fstream functional future initializer_list
    iomanip ios iosfwd iostream istream iterator limits list locale map memory memory_resource
    mutex new numeric optional ostream queue random ratio regex scoped_allocator set
    shared_mutex sstream stack stdexcept streambuf string string_view system_error thread tuple
    type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
    assert.h float.h limits.h math.h stdint.h stdio.h stdlib.h string.h tgmath.h time.h
";

/// Headers that must compile alone, without another header before them.
const ALONE: [&str; 8] =
    ["cmath", "math.h", "stdlib.h", "algorithm", "string", "random", "complex", "tgmath.h"];

const KERNEL: &str = r"
__global__ void scaled(const float *a, float *c, int n)
{
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? fmaxf(__expf(0.0f), 0.5f) + max(i, 3) - fmaxf(float(i), 3.0f) : 0;
  __syncthreads();
  if (i < n) c[i] = tile[threadIdx.x] * sqrtf(a[i] * a[i]) * rsqrtf(1.0f) * (abs(-1) + 0.0f);
}
";

const DOCUMENT: &str = r#"
name: headers
about: includes what the host's library has
sources:
  - name: kernel.cu
launches:
  - {entry: scaled, problem: [size]}
arguments:
  - {name: a, role: in, format: f32, shape: [size], fill: {uniform: {low: 1, high: 2}}}
  - {name: c, role: out, format: f32, shape: [size]}
  - {name: n, role: in, format: i32, value: size}
parameters:
  - {name: block_size_x, values: [64]}
size: {start: 4096, meaning: elements}
bytes: 8 * size
metrics:
  - {name: bandwidth, unit: GB/s, expression: bytes / seconds / 1e9}
secondary: bandwidth
error: {metric: nrmse, bound: 1e-6}
reference:
  expressions: {c: "a[i]"}
"#;

fn check(folder: &Path, compiler: &str, headers: &[&str]) {
    let include = |name: &&str| format!("#if __has_include(<{name}>)\n#include <{name}>\n#endif\n");
    let text: String = headers.iter().map(include).collect();
    std::fs::write(folder.join("kernel.cu"), text + KERNEL).expect("written");
    std::fs::write(folder.join("headers.yaml"), DOCUMENT).expect("written");
    let mut check = command();
    check.args(["plugin", "check", "./headers.yaml", "--device", "cpu"]).current_dir(folder);
    let output = check.env("CXX", compiler).output().expect("the program starts");
    assert!(output.status.success(), "{compiler}, {headers:?}: {}", sentence(&output));
}

#[test]
fn every_standard_header_compiles_in_a_kernel() {
    let _turn = turn();
    let folder = tempfile::tempdir().expect("a folder");
    for compiler in ["g++", "clang++"] {
        if Command::new(compiler).arg("--version").output().is_err() {
            eprintln!("skipped: no compiler `{compiler}`");
            continue;
        }
        check(folder.path(), compiler, &HEADERS.split_whitespace().collect::<Vec<_>>());
        let some = if exhaustive() { ALONE.len() } else { 2 };
        for header in ALONE.iter().take(some) {
            check(folder.path(), compiler, &[header]);
        }
    }
}
