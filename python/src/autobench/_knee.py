"""``knee``: the knee of a measured curve, by the program's detectors."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ._program import call, flags


class Knee(NamedTuple):
    """A detector's answer.

    >>> knee([1, 10, 100, 1000, 10000], [1, 8, 9, 9.5, 9.6]).detector   # doctest: +SKIP
    'kneedle'
    """

    x: float | None
    """The knee; None if there is none."""
    interval: tuple[float, float] | None
    """Its 95 % interval."""
    share: float | None
    """y at the knee over the level that the curve reaches."""
    confidence: str
    """How far it can be relied on: ``settled``, ``weak`` or ``none``."""
    why: str
    """How it was found, or why there is none."""
    against: tuple[str, ...]
    """What speaks against it."""
    detector: str


def knee(
    x: Iterable[float],
    y: Iterable[float],
    detector: str = "kneedle",
    *,
    x_scale: str = "log",
    curve: str = "concave",
    direction: str = "increasing",
) -> Knee:
    """Finds the knee of a curve: the point from which more of ``x`` hardly pays in ``y``.

    Points may be in any order, and a value of ``x`` may come again. ``autobench list knees`` shows
    the detectors. ``x_scale`` is ``log`` or ``linear``; ``curve`` is ``concave``, like a throughput
    that saturates, or ``convex``, like an elbow; ``direction`` is ``increasing`` or ``decreasing``.

    >>> sizes = [2**power for power in range(4, 24)]
    >>> knee(sizes, [n / (n + 5000) for n in sizes]).x
    65536.0
    """
    options = flags(
        {"detector": detector, "x_scale": x_scale, "curve": curve, "direction": direction}
    )
    with TemporaryDirectory(prefix="autobench-") as folder:
        file = Path(folder) / "curve.csv"
        file.write_text("".join(f"{a!r},{b!r}\n" for a, b in _pairs(x, y)))
        (answer,) = json.loads(call(["knee", file, "--json", *options]))
    interval = answer["interval"]
    return Knee(
        x=answer["knee_x"],
        interval=interval and (interval[0], interval[1]),
        share=answer["share"],
        confidence=answer["confidence"],
        why=answer["why"],
        against=tuple(answer["against"]),
        detector=answer["detector"],
    )


def _pairs(x: Iterable[float], y: Iterable[float]) -> list[tuple[float, float]]:
    xs, ys = [float(value) for value in x], [float(value) for value in y]
    if len(xs) != len(ys):
        raise ValueError(f"x has {len(xs)} values and y has {len(ys)}; give one y for each x")
    pairs = list(zip(xs, ys, strict=True))
    for at, (a, b) in enumerate(pairs):
        if not (math.isfinite(a) and math.isfinite(b)):
            raise ValueError(f"the point {at} is ({a}, {b}), which is not finite; leave it out")
    return pairs
