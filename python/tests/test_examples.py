"""The examples run as they stand, each in a process of its own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
NEEDS = {"numba_add": "numba", "torch_cpu": "torch", "triton_gpu": "triton"}

#: Seconds that a study may take: enough to see that it works, not for a good answer.
SECONDS = "6"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs(example, tmp_path):
    package = NEEDS.get(example.stem)
    if package and importlib.util.find_spec(package) is None:
        pytest.skip(f"there is no {package}")
    ended = subprocess.run(
        [sys.executable, example, SECONDS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = ended.stdout + ended.stderr
    if "skipped: " in said:
        pytest.skip(said.strip())
    assert ended.returncode == 0, said
    assert "best" in said or "knee" in said, said


def test_no_example_hides_a_module():
    for example in EXAMPLES:
        assert example.stem not in sys.stdlib_module_names
        assert importlib.util.find_spec(example.stem) is None, example.stem
