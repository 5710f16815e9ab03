"""What tests share: a fake program on the path of the variable AUTOBENCH."""

import os
import stat
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def program(tmp_path, monkeypatch):
    """The fake program, in a folder of its own."""
    script = tmp_path / "bin" / "autobench"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n{(HERE / 'fake_autobench.py').read_text()}")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("AUTOBENCH", os.fspath(script))
    monkeypatch.chdir(tmp_path)
    return script


@pytest.fixture(autouse=True)
def few_copies(monkeypatch):
    """Small copies for cold runs: no test looks at times."""
    monkeypatch.setattr("autobench._data.enough", lambda *_, **__: 1 << 20)
