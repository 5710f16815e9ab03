"""Stages that find the device, and run kernels under compute-sanitizer."""

import os
import re
import shutil

from .machine import Absent, Failed


def device(machine, report, limit):
    answer = dict(machine.autobench(["devices"], limit)).get(machine.backend)
    if answer is None:
        raise Failed(f"autobench knows no `{machine.backend}`")
    if "Err" in answer:
        missing = answer["Err"]
        # The pack lacks what is too large to send: libnvrtc alone is about 100 MiB.
        raise Absent(f"{missing['why']}; {missing['cure']}")
    ordinal = int((machine.device.split(":") + ["0"])[1])
    if ordinal >= len(answer["Ok"]):
        raise Absent(f"there is no `{machine.device}`")
    report.device = answer["Ok"][ordinal]
    said = f"{report.device['name']}, {report.device['compiler']}"
    return "done", said


def needs_device(report):
    if not report.device:
        raise Absent("there is no device")


SANITIZERS = ["/usr/local/cuda/bin/compute-sanitizer", "/opt/cuda/bin/compute-sanitizer"]


def sanitizer(machine, report, limit):
    needs_device(report)
    if machine.backend != "cuda":
        return "skipped", "compute-sanitizer is for CUDA devices"
    found = shutil.which("compute-sanitizer")
    found = found or next((path for path in SANITIZERS if os.path.exists(path)), None)
    if not found:
        return "skipped", "compute-sanitizer is not installed"
    said = []
    for kernel, size in [("vecadd", "100001"), ("gemm", "192")]:
        study = [machine.path("autobench"), "tune", kernel, "--size", size, "--strategy",
                 "random", "--budget", "6", "--samples", "2", "--trial-timeout", "60", "--device",
                 machine.device, "--quiet", "--out",
                 os.path.join(machine.scratch, "out", "sanitizer")]
        # Errors of API calls are normal: autobench counts a kernel's parameters by asking the
        # driver for one too many.
        command = [found, "--target-processes", "all", "--report-api-errors", "no",
                   "--error-exitcode", "99", *study]
        code, out, err = machine.command(command, limit / 2)
        # The worker's log also holds the sanitizer's output; autobench prints the end of the log.
        summaries = re.findall(r"ERROR SUMMARY: (\d+) error", out + err)
        works = not re.search(r"Device not supported|not supported on|Unable to", out + err)
        if not works:
            return "skipped", f"compute-sanitizer does not work here (see {machine.pack}/log)"
        found_ones = re.findall(r"=+ (Invalid [^\n]*|Race [^\n]*)", out + err)
        if code not in (0, 5) or any(int(count) for count in summaries) or found_ones:
            raise Failed(f"{kernel}: exit code {code}, errors {summaries}, "
                         f"{found_ones[0] if found_ones else 'none named'}")
        said.append(f"{kernel}: {'no error' if summaries else 'no summary was printed'}")
    return "done", "; ".join(said)
