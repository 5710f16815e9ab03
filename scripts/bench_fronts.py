"""Measures how close Kernel Tuner's nsga2 and nsga3 (pymoo) come to the fronts of recorded spaces.

Kernel Tuner's own `tune` runs, with its sampling, crossover, mutation, repair and removal of
duplicates. Only the cost function is replaced by a table, so that runs access no files. Prints the
same JSON as `autobench score --objective A --objective B --json`, as far as both have the same
fields.

    bench_fronts.py T1_FOLDER REPEATS OBJECTIVES SPACE...
"""

import functools
import gzip
import json
import random
import sys
from types import SimpleNamespace

import numpy as np
from kernel_tuner import util
from kernel_tuner.searchspace import Searchspace
from kernel_tuner.strategies import pymoo_minimize
from pymoo.indicators.igd_plus import IGDPlus
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

CUTS = [50, 100, 150, 200]
FAILED = sys.float_info.max

# nsga3 takes seconds to compute its directions, which are the same for every run.
pymoo_minimize.get_reference_directions = functools.cache(pymoo_minimize.get_reference_directions)


def objectives_of(row, names):
    """Returns the objectives of a row of a cache file; None if the row failed."""
    if not isinstance(row.get("time"), (int, float)) or "__error__" in row:
        return None
    noise = lambda: np.std(row["times"], ddof=1) / np.mean(row["times"])
    readings = {
        "seconds": lambda: row["time"] / 1e3,
        "compile_seconds": lambda: row["compile_time"] / 1e3,
        "noise": noise,
    }
    return [readings[name]() for name in names]


class Table:
    """The cost function that the strategy calls."""

    def __init__(self, searchspace, options, table, limit):
        self.searchspace, self.tuning_options = searchspace, options
        self.table, self.limit, self.order, self.results = table, limit, {}, []

    def __call__(self, configuration):
        key = ",".join(str(value) for value in configuration)
        if key not in self.table:
            # Configurations that repair could not make valid are not counted.
            return [FAILED] * len(self.tuning_options.objective)
        if key not in self.order:
            if len(self.order) >= self.limit:
                raise util.StopCriterionReached("the budget is spent")
            self.order[key] = True
        costs = self.table[key]
        return [FAILED] * len(self.tuning_options.objective) if costs is None else costs


def search(strategy, searchspace, table, names, seed):
    """Returns the configurations of one run, in order, each once."""
    random.seed(seed)
    np.random.seed(seed)
    options = SimpleNamespace(
        strategy=strategy,
        strategy_options={"max_fevals": CUTS[-1]},
        objective=names,
        tune_params=searchspace.tune_params,
        verbose=False,
        seed=seed,
        simulation_mode=False,
    )
    cost = Table(searchspace, options, table, CUTS[-1])
    if strategy == "random":
        keys = list(table)
        return [keys[at] for at in np.random.permutation(len(keys))[: CUTS[-1]]]
    pymoo_minimize.CostFunc = lambda *_, **__: cost
    pymoo_minimize.tune(searchspace, None, options)
    return list(cost.order)


def conditions(folder, kernel):
    """Returns the restrictions in a kernel's T1 file."""
    with open(f"{folder}/{kernel}.json") as file:
        stated = json.load(file)["ConfigurationSpace"].get("Conditions", [])
    return [condition["Expression"] for condition in stated]


def main():
    folder, repeats, names, *spaces = sys.argv[1:]
    names, repeats = names.split(","), int(repeats)
    medians = {}
    for path in spaces:
        name = path.split("/")[-1].split(".")[0]
        with gzip.open(path) as file:
            recorded = json.load(file)
        table = {key: objectives_of(row, names) for key, row in recorded["cache"].items()}
        restrictions = conditions(folder, name.split("_")[0])
        searchspace = Searchspace(recorded["tune_params"], restrictions, 1_000_000_000)
        found = {",".join(str(value) for value in point) for point in searchspace.list}
        assert found == set(table), f"{name}: {len(found)} valid, {len(table)} recorded"
        costs = np.array([row for row in table.values() if row is not None])
        truth = costs[NonDominatedSorting().do(costs, only_non_dominated_front=True)]
        low, high = truth.min(axis=0), truth.max(axis=0)
        distance = IGDPlus((truth - low) / (high - low))
        for strategy in ["random", "nsga2", "nsga3"]:
            runs = []
            for seed in range(1, repeats + 1):
                order = search(strategy, searchspace, table, names, seed)
                valid = lambda cut: [table[k] for k in order[:cut] if table[k] is not None]
                runs.append([distance((np.array(valid(cut)) - low) / (high - low)) for cut in CUTS])
            medians.setdefault(strategy, {})[name] = np.median(runs, axis=0)
    strategies = []
    for strategy, by_space in medians.items():
        gains = [
            np.mean([1 - at[i] / medians["random"][name][i] for name, at in by_space.items()])
            for i in range(len(CUTS))
        ]
        at_cuts = lambda values: {str(cut): float(value) for cut, value in zip(CUTS, values)}
        spaces = {name: {"igd_plus": at_cuts(values)} for name, values in by_space.items()}
        strategies.append({"name": strategy, "gain": at_cuts(gains), "spaces": spaces})
    print(json.dumps({"objectives": names, "repeats": repeats, "strategies": strategies}, indent=1))


main()
