"""The stages, in order: the most important ones come first, in case time runs out."""

import time
import traceback

from . import devices, python, studies, tests
from .machine import Absent, Failed, Late, Machine
from .table import Report

# Name, time limit in seconds, and function.
STAGES = [
    ("device", 40, devices.device),
    ("contract", 90, tests.contract),
    ("faults", 90, tests.faults),
    ("caches", 45, studies.caches),
    ("checks", 120, studies.checks),
    ("tuning", 90, studies.tuning),
    ("bandwidth", 45, studies.bandwidth),
    ("energy", 60, studies.energy),
    ("knees", 190, studies.knees),
    ("python", 60, python.python),
    ("sanitizer", 60, devices.sanitizer),
]
NAMES = [name for name, _, _ in STAGES]


def run(pack, arguments):
    report = Report()
    machine = Machine(pack, arguments.device, arguments.minutes * 60)
    for name, limit, stage in STAGES:
        # All other stages need the device.
        if arguments.only and name not in arguments.only and name != "device":
            continue
        start = time.monotonic()
        try:
            state, said = stage(machine, report, min(limit, machine.left()))
        except Absent as absent:
            state, said = "missing", str(absent)
        except (Failed, Late) as fault:
            state, said = "failed", str(fault)
        except Exception as fault:  # a bug in a stage fails only that stage
            machine.log.write(traceback.format_exc())
            state, said = "failed", f"{type(fault).__name__}: {fault} (see {pack}/log)"
        report.row(name, state, time.monotonic() - start, said)
    path = report.write(pack, arguments)
    print(f"written to {path}; every command and its output are in {pack}/log")
    return 1 if report.failed() else 0
