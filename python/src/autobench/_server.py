"""Listens for the program on a Unix socket. Each connection is a worker with its own data."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import stat
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Protocol

from ._description import Description
from ._faults import fault
from ._guest import Guest
from ._isolation import ForkedWorker
from ._screen import Screen

FOLDER = "autobench-"
"""How the folders of sockets begin."""

TICK = 0.2
"""Seconds after which the program is looked at if nothing happens."""

RECEIVED_BYTES = 1 << 16


def socket_path(name: str) -> Path:
    """Returns a path for a new socket that reads well in messages, in a new folder of its own."""
    # A resumed study listens there again, and the temporary folder of a job may be gone then.
    root = "/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix=FOLDER, dir=root)) / name[:40]


class Worker(Protocol):
    """Answers on one connection."""

    @property
    def watched(self) -> dict[int, int]:
        """Descriptors with the events after which there is something to do."""

    def ready(self, descriptor: int) -> bool:
        """Does what there is to do. Returns whether the worker goes on."""

    def end(self) -> None:
        """Gives back what the worker has."""


class LocalWorker:
    """Answers in this process."""

    def __init__(self, connection: socket.socket, description: Description) -> None:
        self.connection, self.description = connection, description
        self.guest: Guest | None = None
        self.received = bytearray()

    @property
    def watched(self) -> dict[int, int]:
        """The connection, if there is something to read."""
        return {self.connection.fileno(): select.POLLIN}

    def ready(self, descriptor: int) -> bool:
        """Reads what arrived and answers all whole lines."""
        try:
            received = self.connection.recv(RECEIVED_BYTES)
            self.received += received
            while b"\n" in self.received:
                line, _, self.received = self.received.partition(b"\n")
                self.connection.sendall(self._answer(bytes(line)))
            return bool(received)
        except ConnectionError:
            return False

    def _answer(self, line: bytes) -> bytes:
        try:
            self.guest = self.guest or Guest(self.description)
        except Exception as error:
            return json.dumps(fault(error)).encode() + b"\n"
        return self.guest.answer(line)

    def end(self) -> None:
        """Closes the connection and frees all arrays."""
        self.connection.close()
        self.guest = None
        gc.collect()  # Its own functions refer to it.


def serve(connection: socket.socket, description: Description) -> None:
    """Answers on a connection until it is closed."""
    worker = LocalWorker(connection, description)
    while worker.ready(connection.fileno()):
        pass


class Server:
    """A socket at `path` while it is entered."""

    def __init__(self, description: Description, path: Path, *, isolated: bool) -> None:
        self.description, self.path, self.isolated = description, path, isolated
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.poll = select.poll()
        self.owners: dict[int, Worker] = {}

    def __enter__(self) -> Server:
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
        if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
            raise PermissionError(f"`{folder}` is open to others; remove it")
        if self.path.exists():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
                if probe.connect_ex(os.fspath(self.path)) == 0:
                    raise FileExistsError(f"another study uses `{self.path}`; wait until it ends")
            if not self.path.is_socket():
                raise FileExistsError(f"`{self.path}` is no socket of a study")
            self.path.unlink()
        self.listener.bind(os.fspath(self.path))
        self.listener.listen()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in set(self.owners.values()):
            self._remove(worker)
        self.listener.close()
        for path in (self.path, self.log):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # Another study may have its socket there.
            self.path.parent.rmdir()

    @property
    def log(self) -> Path:
        """Where isolated workers print."""
        return self.path.with_name(self.path.name + ".log")

    def run(
        self, program: subprocess.Popen[bytes], screen: Screen, tick: Callable[[], None]
    ) -> int:
        """Serves the program until it ends, and shows what it prints. Returns its exit code."""
        self.poll.register(self.listener, select.POLLIN)
        self.poll.register(screen.descriptor, select.POLLIN)
        is_open = True
        while is_open:
            happened = self.poll.poll(TICK * 1e3)
            for descriptor, _ in happened:
                if descriptor == self.listener.fileno():
                    self._accept(screen)
                elif descriptor == screen.descriptor:
                    is_open = screen.ready()
                elif descriptor in self.owners:
                    worker = self.owners[descriptor]
                    if not worker.ready(descriptor):
                        self._remove(worker)
            tick()
            if not happened and program.poll() is not None:
                break
        return program.wait()

    def _accept(self, screen: Screen) -> None:
        connection, _ = self.listener.accept()
        description = self.description
        worker: Worker
        if self.isolated:
            others = [self.listener.fileno(), screen.descriptor, *self.owners]
            worker = ForkedWorker(connection, lambda one: serve(one, description), self.log, others)
        else:
            worker = LocalWorker(connection, description)
        for descriptor, events in worker.watched.items():
            self.poll.register(descriptor, events)
            self.owners[descriptor] = worker

    def _remove(self, worker: Worker) -> None:
        for descriptor in worker.watched:
            self.poll.unregister(descriptor)
            del self.owners[descriptor]
        worker.end()


@contextmanager
def interruptible(program: subprocess.Popen[bytes]) -> Iterator[Callable[[], bool]]:
    """Passes the first Ctrl-C on to the program, which ends after its trial; the second kills it.

    Gives a function that says whether there was one. Only the main thread gets signals.
    """
    count = 0

    def passed_on(number: int, frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count > 1:
            program.kill()
            raise KeyboardInterrupt
        program.send_signal(signal.SIGINT)

    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, passed_on) if is_main else None
    try:
        yield lambda: count > 0
    except BaseException:
        program.kill()
        raise
    finally:
        program.wait()
        if is_main:
            signal.signal(
                signal.SIGINT, before if before is not None else signal.default_int_handler
            )
