"""``tune_kernel``: tunes a kernel in CUDA C++, called as Kernel Tuner 1.x is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from . import _kernel_asked as asked
from . import _kernel_results as results
from ._description import plain
from ._kernel import Kernel
from ._kernel_cache import Cache
from ._kernel_study import SAMPLES, KernelStudy

DEFAULT_EVALUATIONS = 100
"""Evaluations of a strategy without a limit, as in most of Kernel Tuner's."""


def tune_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Sequence[Any] | None = None,
    atol: float = 1e-6,
    verify: Any = None,
    verbose: bool = False,
    lang: str | None = None,
    device: int | str = 0,
    platform: int = 0,
    smem_args: Mapping[str, Any] | None = None,
    cmem_args: Mapping[str, Any] | None = None,
    texmem_args: Mapping[str, Any] | None = None,
    compiler: str | None = None,
    compiler_options: Sequence[str] | None = None,
    defines: Mapping[str, Any] | None = None,
    log: Any = None,
    iterations: int = 7,
    block_size_names: Sequence[str] | None = None,
    quiet: bool = False,
    strategy: str | None = None,
    strategy_options: Mapping[str, Any] | None = None,
    cache: str | Path | None = None,
    metrics: Mapping[str, Any] | None = None,
    simulation_mode: bool | None = None,
    parallel: bool | int | None = None,
    observers: Any = None,
    objective: str | None = None,
    objective_higher_is_better: bool | None = None,
    objectives: Mapping[str, bool] | None = None,
    seed: int | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Tunes a kernel in CUDA C++, with the arguments and results of Kernel Tuner's function.

    The kernel runs on an NVIDIA or AMD GPU, or, where there is none, on the processor. The result
    is a list with a row for each configuration (its parameters, ``time`` and ``times`` in
    milliseconds, the metrics, what it cost, or ``__error__``), and a mapping ``env`` with
    ``device_name``, ``best_config``, ``study`` (the folder) and where the time went.

    Runs find their data in memory and not in a cache, and go on until their median is known within
    a percent: that is ``time``, and ``iterations`` only raises the limit of their number. A
    configuration with a wrong result becomes a row, and the others go on. ``device`` may also be a
    device as the program names it, such as ``"cpu"``. Everything else that differs raises
    ``NotImplementedError``.

    >>> import numpy as np
    >>> source = '''
    ... __global__ void add(float *c, const float *a, const float *b, int n) {
    ...   int i = blockIdx.x * block_size_x + threadIdx.x;
    ...   if (i < n) c[i] = a[i] + b[i];
    ... }'''
    >>> a, b = np.random.rand(2, 100_000).astype(np.float32)
    >>> rows, env = tune_kernel(                                    # doctest: +SKIP
    ...     "add", source, a.size, [np.zeros_like(a), a, b, np.int32(a.size)],
    ...     {"block_size_x": [64, 128, 256]}, answer=[a + b, None, None, None],
    ... )
    >>> env["best_config"]["block_size_x"]                          # doctest: +SKIP
    128
    """
    begin = perf_counter()
    asked.refuse(
        texmem_args=(texmem_args, "read the data through a pointer"),
        observers=(observers, "use ab.tune, which has objectives such as energy"),
        objectives=(objectives, "give one `objective`, or use ab.tune with several"),
        compiler=(compiler, "the variable CXX names the compiler of the cpu device"),
        platform=(platform or None, "only OpenCL has platforms"),
    )
    exhaustive = strategy in (None, "brute_force")
    parameters = {
        name: list(dict.fromkeys(plain(name, value) for value in given))
        for name, given in tune_params.items()
    }
    metrics = dict(metrics or {})
    objective = objective or "time"
    higher = asked.direction(objective, objective_higher_is_better)
    place, device_name = asked.place(asked.backend(kernel_source, lang), device, parallel)
    kernel = Kernel(
        name=kernel_name,
        source=kernel_source,
        problem_size=problem_size,
        arguments=list(arguments),
        parameters=parameters,
        grid_divisors=(grid_div_x, grid_div_y, grid_div_z),
        restrictions=restrictions,
        answer=None if verify else answer,
        atol=atol,
        shared_memory=dict(smem_args or {}),
        constants=dict(cmem_args or {}),
        defines=defines,
        compiler_options=list(compiler_options or ()),
        block_names=asked.block_names(block_size_names, parameters),
        metric=asked.metric(objective, higher, metrics, exhaustive=exhaustive),
        device=place.partition(":")[0],
    )
    known = Cache(
        cache,
        {
            "device_name": device_name,
            "kernel_name": kernel_name,
            "problem_size": problem_size,
            "tune_params_keys": list(parameters),
            "tune_params": parameters,
            "objective": objective,
        },
    )
    knobs = dict(strategy_options or {})
    knobs.pop("searchspace_construction_options", None)
    evaluations = knobs.pop("max_fevals", None if exhaustive else DEFAULT_EVALUATIONS)
    options = {
        "strategy": "exhaustive" if exhaustive else strategy,
        "time": knobs.pop("time_limit", None),
        "samples": max(SAMPLES, iterations),
        "seed": seed,
        "knob": knobs,
    }
    if not quiet:
        print(f"Using: {device_name}")
    with TemporaryDirectory(prefix="autobench-") as folder:
        study = KernelStudy(kernel, Path(folder), place, quiet=quiet)
        if simulation_mode:
            rows = study.replay(known, evaluations, options)
        else:
            rows = study.search(known, evaluations, options)
        if verify:
            if not simulation_mode:
                known.write(rows)
            study.verify(rows, answer, verify, atol)
    results.warn_of_wrong(rows, study.wrong)
    for row in rows:
        results.add_metrics(row, metrics)
    if not simulation_mode:
        known.write(rows)
    # The study's answer is one of its fastest, after fresh samples of these. Rows that were known
    # compete with it.
    candidates = rows
    if study.best and "__error__" not in study.best and (objective == "time" or kernel.metric):
        candidates = [row for row in rows if row in known.rows or row is study.best]
    best = results.best_of(candidates, objective, higher)
    if best and not quiet:
        names = [*parameters, objective, *(name for name in metrics if name != objective)]
        print(f"\nBEST PERFORMING CONFIGURATION FOR OBJECTIVE {objective}:")
        print(results.shown(best, names))
    env = {
        "device_name": device_name,
        "study": study.folder and str(study.folder),
        "best_config": best,
        **results.totals(rows, (perf_counter() - begin) * 1e3),
    }
    return rows, env
