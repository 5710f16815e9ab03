"""The checks of scripts/check-kernel-tuner; run that."""

import copy, glob, gzip, importlib.metadata, json, math, os, subprocess, sys, tempfile, warnings

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/autobench"
SHARED = [f"{up}/shared/data/spaces/convolution_A100.json.gz" for up in ("..", "../..")]
SPACE = sys.argv[2] if len(sys.argv) > 2 else next(filter(os.path.exists, SHARED), None)
SPACE = SPACE or "tests/corpus/records/cache.json"

warnings.simplefilter("ignore")
import jsonschema
from constraint import FunctionConstraint
import kernel_tuner
import kernel_tuner.backends.compiler
from kernel_tuner import file_utils, util


def autobench(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def rows_of(path):
    """Returns the rows as Kernel Tuner reads them, with failures as the names of their classes."""
    cache = util.read_cache(path, open_cache=False)["cache"]
    return {
        key: {name: str(value) if isinstance(value, util.ErrorConfig) else value for name, value in row.items()}
        for key, row in cache.items()
    }


def simulate(path, **options):
    cache = util.read_cache(path, open_cache=False)
    size = cache["problem_size"]
    keys = set(cache["cache"])

    def recorded(*values):
        return ",".join(map(str, values)) in keys

    return kernel_tuner.tune_kernel(
        cache["kernel_name"], "", tuple(size) if isinstance(size, list) else size, [],
        cache["tune_params"], cache=path, simulation_mode=True, quiet=True,
        restrictions=[FunctionConstraint(recorded)], **options,
    )


def passed(text):
    print(f"ok  {text}", flush=True)


def a_recorded_space(folder):
    plain, ours = f"{folder}/plain.json", f"{folder}/ours.json"
    text = (gzip.open if SPACE.endswith(".gz") else open)(SPACE, "rt").read()
    open(plain, "w").write(text)
    autobench("convert", SPACE, ours)
    theirs, written = rows_of(plain), rows_of(ours)
    assert theirs.keys() == written.keys()
    for key, row in theirs.items():
        for name, value in row.items():
            kept = written[key].get(name)
            if name == "__error__" or isinstance(value, str) and value.endswith("Config"):
                assert written[key]["__error__"] == value, (key, name)
            elif isinstance(value, float) and not math.isfinite(value):
                assert kept is None or not math.isfinite(kept), (key, name)
            else:
                assert kept == value, (key, name, value, kept)
    passed(f"{len(written)} rows of {os.path.basename(SPACE)} are what Kernel Tuner reads in the original")

    best = [simulate(path)[1]["best_config"] for path in (plain, ours)]
    assert best[0]["time"] == best[1]["time"]
    passed(f"its simulation of all rows finds the same best time, {best[0]['time']:.6f} ms")
    results, env = simulate(ours, strategy="genetic_algorithm", strategy_options={"max_fevals": 50})
    passed(f"its genetic algorithm makes {len(results)} evaluations in {env['simulated_time'] / 1e3:.1f} simulated seconds")
    return ours


def a_study(folder):
    autobench("tune", "vecadd", "--size", "4096", "--budget", "6", "--quiet", "--out", folder)
    (study,) = glob.glob(f"{folder}/*_vecadd_*")
    cache = f"{folder}/study.json"
    autobench("export", study, "--format", "kernel-tuner", "--output", cache)
    results, _ = simulate(cache)
    held = len(rows_of(cache))
    assert len(results) == held
    passed(f"a study on the cpu device: its {held} configurations are simulated")
    return study, cache


def going_on(cache):
    header = util.read_cache(cache, open_cache=False)
    before = copy.deepcopy(rows_of(cache))
    params = header["tune_params"]
    # Kernel Tuner's C backend takes the place of the device, since this machine may have no GPU.
    kernel_tuner.backends.compiler.platform.processor = lambda: header["device_name"]
    source = f"""extern "C" float {header["kernel_name"]}() {{ return 1.25f; }}"""
    results, _ = kernel_tuner.tune_kernel(
        header["kernel_name"], source, header["problem_size"], [], params, lang="C",
        cache=cache, quiet=True, strategy="random_sample", strategy_options={"max_fevals": len(before) + 5, "fraction": 1},
        compiler="g++",
    )
    after = rows_of(cache)
    new = after.keys() - before.keys()
    assert new and all(after[key] == row for key, row in before.items())
    json.load(open(cache))
    passed(f"it goes on in that file on its C backend: {len(new)} new rows, the old ones untouched")
    shown = json.loads(autobench("inspect", "--json", cache))
    assert shown["rows"] == len(after) and not shown["warnings"], shown
    text = open(cache).read()
    open(cache, "w").write(text[: text.rindex("\"time\"")])
    shown = json.loads(autobench("inspect", "--json", cache))
    assert shown["rows"] == len(after) - 1 and len(shown["warnings"]) == 1, shown
    passed("autobench reads the file it went on with, also when it was cut off inside a row")


def t4(folder, ours, study):
    version, schema = file_utils.output_file_schema("results")
    _, metadata = file_utils.output_file_schema("metadata")
    autobench("convert", ours, f"{folder}/recorded.t4.json")
    autobench("export", study, "--format", "t4", "--output", f"{folder}/study.t4.json")
    for path in (f"{folder}/recorded.t4.json", f"{folder}/study.t4.json"):
        document = json.load(open(path))
        jsonschema.validate(document, schema)
        jsonschema.validate(document, metadata)
        passed(f"{len(document['results'])} results are valid by its T4 schema {version}")

    cache = util.read_cache(ours, open_cache=False)
    results = [dict(row) for row in cache["cache"].values()]
    for row in results:
        row.setdefault("benchmark_time", 0)
    file_utils.store_output_file(f"{folder}/theirs.json", results, cache["tune_params"])
    shown = json.loads(autobench("inspect", "--json", f"{folder}/theirs.json"))
    assert shown["rows"] == len(results), shown
    assert shown["best_ms"] == json.loads(autobench("inspect", "--json", ours))["best_ms"]
    passed("autobench reads the T4 results that Kernel Tuner writes of the same rows")


with tempfile.TemporaryDirectory() as folder:
    ours = a_recorded_space(folder)
    study, cache = a_study(folder)
    t4(folder, ours, study)
    going_on(cache)
print(f"Kernel Tuner {importlib.metadata.version('kernel_tuner')} agrees")
