"""Whole studies against a program that stands in for ours."""

import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import autobench as ab
from autobench import _isolation, _pickled

X = np.arange(1 << 14, dtype=np.float64)
OUT = np.empty_like(X)


def scale(x, out, BLOCK, way="whole"):
    """Doubles."""
    if way == "refused":
        raise ValueError("no such way")
    if way == "crashing" and BLOCK == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    if way == "hanging" and BLOCK == 2:
        time.sleep(60)
    np.multiply(x, 2, out=out)


GIVEN = {
    "space": {"BLOCK": [1, 2], "way": ["whole", "refused"]},
    "arguments": lambda n: (X[:n], OUT[:n]),
    "reference": lambda x, out: 2 * x,
    "bytes": lambda n: 16 * n,
    "quiet": True,
}


@pytest.fixture(params=[False, None], ids=["here", "isolated"])
def isolate(request):
    """Whether kernels are isolated where that is possible."""
    return request.param


def test_a_study_is_read_from_the_folder_that_the_program_wrote(program, isolate):
    study = ab.saturate(scale, **GIVEN, isolate=isolate, budget=7)
    first, second = study.sizes
    assert study.folder == Path("out/20260_fake")
    assert (first.size, second.size) == (1024, 4096)
    assert study.knee == 1024
    assert study.knee_interval == (1024, 2048)
    assert study.confidence == "settled"
    assert study.name == "scale"
    assert study.unit == "GB/s"
    assert study.best()["way"] == study.best(10**9)["way"] == "whole"
    assert study.at(10**9) is second
    assert [row["status"] for row in study.trials] == ["measured", "invalid"] * 4
    assert study.trials[0]["BLOCK"] == 1
    assert study.trials[1]["reason"].startswith("ValueError: no such way (test_saturate.py, line ")
    assert "--budget=7" in study.document["study"]["argv"]
    assert str(study) == "knee      64 by kneedle"


def test_the_user_s_arrays_stay_as_they_are(program, isolate):
    OUT[:] = 7
    ab.saturate(scale, **GIVEN, isolate=isolate)
    assert OUT.min() == OUT.max() == 7


def test_tune_asks_for_one_size(program):
    study = ab.tune(scale, 1000, **GIVEN, isolate=False)
    assert [point.size for point in study.sizes] == [1000]
    assert "--size=1000" in study.document["study"]["argv"]


def test_a_study_as_a_table_in_text_in_html_and_in_pandas(program):
    study = ab.saturate(scale, **GIVEN, isolate=False)
    head, first, _ = study.table().splitlines()
    assert head.split() == ["size", "time", "GB/s", "gain", "best", "configuration"]
    assert first.startswith("1024 (knee)")
    (study.folder / "saturation.svg").write_text("<svg></svg>")
    html = study._repr_html_()
    assert html.startswith("<svg></svg><table>")
    assert "<td>1024 (knee)</td>" in html
    pandas = pytest.importorskip("pandas")
    table = study.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table["size"].tolist() == [1024, 4096]
    assert "BLOCK" in table
    assert len(study.to_pandas("trials")) == 8
    with pytest.raises(ValueError, match="`sizes` and `trials`"):
        study.to_pandas("all")


@pytest.mark.skipif(_isolation.obstacle() is not None, reason="no safe fork here")
@pytest.mark.parametrize(("way", "status"), [("crashing", "lost"), ("hanging", "timed-out")])
def test_a_kernel_that_crashes_or_hangs_costs_its_trials(program, way, status):
    given = {**GIVEN, "space": {"BLOCK": [1, 2], "way": [way]}}
    study = ab.saturate(scale, **given, trial_timeout=1)
    assert [row["status"] for row in study.trials] == ["measured", status] * 2


def test_nothing_valid_is_an_exception_with_the_folder(program, monkeypatch):
    monkeypatch.setenv("FAKE", "nothing")
    with pytest.raises(ab.NothingValidError, match="no configuration is valid") as failed:
        ab.saturate(scale, **GIVEN, isolate=False)
    assert failed.value.folder == Path("out/20260_fake")
    assert failed.value.hint == "see the journal"


def test_what_the_program_refuses_is_an_exception_of_its_kind(program):
    with pytest.raises(ab.SettingsError, match="holds no study"):
        ab.load("nowhere")
    with pytest.raises(ab.SettingsError, match="`compare` is no command; see --help"):
        ab.compare("a", "b")


@pytest.mark.parametrize("name", ["device", "repeat", "json", "dry_run", "hot"])
def test_options_without_sense_are_refused_by_name(program, name):
    with pytest.raises(TypeError, match=f"`{name}` is no argument here: "):
        ab.saturate(scale, **GIVEN, **{name: "x"})


def test_a_study_goes_on_from_its_pickle(program):
    pytest.importorskip("cloudpickle")
    study = ab.saturate(scale, **GIVEN, isolate=False)
    assert (study.folder / "python.pickle").is_file()
    (study.folder / "document.json").unlink()
    again = ab.resume(study.folder, quiet=True, isolate=False, accept_changes=True)
    assert again.folder == study.folder
    assert "--accept-changes" in again.document["study"]["argv"]
    assert [point.size for point in again.sizes] == [1024, 4096]


def test_a_kernel_that_cannot_be_pickled_goes_on_with_the_same_call(program, monkeypatch):
    monkeypatch.setattr(_pickled, "dump", lambda description: None)
    study = ab.saturate(scale, **GIVEN, isolate=False)
    with pytest.raises(ab.SettingsError, match=r"call ab\.saturate.* with resume='out/20260_fake'"):
        ab.resume(study.folder)
    (study.folder / "document.json").unlink()
    again = ab.saturate(scale, **GIVEN, isolate=False, resume=study.folder, time=3)
    assert again.knee == 1024
    assert "--time=3" not in again.document["study"]["argv"]


def test_functions_of_a_script_need_cloudpickle(monkeypatch):
    monkeypatch.setattr(_pickled, "find_spec", lambda name: None)
    assert _pickled.dump(scale) is not None
    monkeypatch.setattr(scale, "__module__", "__main__")
    assert _pickled.dump(scale) is None


def test_large_arrays_are_not_pickled(monkeypatch):
    monkeypatch.setattr(_pickled, "MOST_BYTES", 1000)
    assert _pickled.dump(np.ones(1000)) is None
    assert pickle.loads(_pickled.dump("small") or b"") == "small"


def test_arrays_that_cannot_be_copied_are_measured_hot_with_a_warning(program):
    class Foreign:
        def __init__(self, count):
            self.values = np.arange(count, dtype=float)
            self.nbytes = self.values.nbytes
            self.__array_interface__ = self.values.__array_interface__

    def kernel(x, BLOCK):
        return x.values * 2

    given = {"space": {"BLOCK": [1]}, "arguments": Foreign, "isolate": False, "quiet": True}
    with pytest.warns(UserWarning, match="so caches are hot"):
        study = ab.saturate(kernel, **given)
    assert "--hot" in study.document["study"]["argv"]
    assert study.trials[0]["status"] == "measured"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ab.saturate(kernel, **given, caches="hot")
    study = ab.saturate(kernel, **given, caches="cold")
    assert "measure with caches='hot'" in study.trials[0]["reason"]


SCRIPT = """
import numpy as np, autobench as ab
x = np.ones(10_000)
def double(x, BLOCK):
    return 2 * x
try:
    ab.saturate(double, space={"BLOCK": [1, 2]}, arguments=lambda n: (x[:n],), ISOLATE)
except KeyboardInterrupt as stopped:
    print("stopped:", stopped, stopped.folder)
"""


@pytest.mark.parametrize("isolate", ["isolate=False", "isolate=None"])
@pytest.mark.parametrize("where", ["python", "group"])
def test_ctrl_c_ends_the_program_and_names_the_folder(program, tmp_path, isolate, where):
    environment = {**os.environ, "FAKE": "stop", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.replace("ISOLATE", isolate)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 30
    while not list(tmp_path.glob("out/*/waits")):
        assert time.monotonic() < end
        time.sleep(0.02)
    (os.kill if where == "python" else os.killpg)(process.pid, signal.SIGINT)
    printed, _ = process.communicate(timeout=30)
    assert printed.startswith("stopped: the study was stopped, and everything measured is kept")
    assert printed.rstrip().endswith("out/20260_fake")
    assert "go on with" in printed


def test_studies_run_in_spawned_and_forked_processes_and_in_threads(program, tmp_path):
    code = """
import multiprocessing, sys, threading
sys.path.insert(0, TESTS)
def work(out):
    import autobench as ab
    from test_saturate import GIVEN, scale
    print(ab.saturate(scale, **GIVEN, out=out).knee, flush=True)
if __name__ == "__main__":
    for method in ("spawn", "fork"):
        process = multiprocessing.get_context(method).Process(target=work, args=(method,))
        process.start()
        process.join()
    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    script = tmp_path / "many.py"
    script.write_text(code.replace("TESTS", repr(os.path.dirname(__file__))))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=120
    )
    assert ended.stdout.split() == ["1024"] * 4, ended.stderr
