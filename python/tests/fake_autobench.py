"""Stands in for the program: speaks the protocol on a socket and writes a study's folder.

`FAKE` in the environment changes what it does: `stop` waits for a signal, `nothing` finds nothing.
"""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path


class Line:
    """The connection to a guest."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def ask(self, request, **fields):
        """Sends a request and returns the reply; None if the guest is gone."""
        self.socket.sendall(json.dumps({"request": request, **fields}).encode() + b"\n")
        line = self.file.readline()
        return json.loads(line) if line else None


def told(text):
    """Prints to standard error."""
    print(text, file=sys.stderr, flush=True)


def trial(line, number, size, configuration, timeout=10.0):
    """Measures a configuration once and returns its record."""
    line.socket.settimeout(timeout)
    outcome = {"status": "measured"}
    try:
        for request, fields in [
            ("compile", {"size": size, "configuration": configuration}),
            ("check", {"seed": 1, "thorough": False}),
            ("sample", {"runs": 3}),
        ]:
            reply = line.ask(request, kernel=number, **fields)
            if reply is None or "fault" in reply:
                fault = reply or {"fault": "crashed", "reason": "closed its socket"}
                outcome = {"status": fault["fault"], "reason": fault["reason"]}
                break
            if request == "check":
                outcome["checked"] = reply
            if request == "sample":
                seconds = {"median": reply["seconds"] / 3, "count": 1}
                outcome["measurement"] = {"seconds": seconds, "error": 0.0}
    except TimeoutError:
        outcome = {"status": "timed-out", "reason": f"no answer within {timeout} s"}
    return {
        "trial": number,
        "result": {
            "size": size,
            "phase": "search",
            "configuration": configuration,
            "outcome": outcome,
        },
    }


def configurations(parameters):
    """Returns all configurations of a space."""
    every = [{}]
    for one in parameters:
        every = [{**before, one["name"]: value} for before in every for value in one["values"]]
    return every


def study(path, folder, timeout):
    """Measures everything at two sizes and writes the document of the study."""
    line = Line(path)
    described = line.ask("describe", protocol=1, autobench="0.1.0")
    if "fault" in described:
        told(f"error: {described['reason']}")
        sys.exit(3)
    benchmark = described["benchmark"]
    folder.mkdir(parents=True, exist_ok=True)
    told(f"writing to {folder}")
    record = {
        "settings": {"benchmark": path},
        "argv": sys.argv,
        "device": described["device"],
        "benchmark": {**benchmark, "secondary": {"unit": benchmark["metrics"][0]["unit"]}},
    }
    (folder / "study.json").write_text(json.dumps(record))
    if os.environ.get("FAKE") == "stop":
        wait_for_a_signal(folder)
    first = benchmark["size"]["start"]
    sizes, trials = [], []
    largest = benchmark["size"].get("largest", first)
    for size in sorted({first, min(4 * first, largest)}):
        bytes_ = line.ask("footprint", size=size, configuration={}, cold=True)["bytes"]
        opened = line.ask("open", size=size, cold="--hot" not in sys.argv)
        for configuration in configurations(benchmark["parameters"]):
            trials.append(trial(line, len(trials) + 1, size, configuration, timeout))
            if "fault" in opened:
                outcome = {"status": opened["fault"], "reason": opened["reason"]}
                trials[-1]["result"]["outcome"] = outcome
            if trials[-1]["result"]["outcome"]["status"] in ("crashed", "lost", "timed-out"):
                line.socket.close()
                line = Line(path)
                line.ask("describe", protocol=1, autobench="0.1.0")
                line.ask("open", size=size, cold=True)
        sizes.append({"size": size, "bytes": bytes_, "closed": closed(size, trials)})
        line.ask("close", size=size)
    document = {
        "progress": "finished",
        "study": record,
        "sizes": sizes,
        "trials": trials,
        "knees": [{"detector": "kneedle", "interval": [first, 2 * first]}],
        "accepted": {"detector": "kneedle", "size": first, "confidence": "settled"},
    }
    (folder / "document.json").write_text(json.dumps(document))
    if os.environ.get("FAKE") == "nothing":
        told("error: no configuration is valid\n  hint: see the journal")
        sys.exit(5)


def closed(size, trials):
    """Returns how a size ended."""
    mine = [one["result"] for one in trials if one["result"]["size"] == size]
    measured = [one for one in mine if one["outcome"]["status"] == "measured"]
    if not measured:
        return {"size": size, "best": None}
    best = min(measured, key=lambda one: one["outcome"]["measurement"]["seconds"]["median"])
    median = best["outcome"]["measurement"]["seconds"]["median"]
    seconds = {"median": median, "interval": [median, median]}
    return {
        "size": size,
        "gain": 1.0,
        "best": {
            "configuration": best["configuration"],
            "seconds": seconds,
            "metric": {"value": 1.5, "interval": [1.0, 2.0]},
            "error": 0.0,
        },
    }


def wait_for_a_signal(folder):
    """Ends like the program after Ctrl-C."""

    def stop(*_):
        told(f"error: interrupted\n  hint: go on with `autobench resume {folder}`")
        sys.exit(130)

    signal.signal(signal.SIGINT, stop)
    (folder / "waits").write_text("")
    time.sleep(30)
    sys.exit(1)


def main():
    """Does what the arguments ask."""
    command, rest = sys.argv[1], sys.argv[2:]
    options = dict(one[2:].split("=", 1) for one in rest if one.startswith("--") and "=" in one)
    timeout = float(options.get("trial-timeout", 10))
    if command in ("run", "tune"):
        out = Path(options["out"])
        number = len(list(out.glob("*"))) if out.exists() else 0
        study(rest[0], out / f"2026{number}_fake", timeout)
    elif command == "resume":
        folder = Path(rest[0])
        path = json.loads((folder / "study.json").read_text())["settings"]["benchmark"]
        study(path, folder, timeout)
    elif command == "export":
        print((Path(rest[0]) / "document.json").read_text())
    elif command == "show":
        print("knee      64 by kneedle")
    else:
        told(f"error: `{command}` is no command\n  hint: see --help")
        sys.exit(2)


if __name__ == "__main__":
    main()
