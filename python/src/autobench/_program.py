"""The program ``autobench``: where it is, how it is called, and what its endings mean."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .errors import (
    AutobenchError,
    BenchmarkError,
    ComparisonError,
    DeviceError,
    NothingValidError,
    ProgramFault,
    ProgramNotFoundError,
    SettingsError,
)

NAME = "autobench"
VARIABLE = "AUTOBENCH"
"""Environment variable with the path of the program."""

INTERRUPTED = 130
"""Exit code after Ctrl-C."""

ENDINGS: Mapping[int, type[AutobenchError]] = {
    1: ProgramFault,
    2: SettingsError,
    3: BenchmarkError,
    4: DeviceError,
    5: NothingValidError,
    6: ComparisonError,
}
"""Exceptions by exit code (docs/guide/files.md)."""

OPTION = re.compile(r"'?--(?!help\b)([a-z][a-z-]*)(?: <[A-Z_]+>)?'?")
"""An option in a sentence of the program."""

UNKNOWN_OPTION = re.compile(r"unexpected argument '--([^']+)' found")
"""How the program says that a keyword argument is neither ours nor an option of its own."""

SIMILAR_OPTION = re.compile(r"similar argument exists: '--([^']+)'")
"""How it goes on if the name was misspelled."""

OUR_SOCKET = re.compile(
    r"benchmark `[^`]*/autobench-[^/`]+/[^`]*` cannot be used: (?:the guest's benchmark: )?"
)
"""How it begins where a description is wrong that came from us; the user knows no such file."""

ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
"""Colours, movements of the cursor, and links."""


def find() -> Path:
    """Returns the program of the variable ``AUTOBENCH``, of this installation, or of the path."""
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise ProgramNotFoundError(
                f"`{named}`, which the variable {VARIABLE} names, is no program",
                hint="give the path of an executable file, or unset the variable",
            )
        return Path(found)
    for folder in _script_folders():
        if os.access(folder / NAME, os.X_OK):
            return folder / NAME
    on_path = shutil.which(NAME)
    if on_path is None:
        raise ProgramNotFoundError(
            f"the program `{NAME}` is neither in this Python's scripts folder nor on the path",
            hint=f"reinstall `autobench-gpu`, or set the variable {VARIABLE} to its path",
        )
    return Path(on_path)


def _script_folders() -> Iterator[Path]:
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sys.executable).parent
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))


def call(arguments: Sequence[str | os.PathLike[str]], *, folder: Path | None = None) -> str:
    """Runs the program to its end and returns its standard output."""
    command = [os.fspath(find()), *(os.fspath(argument) for argument in arguments)]
    ended = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if ended.returncode != 0:
        raise failure(ended.returncode, ended.stderr.decode(errors="replace"), folder)
    return ended.stdout.decode(errors="replace")


def failure(code: int, written: str, folder: Path | None = None) -> AutobenchError:
    """Returns the exception for an exit code and for what the program wrote before."""
    message, hint = _as_of_python(*last_words(written), written)
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        return ProgramFault(f"`{NAME}` was ended by the signal {name}", folder=folder)
    kind = ENDINGS.get(code, ProgramFault)
    if not message:
        lines = [line for line in _plain(written).splitlines() if line.strip()]
        said = f": {lines[-1].strip()}" if lines else ""
        message = f"`{NAME}` ended with exit code {code}{said}"
    return kind(message, hint=hint, folder=folder)


def last_words(written: str) -> tuple[str, str | None]:
    """Returns the program's last error and its hint. A terminal may have folded both."""
    _, *errors = re.split(r"^error: ", _plain(written), flags=re.MULTILINE)
    if not errors:
        return "", None
    error, begin, hint = errors[-1].partition("\n  hint: ")
    error = error.partition("\n\n")[0]  # The usage may follow.
    return " ".join(error.split()), " ".join(hint.split()) if begin else None


def _as_of_python(message: str, hint: str | None, written: str) -> tuple[str, str | None]:
    """Returns an error with options as keyword arguments, and without files that are ours."""
    unknown = UNKNOWN_OPTION.fullmatch(message)
    if unknown is not None:
        message = f"there is no argument `{_keyword(unknown[1])}`"
        similar = SIMILAR_OPTION.search(_plain(written))
        hint = hint if similar is None else f"do you mean `{_keyword(similar[1])}`?"
    message = OUR_SOCKET.sub("", message)
    return _with_keywords(message), None if hint is None else _with_keywords(hint)


def _with_keywords(sentence: str) -> str:
    """Returns a sentence with options as keyword arguments, but for those in quoted commands."""
    parts = sentence.split("`")
    parts[::2] = [OPTION.sub(lambda one: f"`{_keyword(one[1])}`", part) for part in parts[::2]]
    return "`".join(parts)


def _keyword(option: str) -> str:
    return option.replace("-", "_")


def _plain(written: str) -> str:
    """Returns a text without escapes and without lines that a terminal had overwritten."""
    lines = ESCAPE.sub("", written).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines)


def flags(options: Mapping[str, object]) -> list[str]:
    """Returns keyword arguments as options of the program.

    ``trial_timeout=5`` is ``--trial-timeout=5``. True is an option without a value, False and None
    are left out. A list repeats its option, and a mapping gives ``NAME=VALUE`` for each item.
    """
    return [word for name, value in options.items() for word in _option(name, value)]


def _option(name: str, value: object) -> Iterator[str]:
    option = "--" + name.replace("_", "-")
    if value is None or value is False:
        return
    if value is True:
        yield option
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield f"{option}={key}={_text(one)}"
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _option(name, one)
    else:
        yield f"{option}={_text(value)}"


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)
