"""Memories that mislead, made from logs, and the scores of a comparison in one line.

score_memory.py LOGS WORK SPACE...      writes WORK/{shuffled,inverted,wrong,foreign}
score_memory.py --print WHAT ANSWER     prints the scores of `autobench score --json`
"""

import gzip
import json
import random
import sys
from pathlib import Path

VENDORS = {"MI": "amd", "W6": "amd", "W7": "amd"}


def read(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        return json.load(file)


def vendor(space):
    device = space.split("_")[-1]
    return next((name for start, name in VENDORS.items() if device.startswith(start)), "nvidia")


def write(folder, name, log):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(log))


def number(row):
    return row["time"] if isinstance(row["time"], (int, float)) else None


def scaled(log, times):
    """The log with other times."""
    cache = {key: dict(row) for key, row in log["cache"].items()}
    for row, time in zip(cache.values(), times):
        row["time"] = time
        row["times"] = [time] if isinstance(time, (int, float)) else []
    return {**log, "cache": cache}


def shuffled(log, rng):
    times = [row["time"] for row in log["cache"].values()]
    rng.shuffle(times)
    return scaled(log, times)


def inverted(log):
    return scaled(log, [1 / row["time"] if number(row) else row["time"] for row in log["cache"].values()])


def mapped(log, target):
    """The rows of a log as rows of another kernel: parameters by order, values by place."""
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
    return {**log, **head, "cache": cache}


def kernel(space):
    return space.rsplit("_", 1)[0] if not space.startswith("bat-") else space.split("_")[0]


def make(logs, work, spaces):
    named = {Path(space).name.removesuffix(".json.gz"): space for space in spaces}
    found = {}
    for path in sorted(logs.glob("*.json")):
        slug = path.name.split("_default_")[0]
        name = next(n for n in named if n.lower().replace("_", "-") == slug)
        found[name] = read(path)
    for at, (name, log) in enumerate(found.items()):
        write(work / "shuffled", name, shuffled(log, random.Random(at)))
        write(work / "inverted", name, inverted(log))
    for name, space in named.items():
        target = read(space)
        target["cache"] = None
        for other, log in found.items():
            same_hub = name.startswith("bat-") == other.startswith("bat-")
            if same_hub and kernel(name) != kernel(other):
                wrong = mapped(log, target)
                # A device of its own, so that it is nobody's own recording.
                wrong["device_name"] = f"{other} as {kernel(name)}"
                write(work / "wrong", f"{kernel(name)}_{other}", wrong)
            if kernel(name) == kernel(other) and vendor(name) != vendor(other):
                write(work / "foreign" / name, other, log)


def show(what, answer):
    answer = read(answer)
    (strategy,) = answer["strategies"]
    spaces = strategy["spaces"]
    scores = {name: space["score"] for name, space in spaces.items()}
    shares = []
    for cut in ("1", "3", "5", "10", "20", "50"):
        at = [space["fraction_of_optimum"].get(cut) for space in spaces.values()]
        at = [share for share in at if share is not None]
        shares.append(f"{sum(at) / len(at):.3f}" if at else "-")
    error = strategy.get("standard_error")
    error = f" ±{error:.3f}" if error is not None else ""
    print(f"{what}: {strategy['score']:.3f}{error}; after 1, 3, 5, 10, 20, 50: {' '.join(shares)}")
    print("   ", ", ".join(f"{name} {score:.3f}" for name, score in scores.items()), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--print":
        show(sys.argv[2], sys.argv[3])
    else:
        make(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
