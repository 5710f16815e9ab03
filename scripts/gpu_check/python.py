"""The stage that saturates a kernel from Python, with the packages that this machine has."""

import json
import os
import sys

from .devices import needs_device
from .machine import Failed

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "saturate.py")
# Largest difference between our `do_bench` and Triton's, as a share of the time.
MOST_APART = 0.1


def python(machine, report, limit):
    needs_device(report)
    out = os.path.join(machine.scratch, "out", "python")
    # Importing torch and compiling also take time.
    seconds = 6 if machine.backend == "cpu" else 0.4 * limit
    command = [sys.executable, SCRIPT, machine.device, f"{seconds:.0f}", out]
    code, said, err = machine.command(command, limit)
    last = (said.strip().splitlines() or [""])[-1]
    if code != 0:
        words = err.strip().splitlines() or ["nothing was said"]
        raise Failed(f"exit code {code}: {words[-1]}")
    if last.startswith("skipped: "):
        return "skipped", last.removeprefix("skipped: ")
    found = json.loads(last)
    best = ", ".join(f"{name} {value}" for name, value in found["best"].items())
    median, low, high = found["do_bench"]
    over = found["over_tritons"]
    report.section("A kernel from Python", ["arrays", "sizes", "knee", "confidence", "largest",
                                            "best there", "GB/s", "do_bench, ms",
                                            "over Triton's"],
                   [(found["arrays"], found["sizes"], found["knee"] or "", found["confidence"],
                     found["largest"], best, f"{found['metric']:.1f}",
                     f"{median:.4f} ({low:.4f} to {high:.4f})", f"{over:.3f}" if over else "")])
    knee = f"knee {found['knee']} {found['confidence']}" if found["knee"] else "no knee"
    words = [f"{found['arrays']}: {knee}", *found["notes"]]
    if over:
        words.append(f"do_bench is {over - 1:+.1%} off Triton's")
        if abs(over - 1) > MOST_APART:
            raise Failed(f"{'; '.join(words)}: {MOST_APART:.0%} were allowed")
    return "done", "; ".join(words)
