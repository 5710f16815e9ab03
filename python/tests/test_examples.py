"""The examples run as they stand, each in a process of its own."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
NOTEBOOK = EXAMPLES[0].with_name("tour.ipynb")
NEEDS = {"numba_add": "numba", "torch_cpu": "torch", "triton_gpu": "triton", "tour": "pandas"}

#: Seconds that a study may take: enough to see that it works, not for a good answer.
SECONDS = "6"


def run(example, tmp_path):
    """Runs an example; returns what it printed."""
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
    return said


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs(example, tmp_path):
    said = run(example, tmp_path)
    assert "best" in said or "knee" in said, said


def code_of_the_notebook():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_the_cells_of_the_notebook_run(tmp_path):
    cells = ["".join(cell["source"]) for cell in code_of_the_notebook()]
    text, count = re.subn(r"^SECONDS = \d+", f"SECONDS = {SECONDS}", "\n\n".join(cells), flags=re.M)
    assert count == 1
    script = tmp_path / "tour.py"
    script.write_text(text)
    assert "knee: " in run(script, tmp_path)


def test_the_notebook_was_executed_and_says_nothing_of_the_machine_s_folders():
    cells = code_of_the_notebook()
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs}.isdisjoint({"error"})
    said = json.dumps(outputs)
    assert "<svg" in said
    assert not re.search(r"\\u001b|/home/|/root/|/work/|/tmp/", said)
    assert NOTEBOOK.stat().st_size < 200_000


def test_no_example_hides_a_module():
    for example in EXAMPLES:
        assert example.stem not in sys.stdlib_module_names
        assert importlib.util.find_spec(example.stem) is None, example.stem
