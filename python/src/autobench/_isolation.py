"""A process of its own for each worker, so that a kernel that hangs or crashes costs a trial."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import re
import select
import signal
import socket
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from ._faults import OURS

PACKAGES = ("torch", "cupy", "jax", "tensorflow")
"""Packages whose threads and devices do not survive a fork."""

LIBRARIES = re.compile(r"/(libcuda\.so|libamdhip64\.so|libgomp)[^/\n]*$", re.MULTILINE)
"""Libraries of which the same is true, as the kernel lists them."""

DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux."""

INSTALLED = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]
"""Folders of files that are not the user's own."""

SHOWN_BYTES = 64 << 10
"""Bytes at a log's end that are searched for the place of a crash: Python lists every module."""


def obstacle() -> str | None:
    """Returns why this process cannot be forked safely; None if it can."""
    if sys.platform != "linux":
        return f"`{sys.platform}` has no safe fork"
    for package in PACKAGES:
        if package in sys.modules:
            return f"{package} is imported"
    loaded = LIBRARIES.search(Path("/proc/self/maps").read_text())
    return None if loaded is None else f"{loaded[1]} is loaded"


class ForkedWorker:
    """A forked process that answers on a connection."""

    def __init__(
        self,
        connection: socket.socket,
        serve: Callable[[socket.socket], None],
        log: Path,
        others: Iterable[int],
    ) -> None:
        """Forks a process that serves the connection and closes the descriptors of others."""
        self.connection, self.log = connection, log
        parent = os.getpid()
        # Earlier workers wrote into the same log.
        self._logged = log.stat().st_size if log.exists() else 0
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # A process without a terminal may have closed it.
                stream.flush()
        with warnings.catch_warnings():
            # Python warns of forks where there are threads, as in notebooks.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process = os.fork()
        if self.process == 0:
            _become_worker(connection, serve, log, others, parent)
        self.end_of_process = os.pidfd_open(self.process)

    @property
    def watched(self) -> dict[int, int]:
        """Descriptors with the events after which there is something to do."""
        return {self.connection.fileno(): select.POLLRDHUP, self.end_of_process: select.POLLIN}

    def ready(self, descriptor: int) -> bool:
        """Ends the worker: its process ended, or the program hung up. Returns False for that."""
        if descriptor == self.end_of_process:
            self._explain()
        return False

    def _explain(self) -> None:
        """Tells the program how the process ended, in place of a reply."""
        ended = os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOWAIT)
        if ended is None or (ended.si_code == os.CLD_EXITED and ended.si_status == 0):
            return
        how = f"it ended with exit code {ended.si_status}"
        if ended.si_code != os.CLD_EXITED:
            how = f"it was ended by the signal {signal.Signals(ended.si_status).name}"
        reply = json.dumps({"fault": "lost", "reason": how + self._place()}) + "\n"
        with suppress(OSError):  # A program that does not listen needs no reason.
            self.connection.send(reply.encode(), socket.MSG_DONTWAIT)

    def _place(self) -> str:
        """Returns where in the user's code the process crashed, as Python printed it."""
        try:
            written = self.log.read_bytes()[self._logged :]
        except OSError:
            return ""
        printed = written[-SHOWN_BYTES:].decode(errors="replace")
        for file, line in re.findall(r'^  File "([^"]+)", line (\d+)', printed, re.MULTILINE):
            if not any(folder in Path(file).parents for folder in (OURS, *INSTALLED)):
                return f" in {re.sub(r'[^ -~]', '?', Path(file).name)}, line {line}"
        return ""

    def end(self) -> None:
        """Ends the process and all that it started."""
        for kill, identity in ((os.killpg, self.process), (os.kill, self.process)):
            # It may have ended, or have no group yet.
            with suppress(ProcessLookupError, PermissionError):
                kill(identity, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.end_of_process)
        self.connection.close()


def _become_worker(
    connection: socket.socket,
    serve: Callable[[socket.socket], None],
    log: Path,
    others: Iterable[int],
    parent: int,
) -> NoReturn:
    """Serves a connection in a forked process, and ends it with its parent."""
    code = 1
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        for descriptor in others:
            os.close(descriptor)
        _redirect(log)
        serve(connection)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _redirect(log: Path) -> None:
    """Sends what kernels print to a log, and Python's words about a crash too."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    faulthandler.enable(2)
