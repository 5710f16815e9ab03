"""Measures what priors bring the strategy `default`, and what misleading ones cost.

score_memory.py AUTOBENCH SPACES OUT [--repeats N] [--rows R,…] [--sets milo,bat] [--only TEXT]

SPACES holds Kernel Tuner caches KERNEL_DEVICE.json.gz; those of the set `bat` begin with `bat-`.
OUT keeps logs, priors, and results.csv, a line for every row and space as soon as it is known.
Lines of the same program and repeats are not measured again, so the command goes on where it
stopped.
"""

import argparse
import csv
import gzip
import hashlib
import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path

ROWS = ("cold", "logs", "full", "shuffled", "inverted", "wrong", "foreign")
CUTS = (10, 20, 50)
COLUMNS = ["program", "repeats", "row", "set", "space", "source", "seconds", "score", "standard_error"]
COLUMNS += [f"{what}_{cut}" for cut in CUTS for what in ("share", "p_worse")]
# Seed of the logs; no scored run has it.
LOG_SEED = 9001


def read(path):
    with gzip.open(path, "rt") if str(path).endswith(".gz") else open(path) as file:
        return json.load(file)


# Misleading priors, made from logs.


def number(row):
    return row["time"] if isinstance(row["time"], (int, float)) else None


def timed(log, times):
    """Returns the log with other times."""
    cache = {key: dict(row) for key, row in log["cache"].items()}
    for row, ms in zip(cache.values(), times):
        row["time"] = ms
        row["times"] = [ms] if isinstance(ms, (int, float)) else []
    return {**log, "cache": cache}


def shuffled(log, seed):
    times = [row["time"] for row in log["cache"].values()]
    random.Random(seed).shuffle(times)
    return timed(log, times)


def inverted(log):
    return timed(log, [1 / row["time"] if number(row) else row["time"] for row in log["cache"].values()])


def mapped(log, target, device):
    """Returns the rows of a log as rows of another kernel: parameters are matched by order,
    values by position."""
    choices = lambda space: [name for name in space["tune_params_keys"] if len(space["tune_params"][name]) > 1]
    pairs = list(zip(choices(target), choices(log)))
    cache = {}
    for row in log["cache"].values():
        made = {name: target["tune_params"][name][0] for name in target["tune_params_keys"]}
        for name, other in pairs:
            values, others = target["tune_params"][name], log["tune_params"][other]
            share = others.index(row[other]) / (len(others) - 1)
            made[name] = values[round(share * (len(values) - 1))]
        key = ",".join(str(made[name]) for name in target["tune_params_keys"])
        kept = {name: row[name] for name in row if name not in log["tune_params"]}
        cache[key] = {**made, **kept}
    head = {name: target[name] for name in ("kernel_name", "problem_size", "tune_params_keys", "tune_params")}
    # Another device name, so that the log does not pass as a recording of the target's device.
    return {**log, **head, "device_name": device, "cache": cache}


def kernel(space):
    return space.split("_")[0]


def group(space):
    return "bat" if space.startswith("bat-") else "milo"


def vendor(space):
    return "amd" if space.split("_")[1].startswith(("MI", "W6", "W7")) else "nvidia"


class Bench:
    def __init__(self, arguments):
        self.program = str(arguments.program.resolve())
        self.hash = hashlib.sha256(Path(self.program).read_bytes()).hexdigest()[:10]
        self.repeats = arguments.repeats
        self.out = arguments.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        files = sorted(arguments.spaces.resolve().glob("*.json.gz"))
        files = [file for file in files if not file.name.endswith("_T4.json.gz")]
        self.spaces = {file.name.removesuffix(".json.gz"): file for file in files}
        self.results = self.out / "results.csv"
        self.logs = {}

    def run(self, *arguments):
        command = [self.program, *map(str, arguments), "--json", "--out", str(self.out / "runs" / self.hash)]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"{' '.join(command)}: {ended.stderr.strip()}")
        return json.loads(ended.stdout), ended.stderr

    def log(self, name):
        """Returns the log of a cold search of 220 evaluations in a space."""
        if name not in self.logs:
            folder = self.out / "logs" / self.hash / name
            if not list(folder.glob("*.json")):
                self.run("simulate", "--space", self.spaces[name], "--budget", 220, "--seed", LOG_SEED, "--record", folder)
            (file,) = folder.glob("*.json")
            self.logs[name] = read(file)
        return self.logs[name]

    def memories(self, row, name):
        """Returns pairs of a prior's name and its folder; the folder is None without a prior."""
        others = [other for other in self.spaces if group(other) == group(name) and other != name]
        kin = [other for other in others if kernel(other) == kernel(name)]
        if row == "cold":
            return [("", None)]
        if row == "foreign":
            strangers = [other for other in kin if vendor(other) != vendor(name)]
            return [(other, self.folder(row, name, other, {other: self.log(other)})) for other in strangers]
        if row == "wrong":
            target = {**read(self.spaces[name]), "cache": {}}
            unlike = [other for other in others if kernel(other) != kernel(name)]
            made = {other: mapped(self.log(other), target, f"{other} as {kernel(name)}") for other in unlike}
        elif row == "full":
            made = {other: self.spaces[other] for other in kin}
        else:
            spoilt = {"logs": lambda log, _: log, "shuffled": shuffled, "inverted": lambda log, _: inverted(log)}
            made = {other: spoilt[row](self.log(other), at) for at, other in enumerate(kin)}
        return [("", self.folder(row, name, "", made))] if made else []

    def folder(self, row, name, source, made):
        folder = self.out / "memories" / self.hash / row / f"{name}_{source}"
        folder.mkdir(parents=True, exist_ok=True)
        for other, log in made.items():
            if isinstance(log, Path):
                file = folder / log.name
                file.unlink(missing_ok=True)
                file.symlink_to(log)
            else:
                (folder / f"{other}.json").write_text(json.dumps(log))
        return folder

    def bests(self, row, name, source, learning):
        """Returns the best of every run after each cut, from runs of as many evaluations as the
        last cut."""
        kept = self.out / "bests" / self.hash / f"{row}_{name}_{source}_{self.repeats}.json"
        if not kept.exists():
            _, notes = self.run(
                "simulate", "--space", self.spaces[name], "--budget", max(CUTS), "--seeds", self.repeats, *learning
            )
            folder = Path(notes.rsplit("results", 1)[1].strip().splitlines()[0].strip())
            found = {cut: {} for cut in CUTS}
            with open(folder / "runs.csv") as file:
                for line in csv.DictReader(file):
                    best = float(line["best"]) if line["best"] else math.inf
                    for cut in CUTS:
                        if int(line["answer"]) <= cut:
                            found[cut][line["seed"]] = best
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps({cut: list(runs.values()) for cut, runs in found.items()}))
        return read(kept)

    def measure(self, row, name, source, folder):
        learning = ["--learn-from", folder] if folder else []
        began = time.time()
        answer, _ = self.run(
            "score", "--spaces", self.spaces[name], "--strategies", "default", "--repeats", self.repeats,
            "--evaluations", ",".join(map(str, CUTS)), *learning,
        )
        (space,) = answer["strategies"][0]["spaces"].values()
        bests = self.bests(row, name, source, learning)
        cold = self.bests("cold", name, "", [])
        line = {
            "program": self.hash, "repeats": self.repeats, "row": row, "set": group(name), "space": name,
            "source": source, "score": f"{space['score']:.5f}", "standard_error": f"{space['standard_error'] or 0:.5f}",
        }
        for cut in CUTS:
            line[f"share_{cut}"] = f"{space['fraction_of_optimum'].get(str(cut)) or 0:.4f}"
            line[f"p_worse_{cut}"] = "" if row == "cold" else f"{worse(bests[str(cut)], cold[str(cut)]):.4f}"
        line["seconds"] = f"{time.time() - began:.1f}"
        new = not self.results.exists()
        with open(self.results, "a") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if new:
                writer.writeheader()
            writer.writerow(line)
        each = (time.time() - began) / self.repeats
        print(f"{row} {name} {source}: {line['score']} ± {line['standard_error']}, {each:.2f} s a run", flush=True)

    def known(self):
        if not self.results.exists():
            return []
        with open(self.results) as file:
            lines = list(csv.DictReader(file))
        return [line for line in lines if line["program"] == self.hash and line["repeats"] == str(self.repeats)]


def worse(ours, others):
    """Returns the probability of at least so many lost pairs if both samples come from one
    distribution: the rank-sum test of Mann and Whitney (1947), corrected for ties and for
    continuity."""
    lost = sum((a > b) + 0.5 * (a == b) for a in ours for b in others)
    everything = sorted(ours + others)
    counts = {}
    for value in everything:
        counts[value] = counts.get(value, 0) + 1
    n, pairs = len(everything), len(ours) * len(others)
    ties = sum(count**3 - count for count in counts.values())
    variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    return 0.5 * math.erfc((lost - pairs / 2 - 0.5) / math.sqrt(2 * variance))


def summarise(lines):
    """Prints a line for every row and set with results. Losses are relative to cold runs on the
    same spaces."""
    cold = {line["space"]: float(line["score"]) for line in lines if line["row"] == "cold"}
    print(f"{'row':9} {'set':5} n  score ± error    lost against cold: mean, most    least p of worse at 10, 20, 50")
    for row in ROWS:
        for name in ("milo", "bat"):
            here = [line for line in lines if line["row"] == row and line["set"] == name]
            if not here:
                continue
            n = len(here)
            score = sum(float(line["score"]) for line in here) / n
            error = math.sqrt(sum(float(line["standard_error"]) ** 2 for line in here)) / n
            losses = [cold[line["space"]] - float(line["score"]) for line in here if line["space"] in cold]
            lost = f"{sum(losses) / len(losses):+.3f}, {max(losses):+.3f}" if losses else "-"
            tests = [min(line[f"p_worse_{cut}"] or "-" for line in here) for cut in CUTS]
            print(f"{row:9} {name:5} {n}  {score:.3f} ± {error:.3f}    {lost:28} {' '.join(tests)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("spaces", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--sets", default="milo,bat")
    parser.add_argument("--only", default="", help="only spaces whose names contain this text")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    known = {(line["row"], line["space"], line["source"]) for line in bench.known()}
    for row in arguments.rows.split(","):
        if row not in ROWS:
            sys.exit(f"there is no row `{row}`: {', '.join(ROWS)}")
        for name in bench.spaces:
            if group(name) not in arguments.sets.split(",") or arguments.only not in name:
                continue
            for source, folder in bench.memories(row, name):
                if (row, name, source) not in known:
                    bench.measure(row, name, source, folder)
    summarise(bench.known())


if __name__ == "__main__":
    main()
