"""A worker that is a process of its own, and what is known of its end."""

import ctypes
import json
import select
import socket

import pytest

from autobench import _isolation


def crash(connection):
    ctypes.string_at(0)


@pytest.mark.skipif(_isolation.obstacle() is not None, reason="no safe fork here")
def test_the_place_of_a_crash_is_in_the_user_s_own_file(tmp_path):
    log = tmp_path / "log"
    log.write_text('  File "/home/me/earlier.py", line 3 in crash\n')
    ours, program = socket.socketpair()
    worker = _isolation.ForkedWorker(ours, crash, log, [program.fileno()])
    select.select([worker.end_of_process], [], [], 60)
    assert not worker.ready(worker.end_of_process)
    worker.end()
    line = crash.__code__.co_firstlineno + 1
    place = f"it was ended by the signal SIGSEGV in {__file__.rpartition('/')[2]}, line {line}"
    assert json.loads(program.recv(4096)) == {"fault": "lost", "reason": place}
    program.close()
