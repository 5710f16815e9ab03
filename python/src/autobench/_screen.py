"""What the program prints while it works: in a terminal, a notebook, a log, or nowhere."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Sequence
from importlib import import_module
from time import monotonic
from types import TracebackType

from ._program import ESCAPE

KEPT = 1 << 16
"""Characters at the end of what was printed that are kept for error messages."""

NOTEBOOK_COLUMNS = 100
NOTEBOOK_SECONDS = 0.5
"""Seconds between two lines."""

ERROR = re.compile(r"(?:^|\r)(?:\x1b\[2K)?(?P<word>(?:\x1b\[[0-9;]*m)?error:)", re.MULTILINE)
"""Where the program's last words begin, which become an exception instead."""


class Screen:
    """Shows what the program writes to its standard error, `child`, and keeps the end of it."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.written = ""
        self._failed = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._show: Callable[[str], None] = _write
        self._end: Callable[[], None] = _nothing
        columns = 0
        if quiet:
            self._show = _nowhere
        elif _is_notebook():
            output = _Output()
            self._show, self._end, columns = output.show, output.end, NOTEBOOK_COLUMNS
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
        self._end()

    def start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Starts the program with its standard error on this screen.

        It has a session of its own, so that Ctrl-C reaches it only through us.
        """
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.child,
            start_new_session=True,
            env={"TERM": "xterm-256color", **os.environ},
        )
        self.release()
        return process

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
            self._show(text[: error.start("word")] if error else text)
        self._failed = self._failed or error is not None
        return bool(received)


def _terminal(columns: int) -> tuple[int, int]:
    """Opens a pseudo-terminal, so that the program draws its progress for one."""
    ours, child = os.openpty()
    attributes = termios.tcgetattr(child)
    attributes[1] &= ~termios.OPOST  # The real terminal adds what line ends need.
    termios.tcsetattr(child, termios.TCSANOW, attributes)
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


def _nothing() -> None:
    pass


class _Output:
    """One output of a notebook's cell that is written over, and ends as the last whole line."""

    def __init__(self) -> None:
        self.note, self.begun, self.shown_at = "", "", 0.0
        self.show_line = _updated_output()

    def show(self, text: str) -> None:
        """Shows the last line of a text, now and then."""
        text = ESCAPE.sub("", self.begun + text)
        *whole, begun = text.split("\n")
        self.begun = begun[max(begun.rfind("\r"), 0) :]
        notes = [line.rpartition("\r")[2].strip() for line in whole]
        self.note = next((note for note in reversed(notes) if note), self.note)
        lines = [line.strip() for line in text.replace("\n", "\r").split("\r")]
        last = next((line for line in reversed(lines) if line), None)
        if last is not None and monotonic() - self.shown_at > NOTEBOOK_SECONDS:
            self.shown_at = monotonic()
            self.show_line(last)

    def end(self) -> None:
        """Shows the last note, as where the results are."""
        self.show_line(self.note)


def _updated_output() -> Callable[[str], object]:
    """Begins an output of the cell, and returns a function that replaces it."""
    display = import_module("IPython.display")
    handle = display.display({"text/plain": ""}, raw=True, display_id=True)
    return lambda line: handle.update({"text/plain": line}, raw=True)
