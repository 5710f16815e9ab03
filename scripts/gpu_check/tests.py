"""Stages that run the device tests on the real device."""

import re

from .devices import needs_device
from .machine import Failed


def suite(machine, room, limit):
    # One test at a time: a shared GPU is slow, and a lost GPU would fail all tests.
    command = [machine.path("devices"), f"{room}::", "--skip", "simulated_"]
    command += ["--test-threads=1", "--nocapture"]
    code, out, err = machine.command(command, limit)
    counted = re.search(r"(\d+) passed; (\d+) failed", out)
    failed = re.findall(r"^test (\S+) \.\.\. .*?FAILED", out, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^    (\S+::\S+)$", out, re.MULTILINE)
    if code != 0 or not counted:
        names = ", ".join(sorted(set(listed or failed))) or f"exit code {code}"
        raise Failed(f"failed: {names}")
    skipped = sorted(set(re.findall(r"skipped[^\n]*", out + err)))
    said = f"{counted.group(1)} tests pass"
    return said + (f"; {len(skipped)} notes of what was skipped" if skipped else "")


def contract(machine, report, limit):
    needs_device(report)
    return "done", suite(machine, "contract", limit)


def faults(machine, report, limit):
    needs_device(report)
    return "done", suite(machine, "real", limit)
