"""A killed Python process loses nothing that was reported, with the real program."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import autobench as ab

KERNEL = """
import time
import numpy as np

def double(x, BLOCK):
    time.sleep(1e-3)
    return 2 * x

def arguments(n):
    return (np.ones(n),)

def reference(x):
    return x + x

def study():
    import autobench as ab
    ab.saturate(double, space={"BLOCK": [1, 2, 4]}, arguments=arguments, reference=reference,
                sizes=(1024, 16384), budget=3, time=4, quiet=True, isolate=ISOLATE)
"""


def trials(journal):
    """The lines of trials that are whole."""
    lines = journal.read_text().splitlines(keepends=True)
    return [line for line in lines if line.endswith("\n") and '"event":"trial"' in line]


@pytest.mark.skipif("AUTOBENCH" not in os.environ, reason="the program is not there")
@pytest.mark.parametrize(("isolate", "after"), [("True", 4), ("False", 1)])
def test_a_killed_study_goes_on(tmp_path, monkeypatch, isolate, after):
    (tmp_path / "mine.py").write_text(KERNEL.replace("ISOLATE", isolate))
    path = os.pathsep.join([os.fspath(tmp_path), *sys.path])
    begun = subprocess.Popen(
        [sys.executable, "-c", "import mine; mine.study()"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
    )
    journals = []
    end = time.monotonic() + 60
    while not journals or len(trials(journals[0])) < after:
        assert time.monotonic() < end
        assert begun.poll() is None
        time.sleep(0.01)
        journals = list(tmp_path.glob("out/*/journal.jsonl"))
    before = trials(journals[0])
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    monkeypatch.syspath_prepend(tmp_path)
    study = ab.resume(journals[0].parent, quiet=True)
    now = trials(journals[0])
    assert now[: len(before)] == before
    statuses = {json.loads(line)["outcome"]["status"] for line in now}
    assert statuses == {"measured"}
    assert study.best()
