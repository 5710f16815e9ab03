"""Connections: in this process, and in processes that are killed when they hang or crash."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from autobench import _isolation, _server
from autobench._description import describe
from autobench._screen import Screen

X = np.ones(1 << 16, np.float32)
FORKS = pytest.mark.skipif(_isolation.obstacle() is not None, reason="no safe fork here")


def kernel(x, MODE):
    if MODE == "hang":
        print("hanging", flush=True)
        subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=False)
    if MODE == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if MODE == "exit":
        os._exit(7)
    if MODE == "pid":
        return np.array([float(os.getpid())])
    return x * 2


DESCRIPTION = describe(
    kernel,
    space={"MODE": ["good", "hang", "crash", "exit", "pid"]},
    arguments=lambda n: (X[:n],),
    reference=lambda x: x * 2,
)


class Program:
    """The program as far as the server knows it: it ends when it is told to."""

    def __init__(self):
        self.ended = threading.Event()

    def poll(self):
        return 0 if self.ended.is_set() else None

    def wait(self):
        self.ended.wait(10)
        return 0


class Line:
    """A connection to the server."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.fspath(path))
        self.socket.settimeout(20)
        self.file = self.socket.makefile("rb")

    def ask(self, request, **fields):
        self.send(request, **fields)
        return json.loads(self.file.readline())

    def send(self, request, **fields):
        self.socket.sendall(json.dumps({"request": request, **fields}).encode() + b"\n")

    def prepare(self, mode="good"):
        self.ask("open", size=64, cold=False)
        self.ask("compile", kernel=1, size=64, configuration={"MODE": mode})
        self.send("sample", kernel=1, runs=1)

    def close(self):
        # Forked workers of this process have the descriptor too.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.file.close()
        self.socket.close()


@contextmanager
def server(tmp_path, *, isolated):
    """A running server and its path. The server runs in the main thread, as users have it."""
    path = tmp_path / "autobench-1" / "kernel"
    program = Program()
    with (
        _server.Server(DESCRIPTION, path, isolated=isolated) as one,
        Screen(quiet=True) as screen,
    ):
        thread = threading.Thread(target=one.run, args=(program, screen, lambda: None))
        thread.start()
        try:
            yield one
        finally:
            program.ended.set()
            thread.join(20)
            assert not thread.is_alive()


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(holds):
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def children(process):
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True)
    return [int(one) for one in found.stdout.split()]


@pytest.mark.parametrize("isolated", [False, pytest.param(True, marks=FORKS)])
def test_connections_are_workers_with_their_own_data(tmp_path, isolated):
    with server(tmp_path, isolated=isolated) as one:
        first, second = Line(one.path), Line(one.path)
        assert first.ask("describe", protocol=1)["protocol"] == 1
        first.prepare()
        assert json.loads(first.file.readline())["seconds"] > 0
        assert first.ask("sample", kernel=1, runs=2)["seconds"] > 0
        assert "fault" in second.ask("sample", kernel=1, runs=2)
        second.close()
        assert first.ask("sample", kernel=1, runs=2)["seconds"] > 0
        first.close()


@FORKS
def test_an_isolated_kernel_runs_in_another_process(tmp_path):
    with server(tmp_path, isolated=True) as one:
        line = Line(one.path)
        line.prepare("pid")
        line.file.readline()
        (output,) = line.ask("check", kernel=1, seed=1, thorough=False).get("outputs", [None])
        assert output is None or output["found"] != [os.getpid()]
        (worker,) = {worker.process for worker in one.owners.values()}
        assert worker != os.getpid()
        line.close()
        wait_until(lambda: not is_alive(worker))


@FORKS
def test_a_kernel_that_hangs_is_killed_with_its_children_when_the_program_hangs_up(tmp_path):
    with server(tmp_path, isolated=True) as one:
        line = Line(one.path)
        line.prepare("hang")
        wait_until(lambda: one.owners)
        (worker,) = {worker.process for worker in one.owners.values()}
        wait_until(lambda: children(worker))
        (grandchild,) = children(worker)
        line.close()
        wait_until(lambda: not is_alive(worker))
        wait_until(lambda: not is_alive(grandchild) or "Z" in state(grandchild))
        again = Line(one.path)
        again.prepare()
        assert json.loads(again.file.readline())["seconds"] > 0
        again.close()


def state(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().split()[2]
    except OSError:
        return "Z"


@FORKS
@pytest.mark.parametrize(
    ("mode", "how"),
    [("crash", "it was ended by the signal SIGSEGV in test_server.py"), ("exit", "exit code 7")],
)
def test_a_kernel_that_crashes_is_explained_and_costs_a_worker(tmp_path, mode, how):
    with server(tmp_path, isolated=True) as one:
        line = Line(one.path)
        line.prepare(mode)
        said = json.loads(line.file.readline())
        assert said["fault"] == "lost"
        assert how in said["reason"]
        assert line.file.readline() == b""
        again = Line(one.path)
        again.prepare()
        assert json.loads(again.file.readline())["seconds"] > 0


@FORKS
def test_workers_die_with_the_process_that_serves(tmp_path):
    code = f"""
import sys, threading
sys.path.insert(0, {os.path.dirname(__file__)!r})
from pathlib import Path
from test_server import DESCRIPTION, Program, Screen, _server
with _server.Server(DESCRIPTION, Path({os.fspath(tmp_path)!r}) / "a" / "k", isolated=True) as one:
    with Screen(quiet=True) as screen:
        one.run(Program(), screen, lambda: None)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    path = tmp_path / "a" / "k"
    wait_until(path.exists)
    line = Line(path)
    line.prepare()
    line.file.readline()
    (worker,) = children(process.pid)
    process.kill()
    process.wait()
    wait_until(lambda: not is_alive(worker) or "Z" in state(worker))


def test_a_socket_in_use_is_refused_and_a_dead_one_replaced(tmp_path):
    with (
        server(tmp_path, isolated=False) as one,
        pytest.raises(FileExistsError, match="another study uses"),
        _server.Server(DESCRIPTION, one.path, isolated=False),
    ):
        pass
    assert not one.path.parent.exists()
    path = tmp_path / "b" / "k"
    path.parent.mkdir(mode=0o700)
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(os.fspath(path))
    dead.close()
    with _server.Server(DESCRIPTION, path, isolated=False):
        assert path.exists()


def test_a_folder_that_is_open_to_others_is_refused(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    with (
        pytest.raises(PermissionError, match="is open to others"),
        _server.Server(DESCRIPTION, folder / "k", isolated=False),
    ):
        pass


def test_paths_are_short_and_have_the_kernel_s_name():
    path = _server.socket_path("add" * 50)
    assert len(os.fsencode(path)) <= 107
    assert path.name.startswith("addadd")
    assert path.parent.name.startswith("autobench-")
    path.parent.rmdir()
