"""Runs the program in a folder of its own, and checks what it leaves there."""

import csv
import json
import os
import shutil
import subprocess

from . import harms

TEMPORARY = "temporary"
HERE = os.path.dirname(os.path.abspath(__file__))


def preloaded(folder):
    """Builds the library that makes system calls fail or records them."""
    library = os.path.join(folder, "calls.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-w", "-o", library,
                    os.path.join(HERE, "calls.c"), "-ldl"], check=True)
    return library


def begin(seed, patience):
    """Returns the arguments of a new study whose trials may take `patience` seconds."""
    return ["tune", "./tortured.yaml", "--size", "4096", "--strategy", "exhaustive",
            "--budget", "40", "--time", "200", "--trial-timeout", str(patience), "--samples", "4",
            "--min-time", "0.0005", "--seed", str(seed), "--out", "out", "--quiet"]


def spawn(program, folder, words, limit=None, **variables):
    """Starts the program in a folder, with a resource limit and environment variables."""
    limits = ["bash", "-c", f'ulimit {limit}; exec "$@"', "bash"] if limit else []
    temporary = os.path.join(folder, TEMPORARY)
    os.makedirs(temporary, exist_ok=True)
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache"),
                   "TMPDIR": temporary, **variables}
    return subprocess.Popen(limits + [program, *words], cwd=folder, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def results(folder):
    """Returns the folder of the study's results, if the study has begun."""
    out = os.path.join(folder, "out")
    names = os.listdir(out) if os.path.isdir(out) else []
    return os.path.join(out, names[0]) if names else None


def next_words(folder, first):
    """Returns the arguments that resume a study, or that start it again if it has no journal."""
    begun = results(folder)
    if begun and os.path.exists(os.path.join(begun, "journal.jsonl")):
        return ["resume", os.path.relpath(begun, folder), "--quiet"]
    if begun:
        shutil.rmtree(begun)
    return first


def faults(folder, does):
    """Returns the faults of a study that has ended, one phrase each."""
    wrong, seen, all_rows = [], {}, set()
    with open(os.path.join(results(folder), "trials.csv"), newline="") as file:
        for row in csv.DictReader(file):
            one = (row["size"], row["phase"], row["parameter_does"])
            if one in all_rows and row["phase"] != "round":
                wrong.append(f"{one} was measured twice")
            all_rows.add(one)
            if row["phase"] == "search":
                seen.setdefault(int(row["parameter_does"]), []).append(
                    (row["status"], row["reason"]))
    for at in does:
        rows, truth = seen.get(at, []), harms.outcomes(at)
        if len(rows) != 1:
            wrong.append(f"{at} has {len(rows)} rows")
        elif rows[0][0] not in truth:
            wrong.append(f"{at} is {rows[0]}, not {' or '.join(sorted(truth))}")
    with open(os.path.join(results(folder), "journal.jsonl")) as file:
        numbers = [json.loads(line)["seq"] for line in file]
    if numbers != list(range(1, len(numbers) + 1)):
        wrong.append("the journal has gaps")
    remain = os.listdir(os.path.join(folder, TEMPORARY))
    return wrong + [f"left behind: {remain}"] * bool(remain)


def tree(parent):
    """Returns all descendants of a process."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                    found += [int(name), *tree(int(name))]
        except (OSError, IndexError):
            pass
    return found


def left(folder):
    """Returns the command lines of processes that still run in a study's folder, by number."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/cwd").startswith(folder):
                with open(f"/proc/{name}/cmdline") as file:
                    found[int(name)] = file.read().replace(chr(0), " ").strip()
        except OSError:
            pass
    return found
