"""Exceptions, one for each exit code of the program."""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "AutobenchError",
    "BenchmarkError",
    "ComparisonError",
    "DeviceError",
    "Interrupted",
    "NothingValidError",
    "ProgramFault",
    "ProgramNotFoundError",
    "SettingsError",
]


class AutobenchError(Exception):
    """What all errors of autobench have in common.

    ``hint`` is the next step, if there is one, and ``folder`` the folder of the study, if it has
    one.

    >>> try:
    ...     raise AutobenchError("it failed", hint="try again")
    ... except AutobenchError as error:
    ...     print(error, "-", error.hint)
    it failed; try again - try again
    """

    def __init__(
        self, message: str, *, hint: str | None = None, folder: Path | None = None
    ) -> None:
        super().__init__(message if hint is None else f"{message}; {hint}")
        self.message = message
        self.hint = hint
        self.folder = folder


class ProgramFault(AutobenchError):
    """The program or the machine has a fault (exit code 1).

    >>> issubclass(ProgramFault, AutobenchError)
    True
    """


class SettingsError(AutobenchError, ValueError):
    """Arguments, settings or input files are wrong (exit code 2).

    >>> issubclass(SettingsError, ValueError)
    True
    """


class BenchmarkError(AutobenchError):
    """The kernel, its arguments or its reference cannot be used (exit code 3).

    >>> issubclass(BenchmarkError, AutobenchError)
    True
    """


class DeviceError(AutobenchError):
    """The device is absent or does not work (exit code 4).

    >>> issubclass(DeviceError, AutobenchError)
    True
    """


class NothingValidError(AutobenchError):
    """No configuration ran with a correct result (exit code 5); the message has a reason.

    >>> issubclass(NothingValidError, AutobenchError)
    True
    """


class ComparisonError(AutobenchError):
    """A comparison found what ``fail_on`` names (exit code 6).

    >>> issubclass(ComparisonError, AutobenchError)
    True
    """


class ProgramNotFoundError(AutobenchError, FileNotFoundError):
    """The program ``autobench`` is not installed.

    >>> issubclass(ProgramNotFoundError, FileNotFoundError)
    True
    """


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a study. ``folder`` holds everything that was measured.

    >>> str(Interrupted("stopped", folder=None))
    'stopped'
    """

    def __init__(self, message: str, *, folder: Path | None) -> None:
        super().__init__(message)
        self.folder = folder
