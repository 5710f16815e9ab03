"""`tune_kernel`: names, units and files of Kernel Tuner, on the cpu device."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

import autobench as ab
from autobench._kernel_arguments import read_arguments, reference
from autobench._kernel_source import Pointer

N = 20_000
SOURCE = """
__global__ void add(float *c, float *a, float *b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + wrong;
}
"""
PARAMETERS = {"block_size_x": [32, 64], "wrong": [0]}
UNSUPPORTED = NotImplementedError
WIDE = ["block_size_x > 32"]
TIMES = ["compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"]
A, B = np.random.default_rng(1).random((2, N), np.float32)


def add(parameters=PARAMETERS, source=SOURCE, name="add", **options):
    """Tunes the kernel as a user would, with some options more."""
    arguments = options.pop("arguments", [np.zeros_like(A), A, B, np.int32(N)])
    options = {"answer": [A + B, None, None, None], "device": "cpu", "quiet": True} | options
    return ab.tune_kernel(name, source, N, arguments, parameters, **options)


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """One call with much that can be asked for: its rows, its words and its cache."""
    folder = tmp_path_factory.mktemp("once")
    metrics = {"GB/s": f"{12 * N} / 1e6 / time", "twice": lambda p: 2 * p["time"]}
    said = io.StringIO()
    with contextlib.redirect_stdout(said), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        rows, env = add(metrics=metrics, cache=folder / "known", quiet=False)
    return SimpleNamespace(rows=rows, env=env, said=said.getvalue(), cache=folder / "known.json")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_rows_have_kernel_tuners_names_and_units(once):
    assert sorted(row["block_size_x"] for row in once.rows) == [32, 64]
    for row in once.rows:
        assert all(row[name] >= 0 for name in TIMES)
        assert row["benchmark_time"] > row["time"], "both are milliseconds"
        assert min(row["times"]) <= row["time"] <= max(row["times"])
        assert row["GB/s"] == pytest.approx(12 * N / 1e6 / row["time"])
        assert row["twice"] == 2 * row["time"]
        assert row["timestamp"].startswith("20")
    env = once.env
    assert env["best_config"] in once.rows
    assert env["total_compile_time"] == sum(row["compile_time"] for row in once.rows)
    assert {"device_name", "study", "overhead_time"} <= env.keys()
    json.dumps([once.rows, env])


def test_the_best_is_printed_unless_quiet(once):
    assert once.said.startswith("Using: ")
    assert "BEST PERFORMING CONFIGURATION FOR OBJECTIVE time:\nblock_size_x=" in once.said


def test_a_cache_is_not_measured_again(once, tmp_path):
    text = once.cache.read_text()
    assert text.endswith("}\n}")
    assert json.loads(text)["kernel_name"] == "add"
    copy = tmp_path / "copy.json"
    copy.write_text(text)
    again, env = add(cache=copy)
    assert (again, env["study"]) == (once.rows, None)
    # Another value is measured, and the file of an interrupted writer is read.
    copy.write_text(text[: -len("}\n}")] + ",")
    more, env = add({"block_size_x": [32, 64, 128], "wrong": [0]}, cache=copy)
    assert [row["block_size_x"] for row in more] == [32, 64, 128]
    assert more[:2] == once.rows
    # What is not valid now is left out, and stays in the file.
    fewer, _ = add({"block_size_x": [32, 64, 128], "wrong": [0]}, cache=copy, restrictions=WIDE)
    assert [row["block_size_x"] for row in fewer] == [64, 128]
    assert len(json.loads(copy.read_text())["cache"]) == 3
    replayed, _ = add(cache=copy, simulation_mode=True)
    assert sorted(row["time"] for row in replayed) == pytest.approx(
        sorted(row["time"] for row in more)
    )
    with pytest.raises(ValueError, match="cache for another `tune_params_keys`"):
        add({"block_size_x": [32], "wrong": [0], "more": [1]}, cache=copy)


def test_kernel_tuner_reads_the_cache(once):
    kernel_tuner = pytest.importorskip("kernel_tuner")
    found = kernel_tuner.util.read_cache(str(once.cache), open_cache=False)
    assert [row["time"] for row in found["cache"].values()] == [row["time"] for row in once.rows]
    _, env = kernel_tuner.tune_kernel(
        "add", SOURCE, N, [], PARAMETERS, cache=once.cache, simulation_mode=True, quiet=True
    )
    assert env["best_config"]["time"] == min(row["time"] for row in once.rows)


def test_a_wrong_result_is_a_row_and_the_others_go_on():
    with pytest.warns(UserWarning, match="1 of 2 configurations had wrong results"):
        rows, env = add({"block_size_x": [32], "wrong": [0, 1]})
    by = {row["wrong"]: row for row in rows}
    assert by[1]["__error__"] == "RuntimeFailedConfig"
    assert "time" not in by[1]
    assert env["best_config"] == by[0]


def test_if_every_result_is_wrong_the_first_is_shown():
    with pytest.raises(ab.NothingValidError, match="should be"):
        add({"block_size_x": [32], "wrong": [1]})


def close(answer, result, atol=None):
    assert (result[1], atol) == (None, 0.5)
    return bool(np.allclose(answer[0], result[0], atol=atol))


def sums(answer, result):
    assert answer is None, "then it sees all arrays"
    return bool(np.allclose(result[0], result[1] + result[2]))


@pytest.mark.parametrize(
    "options", [{"verify": close, "atol": 0.5}, {"verify": sums, "answer": None}]
)
def test_a_function_verifies_every_configuration(options):
    with pytest.warns(UserWarning, match="1 of 2"):
        rows, _ = add({"block_size_x": [32], "wrong": [0, 1]}, **options)
    assert [row["wrong"] for row in rows if "__error__" not in row] == [0]


def test_a_strategy_stops_at_its_evaluations():
    rows, _ = add(
        {"block_size_x": [16, 32, 64, 128], "wrong": [0]},
        strategy="genetic_algorithm",
        strategy_options={"max_fevals": 2, "population": 2},
        metrics={"speed": "1 / time"},
        objective="speed",
        objective_higher_is_better=True,
        seed=1,
    )
    assert len(rows) <= 3, "two and the default"


def test_sources_of_functions_constants_shared_memory_and_defines():
    source = """
    __constant__ float weights[2];
    __global__ void add(float *c, float *a, float *b, int n) {
      extern __shared__ float tile[];
      const int block_size_x = THREADS, i = blockIdx.x * block_size_x + threadIdx.x;
      tile[threadIdx.x] = i < n ? a[i] : 0;
      __syncthreads();
      if (i < n) c[i] = weights[0] * tile[threadIdx.x] + weights[1] * b[i] + ADDED;
    }
    """
    rows, _ = add(
        {"block_size_x": [32, 64], "wrong": [0, 1]},
        source=lambda p: source.replace("ADDED", str(p["wrong"])),
        lang="CUDA",
        cmem_args={"weights": np.ones(2, np.float32)},
        smem_args={"size": "4 * block_size_x"},
        defines={"THREADS": "block_size_x"},
        restrictions=[lambda p: p["block_size_x"] < 64, "wrong == 0"],
        compiler_options=["-DUNUSED=1", "--use_fast_math"],
    )
    assert [row["block_size_x"] for row in rows] == [32]
    assert "__error__" not in rows[0], rows


def test_a_template_gets_its_arguments():
    source = """
    template<typename T, int threads> __global__ void add(T *c, const T *a, const T *b, int n) {
      int i = blockIdx.x * threads + threadIdx.x;
      if (i < n) c[i] = a[i] + b[i];
    }
    """
    rows, _ = add(source=source, name="add<float, block_size_x>")
    assert [row for row in rows if "__error__" in row] == []


def test_words_of_the_headers_may_be_parameters():
    words = {name: [1] for name in ("barrier", "entry", "table", "unused", "used", "variant")}
    source = SOURCE.replace("int i", "__syncthreads(); int i")
    rows, _ = add({"block_size_x": [32], "wrong": [0], **words}, source)
    assert "__error__" not in rows[0], rows


def test_ctrl_c_keeps_what_was_tried_in_the_cache(tmp_path):
    script = tmp_path / "script.py"
    parameters = {"block_size_x": [32], "wrong": [0], "version": list(range(400))}
    script.write_text(
        "import numpy as np, autobench as ab\n"
        f"ab.tune_kernel('add', {SOURCE!r}, 1000, [np.zeros(1000, np.float32)] * 3 + [np.int32(9)],"
        f" {parameters}, device='cpu', quiet=True, cache='known')\n"
    )
    ran = subprocess.Popen(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    while ran.poll() is None and b"trial" not in b"".join(
        journal.read_bytes() for journal in tmp_path.glob("out/*/journal.jsonl")
    ):
        time.sleep(0.05)
    ran.send_signal(signal.SIGINT)
    said = ran.communicate()[1]
    assert "the study was stopped; what it measured is in out/" in said
    kept = json.loads((tmp_path / "known.json").read_text())["cache"]
    assert 0 < len(kept) < 400, said


def test_answers_are_compared_as_by_numpy(tmp_path):
    values = [np.zeros(3, np.float32), np.ones(3, np.float32), np.int32(4)]
    declared = [Pointer("c", "written"), Pointer("a", "unknown"), Pointer("n", "unknown")]
    made = read_arguments(values, declared, [np.array([1.0, -200, 3]), None, None])
    assert [argument.role for argument in made] == ["inout", "in", "in"]
    found = reference(made, tmp_path, 1e-6)
    assert found["error"]["wrong_above"] == pytest.approx(1e-6 + 200e-5)
    assert found["errors"][0]["each"] == "abs(x - r) / (max(1e-06, 1e-300) + 1e-05 * abs(x))"
    answer = np.fromfile(tmp_path / found["reference"]["files"]["c"])
    assert answer.tolist() == [1, -200, 3]
    roles = [argument.role for argument in read_arguments(values, declared, None)]
    assert roles == ["inout", "inout", "in"]
    scratch = [Pointer("t", "written"), *declared]
    made = read_arguments([np.zeros(3), *values], scratch, [None, np.ones(3), None, None])
    assert made[0].role == "scratch"
    with pytest.raises(NotImplementedError, match=r"arguments\[0\], `t`, is changed by the kernel"):
        read_arguments([np.ones(3), *values], scratch, [None, np.ones(3), None, None])


@pytest.mark.parametrize(
    ("error", "options", "message"),
    [
        (UNSUPPORTED, {"observers": [object()]}, "`observers` is not supported: "),
        (UNSUPPORTED, {"objectives": {"time": False}}, "`objectives` is not supported: "),
        (UNSUPPORTED, {"texmem_args": {"t": 1}}, "`texmem_args` is not supported: "),
        (UNSUPPORTED, {"compiler": "nvcc"}, "`compiler` is not supported: "),
        (UNSUPPORTED, {"platform": 1}, "`platform` is not supported: "),
        (UNSUPPORTED, {"lang": "OpenCL"}, "kernels in OpenCL are not supported"),
        (UNSUPPORTED, {"source": "float add(float *c) {}"}, "kernels in C are not supported"),
        (ab.SettingsError, {"strategy": "skopt"}, "no strategy named `skopt`"),
        (ab.SettingsError, {"strategy": "pso", "strategy_options": {"popsize": 3}}, "no knob"),
        (UNSUPPORTED, {"objective": "energy"}, "is neither `time` nor one of `metrics`"),
        (ValueError, {"objective": "speed"}, "say `objective_higher_is_better`"),
        (
            UNSUPPORTED,
            {"strategy": "pso", "objective": "GB/s", "metrics": {"GB/s": lambda p: 1 / p["time"]}},
            "the objective `GB/s` is a function",
        ),
        (UNSUPPORTED, {"answer": [np.full(N, np.nan, np.float32), None, None, None]}, "holds NaN"),
        (TypeError, {"answer": [None]}, "`answer` has 1 elements and `arguments` 4"),
        (ValueError, {"answer": [np.zeros(3), None, None, None]}, "has 3 elements"),
        (TypeError, {"arguments": [1, 2, 3, 4]}, r"arguments\[0\] is of type `int`"),
        (TypeError, {"source": lambda p: SOURCE}, "say `lang`"),
        (ab.DeviceError, {"device": "cuda:7"}, "there is no device `cuda:7`"),
        (ValueError, {"simulation_mode": True}, "replays a cache"),
    ],
)
def test_what_is_wrong_or_not_supported_is_refused_by_name(error, options, message):
    with pytest.raises(error, match=message):
        add(**options)
