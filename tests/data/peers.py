#!/usr/bin/env python3
"""What other programs say, for the tests to compare with: writes the files beside it.

    python3 -m venv venv
    venv/bin/pip install kernel_tuner==1.5.0 kneed==0.9.0 kneeliverse==1.0.1 autotuning_methodology==1.1.0
    venv/bin/python tests/data/peers.py knees spaces scores cache

Each word makes its files again, all chance seeded; README.md says what they are.
"""

import contextlib
import gzip
import hashlib
import io
import json
import math
import random
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
SPACES = HERE / "spaces"
warnings.simplefilter("ignore")


def write(name, document):
    """One line per member and, inside lists, per entry, so that changes show."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            text = "[\n" + ",\n".join(json.dumps(entry) for entry in value) + "\n]"
        else:
            text = json.dumps(value)
        parts.append(f"{json.dumps(key)}: {text}")
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    path = HERE / name
    if path.suffix == ".gz":
        # Without a time inside, the same text makes the same file.
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    else:
        path.write_text(text)
    print(f"{path.stat().st_size:8} bytes  {path}")


def plain(value):
    """A number for JSON; none where it is none."""
    return None if value is None or not math.isfinite(float(value)) else float(value)


# Knees -------------------------------------------------------------------------------------------

FAMILIES = {
    "hyperbola": lambda x, b: x / (x + b),
    "exponential": lambda x, b: 1 - np.exp(-x / b),
    "rounded": lambda x, b: (1 + (b / x) ** 2) ** -0.5,
    "hill": lambda x, b: x**2 / (x**2 + b**2),
    "root": lambda x, b: np.sqrt(x / b),
    "logarithm": lambda x, b: np.log1p(x / b),
    "bend": lambda x, b: np.minimum(x / b, 1 + 0.02 * (x - b) / b),
    "line": lambda x, b: x / b,
}


def triangle(x, y, rising, concave):
    """The point farthest from the diagonal of the unit square, by cross product."""
    u, v = ((a - a.min()) / (a.max() - a.min()) for a in (x, y))
    ends = np.array([[0.0, 0.0], [1.0, 1.0]] if rising else [[0.0, 1.0], [1.0, 0.0]])
    along, to = ends[1] - ends[0], np.stack([u, v], 1) - ends[0]
    distance = (along[0] * to[:, 1] - along[1] * to[:, 0]) / np.hypot(*along)
    distance = distance if concave else -distance
    at = int(np.argmax(distance))
    ranked = np.sort(distance)
    # Nobody can say which of two equally far points a sum of roundings prefers.
    clear = ranked[-1] - ranked[-2] > 1e-9
    return {"index": at, "distance": float(distance[at])} if clear else None


def kneeliverse(x, y):
    """What each method of Kneeliverse calls a knee: an index, or all of them; none where it fails."""
    from kneeliverse import dfdt, lmethod, menger, zmethod

    points = np.column_stack([x, y])
    answers = {}
    for method in (dfdt, lmethod, menger):
        answers[method.__name__.rsplit(".", 1)[1]] = int(method.knee(points))
    try:
        answers["zmethod"] = [int(at) for at in zmethod.knees(points)]
    except IndexError:  # It cuts fractions off x and may then look behind the last point.
        answers["zmethod"] = None
    return answers


def knees():
    from kneed import KneeLocator

    rng = np.random.default_rng(20261123)
    cases = []
    turns = [(True, True), (False, False), (False, True), (True, False)]
    for family, formula in FAMILIES.items():
        for number in range(20):
            points = int(rng.integers(8, 33))
            if number % 2:
                x = np.round(np.geomspace(1, 4096, points), 3)
            else:
                x = np.linspace(1, 100, points).round(3)
            bend = float(rng.uniform(0.03, 0.4)) * x[-1]
            y = formula(x, bend)
            noise = [0, 0, 0.01, 0.05][number // 2 % 4]
            y = y * (1 + noise * rng.standard_normal(points))
            rising, concave = turns[number % 4]
            # The four turns of one knee.
            if (rising, concave) == (False, False):
                y = y.max() - y
            elif (rising, concave) == (False, True):
                y, x = y[::-1], (x[0] + x[-1] - x[::-1]).round(3)
            elif (rising, concave) == (True, False):
                y, x = y.max() - y[::-1], (x[0] + x[-1] - x[::-1]).round(3)
            y = y.round(6)
            if y.max() == y.min():
                continue
            shape = "concave" if concave else "convex"
            direction = "increasing" if rising else "decreasing"
            sensitivity = [1.0, 0.5, 3.0, 10.0, 0.0][int(rng.integers(0, 5))]
            online = bool(rng.integers(0, 2))
            asked = dict(S=sensitivity, curve=shape, direction=direction, online=online)
            found = KneeLocator(x, y, interp_method="interp1d", **asked)
            smooth = KneeLocator(x, y, interp_method="polynomial", polynomial_degree=3, **asked)
            cases.append({
                "name": f"{family} {number}", "x": x.tolist(), "y": y.tolist(), **asked,
                "expected": {
                    "kneed": {"knee": plain(found.knee)},
                    "kneed_polynomial": {"degree": 3, "knee": plain(smooth.knee)},
                    "triangle": triangle(x, y, rising, concave),
                    "kneeliverse": kneeliverse(x, y),
                },
            })
    versions = {name: version(name) for name in ("kneed", "kneeliverse", "numpy")}
    write("knees.json", {**versions, "cases": cases})


# Sizes of spaces ---------------------------------------------------------------------------------

BLOCKS = {"block_size_x": [1, 2, 4, 8, 16, 32, 64, 128, 256], "block_size_y": [1, 2, 4, 8, 16, 32],
          "work": [1, 2, 3, 4, 8], "tile": [2, 4, 6, 8, 12, 16, 24, 32]}
MIXED = {"n": list(range(-6, 13)), "x": [0.25, 0.5, 1.0, 2.5, 4.0], "padded": [0, 1],
         "precision": ["f16", "bf16", "f32", "f64"], "fused": [True, False]}
CHAIN = {name: [1, 2, 3, 4, 5, 6, 8, 10, 12, 16] for name in "abcde"}

RESTRICTED = [
    ("everything", BLOCKS, []),
    ("a chained comparison of a product", BLOCKS, ["32 <= block_size_x * block_size_y <= 1024"]),
    ("remainders", BLOCKS, ["block_size_x % (work * tile) == 0", "tile % work == 0"]),
    ("whole quotients and powers", BLOCKS, ["block_size_x // tile >= work", "2 ** work <= tile * 4"]),
    ("a quotient", BLOCKS, ["block_size_x / tile <= 4.5 or work / block_size_y > 0.25"]),
    ("alternatives and negation", BLOCKS,
     ["work == 1 or not (block_size_x > 64 and block_size_y != 4)", "tile > 2 and tile < 32"]),
    ("membership", BLOCKS, ["block_size_x in (16, 32, 128)", "tile not in [6, 12, 24] or work == 3"]),
    ("shared memory", BLOCKS,
     ["(block_size_x * work + tile) * (block_size_y + tile) * 4 <= 49152",
      "block_size_x * block_size_y >= 64", "block_size_x * block_size_y <= 1024"]),
    ("smallest, largest, absolute", BLOCKS,
     ["min(block_size_x, tile) * 2 >= max(work, block_size_y)", "abs(tile - work) > 3"]),
    ("negative numbers", MIXED, ["n % 5 == 2 or n // 4 == -2", "n * x > -3"]),
    ("fractions", MIXED, ["n * x == 5.0 or x < 0.3", "n > 0"]),
    ("texts", MIXED, ["precision == 'f16' or precision in ('f32', 'f64') and n >= 0", "padded == 0 or precision != 'f64'"]),
    ("truth", MIXED, ["fused or padded == 1", "not fused or precision != 'bf16'", "n > 3 or n == -1"]),
    ("a chain of divisors", CHAIN, ["b % a == 0", "c % b == 0", "d % c == 0", "e % d == 0"]),
    ("a bounded sum of everything", CHAIN, ["a + b + c + d + e <= 20", "a * b * c * d * e >= 100"]),
    ("equality of products", CHAIN, ["a * b == c * d", "e > 5"]),
]


def key(values):
    """A configuration in a word, as the keys of Kernel Tuner's caches are."""
    return ",".join(map(str, values))


def row_of(values):
    """A configuration as JSON without blanks."""
    return json.dumps(list(values), separators=(",", ":"))


def spaces():
    from constraint import FunctionConstraint
    from kernel_tuner.searchspace import Searchspace

    cases = []
    for name, parameters, restrictions in RESTRICTED:
        def asked(*values, parameters=parameters, restrictions=restrictions):
            named = dict(zip(parameters, values))
            return all(eval(text, {}, named) for text in restrictions)

        # `max_threads` is a restriction of its own on parameters named as block sizes are.
        limit, kind = 1 << 30, "text"
        try:
            built = Searchspace(parameters, list(restrictions), max_threads=limit)
        except (ValueError, TypeError, SyntaxError):
            # What its parser does not take, it takes as a function.
            kind = "function"
            built = Searchspace(parameters, [FunctionConstraint(asked)], max_threads=limit)
        # Python itself has the last word on both.
        rows = [()]
        for values in parameters.values():
            rows = [(*row, value) for row in rows for value in values]
        kept = {row_of(row) for row in rows if asked(*row)}
        theirs = {row_of(row) for row in built.list}
        assert theirs == kept, (name, len(theirs), len(kept))
        digest = hashlib.sha256("\n".join(sorted(theirs)).encode()).hexdigest()
        cases.append({"name": name, "parameters": parameters, "restrictions": restrictions,
                      "restrictions_given_as": kind, "valid": built.size,
                      "cartesian": len(rows), "sha256": digest})
        print(f"{built.size:7} of {len(rows):7}  {kind:8}  {name}")
    write("space_counts.json", {"kernel_tuner": version("kernel_tuner"), "cases": cases})


# Scores ------------------------------------------------------------------------------------------

RUNS = 25


def unpacked(folder, name):
    path = Path(folder) / name
    path.write_bytes(gzip.decompress((SPACES / f"{name}.gz").read_bytes()))
    return path


def traces(cache_file, strategy, limit, rows):
    """Runs of one of Kernel Tuner's strategies on a recorded space."""
    import kernel_tuner
    from constraint import FunctionConstraint
    from kernel_tuner import util

    cache = util.read_cache(str(cache_file), open_cache=False)
    positions = {name: at for at, name in enumerate(cache["cache"])}
    names = cache["tune_params_keys"]

    def recorded(*values):
        return key(values) in positions

    runs = []
    seed = 0
    while len(runs) < RUNS:
        random.seed(seed)
        np.random.seed(seed)
        options = {"time_limit": limit, "max_fevals": len(positions)}
        with contextlib.redirect_stdout(io.StringIO()):
            results, _ = kernel_tuner.tune_kernel(
                cache["kernel_name"], "", cache["problem_size"], [], cache["tune_params"],
                cache=str(cache_file), simulation_mode=True, quiet=True, strategy=strategy,
                strategy_options=options, restrictions=[FunctionConstraint(recorded)])
        seen, clock, run = set(), 0.0, {"seed": seed, "idx": [], "cum_s": []}
        for row in results:
            at = positions[key(row[name] for name in names)]
            # What a visit costs: everything the first time, the runs alone later.
            clock += rows[at]["runs"] if at in seen else rows[at]["cost"]
            seen.add(at)
            run["idx"].append(at)
            run["cum_s"].append(round(clock, 9))
        if len(run["idx"]) > 1:
            runs.append(run)
        seed += 1
    return runs


def scores():
    from types import SimpleNamespace

    from autotuning_methodology.baseline import RandomSearchCalculatedBaseline
    from autotuning_methodology.curves import StochasticOptimizationAlgorithm
    from autotuning_methodology.searchspace_statistics import SearchspaceStatistics

    class Unbagged(StochasticOptimizationAlgorithm):
        """The package averages fits to unseeded resamples; this is the fit to all points."""

        def _get_prediction_interval_bagging(self, x, y, x_test, **_):
            curve = self.get_isotonic_curve(x, y, x_test, ymin=y.min(), ymax=y.max())
            return np.stack([curve, curve, curve], 1)

    keys = ["compilation", "validation", "runtimes", "framework", "search_algorithm"]
    folder = tempfile.TemporaryDirectory()
    found = []
    for name in ["gemm_cpu"]:
        file = unpacked(folder.name, f"{name}.t4.json")
        cache = unpacked(folder.name, f"{name}.json")
        stats = SearchspaceStatistics(name, "cpu", True, keys, ["time"], file, full_validate=False)
        fevals = stats.cutoff_point_fevals_time_start_end(0.01, 0.95)
        baseline = RandomSearchCalculatedBaseline(stats)
        times = np.linspace(fevals[2], fevals[3], 1000)
        values = stats.objective_performances_total
        costs = stats.objective_times_total
        rows = [{"cost": float(cost), "runs": float(runs)}
                for cost, runs in zip(costs, stats.objective_times["runtimes"])]
        ascending = stats.objective_performances_total_sorted
        space = {
            "name": name, "optimum": float(stats.total_performance_absolute_optimum()),
            "median": float(stats.total_performance_median()),
            "cutoff_objective": float(stats.objective_performance_at_cutoff_point(0.95)),
            "fevals_start": int(fevals[0]), "fevals_end": int(fevals[1]),
            "time_start_s": float(fevals[2]), "time_end_s": float(fevals[3]),
            "median_total_time_s": float(stats.total_time_median()),
            "mean_time_per_feval_s": float(stats.get_time_per_feval("mean_per_feval")),
            "baseline": baseline.get_curve(times, "time").tolist(), "strategies": [],
        }
        for strategy in ["random_sample", "genetic_algorithm", "greedy_ils"]:
            runs = traces(cache, strategy, 2.5 * fevals[3], rows)
            longest = max(len(run["idx"]) for run in runs)
            clock, best = np.full((longest, RUNS), np.nan), np.full((longest, RUNS), np.nan)
            for column, run in enumerate(runs):
                clock[: len(run["idx"]), column] = run["cum_s"]
                best[: len(run["idx"]), column] = np.minimum.accumulate(values[run["idx"]])
            fevals_of = np.tile(np.arange(1, longest + 1)[:, None], (1, RUNS)).astype(float)
            results = SimpleNamespace(
                fevals_results=fevals_of, objective_time_results=clock.copy(),
                objective_time_results_per_key=clock[None].copy(),
                objective_performance_best_results=best,
                objective_performance_results_per_key=best[None])
            about = SimpleNamespace(
                group_name=strategy, device_name="cpu", application_name=name, stochastic=True,
                minimization=True, get_results=lambda: results)

            def score(kind):
                results.objective_time_results = clock.copy()
                curve = kind(about).get_curve_over_time(
                    times, dist=ascending, confidence_level=0.95, return_split=False)[2]
                return float(np.mean(baseline.get_standardised_curve(times, curve, "time")))

            np.random.seed(1)
            bagged = [score(StochasticOptimizationAlgorithm) for _ in range(20)]
            space["strategies"].append({
                "name": strategy, "score": score(Unbagged), "resampled": float(np.mean(bagged)),
                "runs": [[run["idx"], run["cum_s"]] for run in runs]})
            print(f"{name} {strategy}: {space['strategies'][-1]['score']:.4f}, "
                  f"resampled {np.mean(bagged):.4f} ± {np.std(bagged):.4f}")
        found.append(space)
    versions = {name: version(name) for name in ("autotuning_methodology", "kernel_tuner", "scikit-learn")}
    write("scores.json.gz", {**versions, "spaces": found})


# A cache that Kernel Tuner wrote -----------------------------------------------------------------

SOURCE = """
#if unroll == 3
#error "uses too much shared data"
#endif
extern "C" float stencil(float *c) {
  c[0] = scale;
  return 1.0f + block_size_x * 0.01f + unroll * 0.1f + scale * 0.001f;
}
"""


def cache():
    import kernel_tuner
    import kernel_tuner.backends.compiler
    from kernel_tuner import util
    from kernel_tuner.file_utils import store_output_file

    params = {"block_size_x": [16, 32, 64, 128], "unroll": [1, 2, 3, 4], "padded": [0, 1],
              "scale": [0.5, 1.5], "layout": ["rows", "columns"]}
    # The C backend stands for the device.
    kernel_tuner.backends.compiler.platform.processor = lambda: "a processor"
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/kernel_tuner.json"
        results, env = kernel_tuner.tune_kernel(
            "stencil", SOURCE, 64, [np.ones(64, dtype=np.float32)], params,
            lang="C", compiler="g++", cache=path, quiet=True, iterations=7,
            restrictions=["block_size_x * unroll <= 256", "layout == 'rows' or padded == 0"],
            metrics={"rate": lambda row: row["block_size_x"] / row["time"]})
        t4 = f"{folder}/kernel_tuner.t4.json"
        store_output_file(t4, results, params)
        for file in (path, t4):
            text = Path(file).read_bytes()
            target = SPACES / f"{Path(file).name}.gz"
            target.write_bytes(gzip.compress(text, 9, mtime=0))
            print(f"{target.stat().st_size:8} bytes  {target}")
        rows = util.read_cache(path, open_cache=False)["cache"]
        figures = []
        for name, row in rows.items():
            failed = "__error__" in row
            figures.append({
                "key": name, "error": str(row["__error__"]) if failed else None,
                "time": None if failed else row["time"],
                "times": None if failed else row["times"],
                "costs_ms": [float(row.get(cost, 0)) for cost in
                             ("compile_time", "verification_time", "framework_time")],
                "rate": row.get("rate"),
            })
        write("kernel_tuner.figures.json", {"kernel_tuner": version("kernel_tuner"),
                                            "best": min((f["time"], f["key"]) for f in figures if f["time"]),
                                            "rows": figures})


if __name__ == "__main__":
    known = {"knees": knees, "spaces": spaces, "scores": scores, "cache": cache}
    wanted = sys.argv[1:]
    if not wanted or not all(word in known for word in wanted):
        raise SystemExit(__doc__)
    for word in wanted:
        known[word]()
