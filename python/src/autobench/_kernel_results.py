"""Rows of ``tune_kernel``: metrics, the best of them, and the members of ``env``."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._kernel import WORD
from ._kernel_cache import Row
from .errors import NothingValidError

COSTS = ("framework_time", "strategy_time", "compile_time", "verification_time", "benchmark_time")
"""Milliseconds that a configuration cost, as Kernel Tuner divides them."""

DIRECTIONS = {
    **dict.fromkeys(("time", "energy", "cost", "loss"), False),
    **dict.fromkeys(("fitness", "GFLOP/s", "TFLOP/s", "GB/s", "TB/s"), True),
    **dict.fromkeys(("GFLOPS/W", "TFLOPS/W", "GFLOP/J", "TFLOP/J"), True),
}
"""Whether more is better, for the objectives that Kernel Tuner knows."""

WRONG = "RuntimeFailedConfig"
"""Kernel Tuner's word for a configuration that ran and failed."""


def add_metrics(row: Row, metrics: Mapping[str, Any]) -> None:
    """Adds the user's metrics to a measured row. Later ones may use earlier ones."""
    if "__error__" in row:
        return
    for name, metric in metrics.items():
        if callable(metric):
            row[name] = metric(row)
        elif isinstance(metric, str):
            # A text of the user's own script, in Python as in Kernel Tuner.
            row[name] = eval(metric, {"math": math, "np": np, **row})
        else:
            raise ValueError(f"the metric `{name}` is a text or a function, not {metric!r}")


def expression(metric: str, metrics: Mapping[str, Any]) -> str:
    """Returns a metric as an expression of the program, whose times are seconds."""

    def replaced(word: re.Match[str]) -> str:
        other = metrics.get(word[0])
        if word[0] == "time":
            return "(seconds * 1000)"
        return f"({expression(other, metrics)})" if isinstance(other, str) else word[0]

    return WORD.sub(replaced, metric)


def mark_wrong(row: Row) -> None:
    """Makes a row one of a configuration with a wrong result."""
    row["__error__"] = WRONG
    row.pop("time", None)


def warn_of_wrong(rows: Sequence[Row], wrong: int) -> None:
    """Says how many configurations had wrong results. Raises if none was right."""
    if wrong and all("__error__" in row for row in rows):
        raise NothingValidError(
            f"none of {len(rows)} configurations was right, and {wrong} ran",
            hint="compare the kernel's output with `answer` for one configuration",
        )
    if wrong:
        warnings.warn(
            f"{wrong} of {len(rows)} configurations had wrong results; "
            "they are rows with `__error__`",
            stacklevel=3,
        )


def best_of(rows: Sequence[Row], objective: str, higher_is_better: bool) -> Row:
    """Returns the best of the measured rows; an empty one if there is none."""
    measured = [row for row in rows if "__error__" not in row and objective in row]
    choose = max if higher_is_better else min
    return choose(measured, key=lambda row: float(row[objective]), default={})


def totals(rows: Sequence[Row], milliseconds: float) -> Row:
    """Returns the members of ``env`` that say where the time of a call went."""
    sums = {f"total_{cost}": sum(row.get(cost, 0.0) for row in rows) for cost in COSTS}
    return {**sums, "overhead_time": milliseconds - sum(sums.values())}


def shown(row: Row, names: Sequence[str]) -> str:
    """Returns some members of a row as a line."""
    texts = (f"{row[name]:.3f}" if isinstance(row[name], float) else row[name] for name in names)
    return ", ".join(f"{name}={text}" for name, text in zip(names, texts, strict=True))
