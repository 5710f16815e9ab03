"""Measures how many evaluations a live study needs with the prior of other sizes and without.

live_memory.py AUTOBENCH OUT [--benchmark gemm] [--size 128] [--memory 64,96] [--budget 90]
               [--repeats 10] [--device cpu] [FLAG…]

Studies of the other sizes are made once. Then cold studies of the size alternate with studies that
learn from the other sizes; every repeat has another seed. The winner is the configuration with the
lowest median over all studies. The level is reached by the first evaluation of a configuration
whose median is within 2 % of the winner's, so that no single lucky or disturbed measurement
decides. Further flags are given to every study. The same command goes on where it stopped.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
from pathlib import Path

LEVEL = 1.02


def trials(folder):
    """Returns the configurations of a search in order, with their seconds; None for failures."""
    (file,) = folder.glob("**/journal.jsonl")
    found = []
    for line in file.read_text().splitlines():
        event = json.loads(line)
        if event.get("event") == "trial" and event.get("phase") == "search":
            configuration = json.dumps(event["configuration"], sort_keys=True)
            found.append((configuration, event.get("score")))
    return found


def study(arguments, name, size, seed, *more):
    folder = arguments.out / name
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            str(arguments.program.resolve()), "tune", arguments.benchmark, "--device", arguments.device,
            "--size", str(size), "--seed", str(seed), "--budget", str(arguments.budget),
            "--out", str(folder), *arguments.flags, *map(str, more),
        ]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"{' '.join(command)}: {ended.stderr.strip()}")
        (folder / "done").touch()
    return trials(folder)


def reached(found, good):
    """Returns the number of evaluations until a configuration is good; None if none is."""
    for at, (configuration, _) in enumerate(found, 1):
        if configuration in good:
            return at
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--benchmark", default="gemm")
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--memory", default="64,96")
    parser.add_argument("--budget", type=int, default=90)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--device", default="cpu")
    arguments, arguments.flags = parser.parse_known_args()
    arguments.out = arguments.out.resolve()
    memories = []
    for at, size in enumerate(arguments.memory.split(",")):
        study(arguments, f"memory_{size}", size, 9001 + at)
        memories.append(arguments.out / f"memory_{size}")
    runs = {"cold": [], "memory": []}
    for seed in range(1, arguments.repeats + 1):
        runs["cold"].append(study(arguments, f"cold_{seed}", arguments.size, seed))
        learning = ["--learn-from", *memories]
        runs["memory"].append(study(arguments, f"warm_{seed}", arguments.size, seed, *learning))
        print(f"repeat {seed} of {arguments.repeats}", file=sys.stderr, flush=True)
    seconds = {}
    for run in runs["cold"] + runs["memory"]:
        for configuration, score in run:
            if score is not None:
                seconds.setdefault(configuration, []).append(score)
    medians = {configuration: statistics.median(times) for configuration, times in seconds.items()}
    best = min(medians.values())
    good = {configuration for configuration, time in medians.items() if time <= LEVEL * best}
    print(f"{arguments.benchmark} at {arguments.size}: {len(medians)} configurations, {len(good)} within 2 % of the best")
    table = csv.writer(sys.stdout)
    table.writerow(["search", "reached", "median evaluations", "all"])
    for name, all_runs in runs.items():
        counts = [reached(run, good) for run in all_runs]
        # A run that never reached the level counts as its budget plus one.
        middle = statistics.median(count or arguments.budget + 1 for count in counts)
        came = sum(count is not None for count in counts)
        table.writerow([name, f"{came} of {len(counts)}", middle, " ".join(str(c or "-") for c in counts)])


if __name__ == "__main__":
    main()
