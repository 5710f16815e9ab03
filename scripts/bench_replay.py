"""The measuring part of bench-replay: both programs alternate; medians of five turns."""

import contextlib
import io
import json
import os
import random
import shutil
import statistics
import sys
import time
import unittest.mock

import numpy
import kernel_tuner
import pyatf
from kernel_tuner.interface import strategy_map

EVALUATIONS = 220
TURNS = 5
# Kernel Tuner's names; OURS has our names where they differ. bayes_opt is by far the slowest.
STRATEGIES = [
    "random_sample", "genetic_algorithm", "simulated_annealing", "diff_evo", "pso", "mls",
    "greedy_mls", "greedy_ils", "basinhopping", "firefly_algorithm", "dual_annealing",
    "hybrid_vndx", "adaptive_tabu_greywolf", "pyatf_strategies", "bayes_opt",
]
OURS = {"random_sample": "random", "pyatf_strategies": "pyatf_differential_evolution"}


# Kernel Tuner 1.5.0 passes a fourth argument that pyATF 0.0.13 does not accept.
TP = pyatf.TP
pyatf.TP = lambda *arguments: TP(*arguments[:3])


class Timed:
    """A strategy of Kernel Tuner that records how long it searched."""

    def __init__(self, strategy):
        self.strategy = strategy
        self.seconds = 0.0

    def tune(self, *arguments):
        began = time.perf_counter()
        try:
            return self.strategy.tune(*arguments)
        finally:
            self.seconds = time.perf_counter() - began


def theirs(path, cache, strategy, seed):
    """Returns the seconds of a whole simulated call and of its strategy, and the number of
    evaluations."""
    random.seed(seed)
    numpy.random.seed(seed)
    # Kernel Tuner writes to the file it reads.
    copy = path + ".turn.json"
    shutil.copyfile(path, copy)
    options = {"max_fevals": EVALUATIONS}
    if strategy == "pyatf_strategies":
        options["searchtechnique"] = "differential_evolution"
    timed = Timed(strategy_map[strategy])
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch.dict(strategy_map, {strategy: timed}):
        results, _ = kernel_tuner.tune_kernel(
            cache["kernel_name"], "", cache["problem_size"], [], cache["tune_params"],
            restrictions=restrictions(path), strategy=strategy, strategy_options=options,
            simulation_mode=True, cache=copy, verbose=False, quiet=True,
        )
    whole = time.perf_counter() - began
    return whole, timed.seconds, len({tuple(r[k] for k in cache["tune_params"]) for r in results})


def restrictions(path):
    """Returns the space's own restrictions, from the T1 file next to it. A list of the cache's
    keys would make Kernel Tuner slower than it is."""
    kernel = os.path.basename(path).split("_")[0]
    with open(os.path.join(os.environ["AUTOBENCH_T1"], kernel + ".json"), encoding="utf-8") as file:
        conditions = json.load(file)["ConfigurationSpace"].get("Conditions", [])
    return [condition["Expression"] for condition in conditions]


def ours(path, strategy, seed):
    """Returns the seconds of a whole process and of its strategy, and the number of evaluations."""
    name = OURS.get(strategy, strategy)
    out = os.path.join(os.environ["AUTOBENCH_WORK"], "out")
    command = [os.environ["AUTOBENCH_PROGRAM"], "simulate", "--space", path, "--strategy", name,
               "--budget", str(EVALUATIONS), "--seed", str(seed), "--json", "--out", out]
    answer = os.path.join(os.environ["AUTOBENCH_WORK"], "answer.json")
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    # The peers' linear-algebra threads spin for a while after their work, on the core that we would
    # use. Sleeping would let the core sleep too, while the peers are measured on an active core.
    rested = time.perf_counter() + 0.1
    while time.perf_counter() < rested:
        pass
    # posix_spawn leaves out the overhead of Python's subprocess module.
    actions = [(os.POSIX_SPAWN_OPEN, 1, answer, writing, 0o600),
               (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    began = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status = os.waitpid(process, 0)
    whole = time.perf_counter() - began
    if status:
        return None
    with open(answer, encoding="utf-8") as file:
        result = json.load(file)
    return whole, result["wall_seconds"], result["runs"][0]["evaluations"]


def main():
    wanted = os.environ["AUTOBENCH_STRATEGIES"].split() or STRATEGIES
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            cache = json.load(file)
        print(f"{os.path.basename(path)}, {EVALUATIONS} evaluations, medians of {TURNS} turns")
        print(f"{'strategy':26} {'Kernel Tuner':>13} {'autobench':>10} {'whole':>8} {'part':>8}")
        for strategy in wanted:
            turns = []
            for seed in range(TURNS + 1):
                mine = ours(path, strategy, seed)
                if mine is None:
                    break
                turns.append((theirs(path, cache, strategy, seed), mine))
            if not turns:
                print(f"{strategy:26} autobench has no strategy of this name")
                continue
            turns = turns[1:]
            middle = lambda side, what: statistics.median(turn[side][what] for turn in turns)
            print(f"{strategy:26} {middle(0, 0) * 1e3:10.1f} ms {middle(1, 0) * 1e3:7.1f} ms "
                  f"{middle(0, 0) / middle(1, 0):7.1f}x {middle(0, 1) / middle(1, 1):7.1f}x")


if __name__ == "__main__":
    main()
