"""Runs the program on a benchmark in a file, and shows its progress."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from . import _program
from ._running import benchmark_of
from ._screen import Screen
from ._server import interruptible
from .errors import Interrupted, SettingsError

OUT = Path("out")
"""Where the program puts studies."""


def tune(benchmark: Path, options: Sequence[str], *, quiet: bool) -> Path:
    """Tunes a benchmark. Returns the folder of its study."""
    command = [os.fspath(_program.find()), "tune", os.fspath(benchmark), *options]
    with Screen(quiet=quiet) as screen:
        process = screen.start([*command, "--quiet"] if quiet else command)
        with interruptible(process) as was_interrupted:
            while screen.ready():
                pass
            code = process.wait()
    folder = _study_of(benchmark)
    if was_interrupted() or code == _program.INTERRUPTED:
        raise Interrupted(f"the study was stopped; what it measured is in {folder}", folder=folder)
    if code != 0 or folder is None:
        raise _program.failure(code, screen.written, folder)
    return folder


def _study_of(benchmark: Path) -> Path | None:
    """The study of a benchmark, whose path no other study has."""
    records = OUT.glob("*/study.json")
    named = os.fspath(benchmark)
    for record in records:
        # Whatever else lies there need not be whole.
        with suppress(SettingsError, ValueError, KeyError):
            if benchmark_of(record.parent) == named:
                return record.parent
    return None
