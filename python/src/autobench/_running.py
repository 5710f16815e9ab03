"""Runs the program on a description: a new study, or one that goes on."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from . import _isolation, _pickled, _program
from ._description import Description
from ._screen import Screen
from ._server import FOLDER, TICK, Server, interruptible, socket_path
from ._study import Study
from .errors import Interrupted, SettingsError

ENDS_WITHIN = 10
"""Seconds for a program to notice that its Python is gone."""

REFUSED = {
    "device": "the arrays decide where the kernel runs",
    "dry_run": "use `autobench run --dry-run` on a benchmark in a file",
    "hot": "say caches='hot'",
    "json": "the study has everything as Python objects",
    "repeat": "call the function several times with different seeds",
    "stage": "a Python kernel has no stages",
}
"""Options of the program that make no sense here, and why."""


def begin(
    command: str,
    description: Description,
    *,
    out: str | os.PathLike[str],
    flags: Mapping[str, object],
    quiet: bool,
    isolate: bool | None,
) -> Study:
    """Begins a study in a new folder of `out`, and returns it when it has ended."""
    options = checked_flags(flags) + ([] if description.cold else ["--hot"])
    path = socket_path(description.benchmark["name"])
    try:
        arguments = [command, os.fspath(path), f"--out={os.fspath(out)}", *options]
        found = _Folder(Path(out), path, description)
        return _perform(arguments, description, path, found, quiet=quiet, isolate=isolate)
    finally:
        with suppress(OSError):  # It is gone if the program was started.
            path.parent.rmdir()


def go_on(
    folder: Path,
    description: Description,
    *,
    flags: Mapping[str, object],
    quiet: bool,
    isolate: bool | None,
) -> Study:
    """Goes on with the study of a folder."""
    path = Path(benchmark_of(folder))
    if not is_of_python(folder):
        raise SettingsError(f"`{folder}` is no study of a Python kernel", hint="use ab.resume")
    arguments = ["resume", os.fspath(folder), *checked_flags(flags)]
    found = _Folder(folder.parent, path, description, folder)
    _wait_until_free(folder / "journal.jsonl")
    return _perform(arguments, description, path, found, quiet=quiet, isolate=isolate)


def checked_flags(flags: Mapping[str, object]) -> list[str]:
    """Returns keyword arguments as options of the program, without those that make no sense."""
    for name in flags:
        if name in REFUSED:
            raise TypeError(f"`{name}` is no argument here: {REFUSED[name]}")
    return _program.flags(flags)


def benchmark_of(folder: Path) -> str:
    """Returns the path of the benchmark of a study."""
    try:
        record = json.loads((folder / "study.json").read_text())
    except FileNotFoundError:
        raise SettingsError(f"`{folder}` holds no study", hint="name the folder of one") from None
    return str(record["settings"]["benchmark"])


def is_of_python(folder: Path) -> bool:
    """Whether a study measured a kernel of Python: only these have sockets of this name."""
    return Path(benchmark_of(folder)).parent.name.startswith(FOLDER)


def _wait_until_free(journal: Path) -> None:
    """Waits for a program whose Python was killed: it ends when nobody listens at its socket."""
    end = time.monotonic() + ENDS_WITHIN
    with suppress(FileNotFoundError), journal.open("rb") as file:
        while time.monotonic() < end:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(TICK)
            else:
                break  # Closing the file gives the lock back.


class _Folder:
    """The folder of a study, which the program makes in `out` some time after it began."""

    def __init__(
        self, out: Path, path: Path, description: Description, known: Path | None = None
    ) -> None:
        self.out, self.path, self.known = out, path, known
        self.pickled = _pickled.dump(description)
        self.looked = 0.0
        self.seen = set(os.listdir(out)) if out.is_dir() else set()
        if known is not None:
            self._keep(known)

    def look(self) -> None:
        """Looks for the folder, and puts the description there."""
        now = time.monotonic()
        if self.known is not None or now - self.looked < TICK:
            return
        self.looked = now
        for name in set(os.listdir(self.out)) - self.seen if self.out.is_dir() else ():
            record = self.out / name / "study.json"
            if not record.is_file():
                continue
            self.seen.add(name)
            if benchmark_of(record.parent) == os.fspath(self.path):
                self.known = record.parent
                self._keep(record.parent)

    def _keep(self, folder: Path) -> None:
        if self.pickled is not None:
            _pickled.keep(folder, self.pickled)


def _perform(
    arguments: Sequence[str],
    description: Description,
    path: Path,
    found: _Folder,
    *,
    quiet: bool,
    isolate: bool | None,
) -> Study:
    program = _program.find()
    isolated = _isolated(isolate)
    more = ["--quiet"] if quiet else []
    with (
        Server(description, path, isolated=isolated) as server,
        Screen(quiet=quiet) as screen,
    ):
        process = screen.start([os.fspath(program), *arguments, *more])
        with interruptible(process) as was_interrupted:
            code = server.run(process, screen, found.look)
    found.looked = 0.0
    found.look()
    if code == 0 and found.known is not None:
        return Study(found.known)
    if was_interrupted() or code == _program.INTERRUPTED:
        raise Interrupted(_stopped(found), folder=found.known)
    error = _program.failure(code, screen.written, found.known)
    if found.known is not None and (code < 0 or "autobench resume" in (error.hint or "")):
        raise type(error)(error.message, hint=f"go on with {_again(found)}", folder=found.known)
    raise error


def _stopped(found: _Folder) -> str:
    if found.known is None:
        return "the study was stopped before it measured anything"
    return f"the study was stopped, and everything measured is kept; go on with {_again(found)}"


def _again(found: _Folder) -> str:
    if found.pickled is None:
        return f"the same call and resume={str(found.known)!r}"
    return f"ab.resume({str(found.known)!r})"


def _isolated(asked: bool | None) -> bool:
    """Whether kernels run in processes of their own."""
    if asked is False:
        return False
    why = _isolation.obstacle()
    if asked and why is not None:
        raise ValueError(f"kernels cannot be isolated: {why}; leave `isolate` out")
    return why is None
