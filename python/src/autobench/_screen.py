"""What the program prints while it works: in a terminal, a notebook, a log, or nowhere."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import shutil
import struct
import sys
import termios
from collections.abc import Callable
from types import TracebackType

from ._program import ESCAPE

KEPT = 1 << 16
"""Characters at the end of what was printed that are kept for error messages."""

NOTEBOOK_COLUMNS = 100

ERROR = re.compile(r"^(\x1b\[[0-9;]*m)?error: ", re.MULTILINE)
"""Where the program's last words begin, which become an exception instead."""


class Screen:
    """Shows what the program writes to its standard error, `child`, and keeps the end of it."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.written = ""
        self._failed = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._show: Callable[[str], None] = _write
        columns = 0
        if quiet:
            self._show = _nowhere
        elif _is_notebook():
            self._show, columns = _Line().show, NOTEBOOK_COLUMNS
        elif sys.stderr is not None and sys.stderr.isatty():
            columns = shutil.get_terminal_size().columns
        self.descriptor, self.child = os.pipe() if columns == 0 else _terminal(columns)

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
        os.close(self.descriptor)

    def release(self) -> None:
        """Closes the program's end, once the program has it."""
        if self.child >= 0:
            os.close(self.child)
            self.child = -1

    def ready(self) -> bool:
        """Shows what arrived. Returns False at the end."""
        try:
            received = os.read(self.descriptor, 1 << 16)
        except OSError:  # How a pseudo-terminal says that its other end is closed.
            received = b""
        text = self._decoder.decode(received, final=not received)
        self.written = (self.written + text)[-KEPT:]
        error = ERROR.search(text)
        if not self._failed:
            self._show(text[: error.start()] if error else text)
        self._failed = self._failed or error is not None
        return bool(received)


def _terminal(columns: int) -> tuple[int, int]:
    """Opens a pseudo-terminal, so that the program draws its progress for one."""
    ours, child = os.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return ours, child


def _is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _write(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _nowhere(text: str) -> None:
    pass


class _Line:
    """One line that is written over, for notebooks."""

    def __init__(self) -> None:
        self.shown = 0

    def show(self, text: str) -> None:
        """Shows the last line of a text."""
        lines = [one.strip() for one in ESCAPE.sub("", text).replace("\r", "\n").split("\n")]
        last = next((one for one in reversed(lines) if one), None)
        if last is not None:
            sys.stdout.write("\r" + last.ljust(self.shown))
            sys.stdout.flush()
            self.shown = len(last)
