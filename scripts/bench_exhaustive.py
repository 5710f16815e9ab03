"""The measurement of scripts/bench-exhaustive; run that."""

import contextlib, ctypes, glob, io, itertools, json, os, random, statistics, subprocess, sys, tempfile, time

import kernel_tuner
import numpy as np

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/autobench")
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
FLAGS = ["-O3", "-march=native", "-ffast-math"]
# Rounds of the long measurement, each of which runs every configuration once.
ROUNDS = 60

# Plain C++ that fills one "block" of one "thread", so that both programs run the same loops.
GEMM = """
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
static inline void body(float *c, const float *a, const float *b)
{
  for (int i = 0; i < N * N; ++i) c[i] = 0;
  for (int ii = 0; ii < N; ii += TILE_I)
    for (int kk = 0; kk < N; kk += TILE_K)
      for (int jj = 0; jj < N; jj += TILE_J)
        for (int i = ii; i < LEAST(ii + TILE_I, N); ++i)
          for (int k = kk; k < LEAST(kk + TILE_K, N); ++k)
            for (int j = jj; j < LEAST(jj + TILE_J, N); ++j)
              c[i * N + j] += a[i * N + k] * b[k * N + j];
}
"""
SUMS = """
static inline void body(float *c, const float *a, const float *b)
{
  const int part = N / CHAINS;
  for (int first = 0; first < part; first += STEP)
    for (int chain = 0; chain < CHAINS; ++chain)
      for (int i = first; i < first + STEP && i < part; ++i)
        c[chain * part + i] = a[chain * part + i] + b[chain * part + i];
}
"""
SPACES = {
    "gemm": (GEMM, 192, 192 * 192, {"TILE_I": [8, 32, 96], "TILE_K": [4, 16, 64, 192], "TILE_J": [16, 192]}),
    "vecadd": (SUMS, 1 << 20, 1 << 20, {"CHAINS": [1, 2, 4, 8], "STEP": [1, 4, 16, 64, 256, 1024, 4096, 16384]}),
}
CUDA = 'extern "C" __global__ void {0}(float *c, const float *a, const float *b)\n{{\n  body(c, a, b);\n}}\n'
TIMED = """
#include <chrono>
extern "C" float {0}(float *c, const float *a, const float *b)
{{
  const auto start = std::chrono::steady_clock::now();
  body(c, a, b);
  return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}}
"""


def arrays(elements):
    draw = np.random.default_rng(1)
    return [np.zeros(elements, np.float32), *(draw.random(elements, np.float32) for _ in range(2))]


def theirs(name):
    body, n, elements, space = SPACES[name]
    c, a, b = arrays(elements)
    right = a + b if name == "vecadd" else (a.reshape(n, n) @ b.reshape(n, n)).ravel()
    source = f"#define N {n}\n" + body + TIMED.format(name)
    started = time.monotonic()
    with contextlib.redirect_stdout(io.StringIO()):
        rows, _ = kernel_tuner.tune_kernel(
            name, source, n, [c, a, b], space, lang="C", compiler="c++", compiler_options=FLAGS,
            answer=[right, None, None], atol=1e-2, verbose=False)
    seconds = time.monotonic() - started
    best = min(rows, key=lambda row: row["time"])
    return seconds, tuple(best[key] for key in space)


def ours(name, folder):
    body, n, elements, space = SPACES[name]
    indented = "".join(f"      {line}\n" for line in (body + CUDA.format(name)).splitlines())
    document = f"""
name: {name}
about: {name} in plain loops
sources:
  - name: {name}.cu
    text: |
{indented}
size_macro: N
options: {{all: {json.dumps(FLAGS)}}}
launches: [{{entry: {name}, problem: [1], block: [1]}}]
arguments:
  - {{name: c, role: out, format: f32, shape: [{elements}]}}
  - {{name: a, role: in, format: f32, shape: [{elements}], fill: {{uniform: {{low: 0, high: 1}}}}}}
  - {{name: b, role: in, format: f32, shape: [{elements}], fill: {{uniform: {{low: 0, high: 1}}}}}}
parameters:
""" + "".join(f"  - {{name: {key}, values: {values}}}\n" for key, values in space.items()) + f"""
size: {{start: {n}, meaning: rows}}
error: {{metric: max_relative, bound: 1e-3}}
reference: itself
"""
    path = f"{folder}/{name}.yaml"
    open(path, "w").write(document)
    out = tempfile.mkdtemp(dir=folder)
    started = time.monotonic()
    run = subprocess.run(
        [PROGRAM, "tune", path, "--size", str(n), "--strategy", "exhaustive", "--budget", "1000", "--hot", "--quiet",
         "--out", out], capture_output=True, text=True,
        env={**os.environ, "XDG_DATA_HOME": out, "XDG_CACHE_HOME": out})
    seconds = time.monotonic() - started
    assert run.returncode == 0, run.stderr
    (journal,) = glob.glob(f"{out}/*_{name}_*/journal.jsonl")
    closed = [event for event in map(json.loads, open(journal)) if event["event"] == "size-closed"]
    best = closed[-1]["best"]["configuration"]
    return seconds, tuple(best[key] for key in space)


def truth(name, folder):
    """Median milliseconds of every configuration, all measured in turn in one process."""
    body, n, elements, space = SPACES[name]
    functions = {}
    held = arrays(elements)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in held]
    for values in itertools.product(*space.values()):
        source, library = f"{folder}/truth.cpp", f"{folder}/{name}-{'-'.join(map(str, values))}.so"
        open(source, "w").write(f"#define N {n}\n" + body + TIMED.format(name))
        macros = [f"-D{key}={value}" for key, value in zip(space, values)]
        subprocess.run(["c++", *FLAGS, *macros, "-shared", "-fPIC", source, "-o", library], check=True)
        functions[values] = getattr(ctypes.CDLL(library), name)
        functions[values].restype = ctypes.c_float
    times = {values: [] for values in functions}
    order = list(functions)
    for _ in range(ROUNDS):
        random.shuffle(order)
        for values in order:
            functions[values](*pointers)
            times[values].append(functions[values](*pointers))
    return {values: statistics.median(samples) for values, samples in times.items()}


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        print("| space | program | s per configuration | winners within 2 % | worst winner |")
        print("|---|---|---|---|---|")
        for name, (_, _, _, space) in SPACES.items():
            count = len(list(itertools.product(*space.values())))
            known = truth(name, folder)
            best = min(known.values())
            found = {"Kernel Tuner": [], "autobench": []}
            for _ in range(PAIRS):
                found["Kernel Tuner"].append(theirs(name))
                found["autobench"].append(ours(name, folder))
            for program, runs in found.items():
                regrets = [known[winner] / best - 1 for _, winner in runs]
                right = sum(regret <= 0.02 for regret in regrets)
                each = statistics.median(seconds for seconds, _ in runs) / count
                print(f"| {name}, {count} | {program} | {each:.3f} | {right} of {PAIRS} | {100 * max(regrets):.1f} % |")


main()
