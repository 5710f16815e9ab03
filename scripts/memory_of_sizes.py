"""Measures what the prior of other sizes brings the strategy `default`, on spaces recorded here.

memory_of_sizes.py AUTOBENCH OUT [--benchmark gemm] [--sizes 64,96,…] [--runs 30] [--log 90]

The whole space is recorded at every size, by `tune --strategy exhaustive`. A log is a cold search
of some evaluations in such a space. Then every size is searched cold, with the logs of its two
neighbours among the sizes, and with the log of the next smaller one. The result is the number of
evaluations until one is within 2 % of the optimum, as a median over the runs.
"""

import argparse
import csv
import hashlib
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

LEVEL = 1.02
# Evaluations of a run. A run that does not reach the level counts as one more.
MOST = 150
# Seed of the logs; no run has it.
LOG_SEED = 9001


def called(arguments, *words):
    command = [str(arguments.program.resolve()), *map(str, words)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command)}: {ended.stderr.strip()}")
    return ended


def recorded(arguments, size):
    """Returns the study that has every configuration at a size; runs it if it is not done yet."""
    folder = arguments.out / "spaces" / f"{arguments.benchmark}_{size}"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        called(
            arguments, "tune", arguments.benchmark, "--device", "cpu", "--size", size, "--strategy", "exhaustive",
            "--budget", 10**6, "--out", folder,
        )
        (folder / "done").touch()
    return next(folder.glob("*_tune"))


def log(arguments, space, size):
    program = hashlib.sha256(arguments.program.read_bytes()).hexdigest()[:10]
    folder = arguments.out / "logs" / f"{arguments.benchmark}_{size}_{arguments.log}_{program}"
    if not list(folder.glob("*.json")):
        called(
            arguments, "simulate", "--space", space, "--budget", arguments.log, "--seed", LOG_SEED,
            "--record", folder, "--out", arguments.out / "runs",
        )
    return folder


def counts(arguments, space, memories):
    """Returns for every run the number of evaluations until one was near the optimum."""
    learning = ["--learn-from", *memories] if memories else []
    ended = called(
        arguments, "simulate", "--space", space, "--budget", MOST, "--seeds", arguments.runs,
        "--json", "--out", arguments.out / "runs", *learning,
    )
    if "nothing to learn" in ended.stderr:
        sys.exit(ended.stderr)
    best = json.loads(ended.stdout)["optimum_ms"]
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("results ")]
    folder = Path(line.removeprefix("results ").strip())
    reached = {}
    with open(folder / "runs.csv") as file:
        for row in csv.DictReader(file):
            reached.setdefault(row["seed"], MOST + 1)
            if row["best"] and float(row["best"]) <= LEVEL * best:
                reached[row["seed"]] = min(reached[row["seed"]], int(row["answer"]))
    return sorted(reached.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--benchmark", default="gemm")
    parser.add_argument("--sizes", default="64,96,128,192,256,384")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--log", type=int, default=90)
    arguments = parser.parse_args()
    arguments.out = arguments.out.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sizes = [int(size) for size in arguments.sizes.split(",")]
    spaces = {size: recorded(arguments, size) for size in sizes}
    logs = {size: log(arguments, space, size) for size, space in spaces.items()}
    table = csv.writer(sys.stdout)
    table.writerow(["size", "memory", "median evaluations", "quartiles", "of a cold search"])
    for at, size in enumerate(sizes):
        smaller, larger = sizes[max(at - 1, 0) : at], sizes[at + 1 : at + 2]
        cold = None
        # No prior, both neighbours, and the smaller one alone if there are two.
        for memory in [[], smaller + larger] + [smaller] * bool(smaller and larger):
            reached = counts(arguments, spaces[size], [logs[other] for other in memory])
            quartiles = statistics.quantiles(reached, n=4)
            middle = statistics.median(reached)
            cold = cold or middle
            called_memory = " ".join(map(str, memory)) or "none"
            span = f"{quartiles[0]:g} to {quartiles[2]:g}"
            table.writerow([size, called_memory, f"{middle:g}", span, f"{middle / cold:.2f}"])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
