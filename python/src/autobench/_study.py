"""A study as Python sees it: read from its folder, with the program's own reading of it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from . import _program
from ._size_table import html_table, text_table
from .errors import SettingsError

Configuration = dict[str, Any]
"""Parameters with their values."""


@dataclass(frozen=True)
class SizePoint:
    """What a study knows of one size.

    >>> point = SizePoint(64, {"BLOCK": 8}, 1e-3, (9e-4, 2e-3), None, None, 0.0, 1.5, False)
    >>> point.configuration["BLOCK"], point.gain
    (8, 1.5)
    """

    size: int
    configuration: Configuration
    """The best configuration."""
    seconds: float
    """Its run time: the median of all samples."""
    interval: tuple[float, float]
    """The 95 % interval of that."""
    metric: float | None
    """The benchmark's metric, such as GB/s; its unit is ``study.unit``."""
    metric_interval: tuple[float, float] | None
    error: float | None
    """The error against the reference."""
    gain: float | None
    """Run time of the default configuration over that of the best."""
    unsettled: bool
    """Whether time ran out before the run time was precise."""


class Study:
    """The results in a study's folder.

    >>> study = Study("out/20261130T110226Z_add_cpu_kneedle")       # doctest: +SKIP
    >>> study.knee, study.best(100_000)                             # doctest: +SKIP
    (46656, {'BLOCK': 128, 'num_warps': 2})
    >>> add(x, y, out, **study.best(len(x)))                        # doctest: +SKIP
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        """The folder of the results."""
        if not (self.folder / "study.json").is_file():
            raise SettingsError(f"`{self.folder}` holds no study", hint="name the folder of one")

    @cached_property
    def document(self) -> dict[str, Any]:
        """Everything that is known, as ``autobench export --format json`` gives it.

        >>> study.document["progress"]                              # doctest: +SKIP
        'finished'
        """
        text = _program.call(["export", self.folder, "--format", "json", "--output", "-"])
        return cast("dict[str, Any]", json.loads(text))

    @property
    def _benchmark(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.document["study"]["benchmark"])

    @property
    def name(self) -> str:
        """The benchmark's name.

        >>> study.name                                              # doctest: +SKIP
        'add'
        """
        return str(self._benchmark["name"])

    @property
    def device(self) -> str:
        """The device's name.

        >>> study.device                                            # doctest: +SKIP
        'NVIDIA H200'
        """
        return str(self.document["study"]["device"]["name"])

    @property
    def unit(self) -> str:
        """The unit of ``metric`` of the sizes.

        >>> study.unit                                              # doctest: +SKIP
        'GB/s'
        """
        return str(self._benchmark["secondary"]["unit"])

    @property
    def finished(self) -> bool:
        """Whether the study ended by itself.

        >>> study.finished                                          # doctest: +SKIP
        True
        """
        return bool(self.document["progress"] == "finished")

    @property
    def knee(self) -> int | None:
        """The size that saturates the device; None if there is none.

        >>> study.knee                                              # doctest: +SKIP
        46656
        """
        accepted = self.document["accepted"]
        return None if accepted is None else int(accepted["size"])

    @property
    def knee_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the knee.

        >>> study.knee_interval                                     # doctest: +SKIP
        (34422.0, 63237.0)
        """
        accepted = self.document["accepted"] or {}
        for found in self.document["knees"]:
            if found["detector"] == accepted.get("detector") and found["interval"]:
                return _pair(found["interval"])
        return None

    @property
    def confidence(self) -> str:
        """How far the knee can be relied on: ``settled``, ``weak`` or ``none``.

        >>> study.confidence                                        # doctest: +SKIP
        'settled'
        """
        accepted = self.document["accepted"] or {}
        return str(accepted.get("confidence") or "none")

    @cached_property
    def sizes(self) -> list[SizePoint]:
        """All sizes with an answer, ascending.

        >>> [point.size for point in study.sizes]                   # doctest: +SKIP
        [4096, 6144, 9216]
        """
        closed = (one["closed"] for one in self.document["sizes"])
        points = [_point(one) for one in closed if one is not None and one["best"] is not None]
        return sorted(points, key=lambda point: point.size)

    @property
    def trials(self) -> list[dict[str, Any]]:
        """All trials, a flat row for each: trial, size, phase, status, reason, seconds, parameters.

        >>> study.trials[0]["status"]                               # doctest: +SKIP
        'measured'
        """
        return [_row(one) for one in self.document["trials"]]

    def at(self, size: int | None = None) -> SizePoint:
        """Returns the measured size that is nearest to a size by ratio.

        Without a size, returns the one at the knee, or else the largest.

        >>> study.at(50_000).seconds                                # doctest: +SKIP
        2.29e-05
        """
        if not self.sizes:
            raise SettingsError(f"`{self.folder}` has no answer yet", hint="ab.resume goes on")
        if size is None:
            size = self.knee or self.sizes[-1].size
        asked = max(size, 1)
        return min(self.sizes, key=lambda point: max(point.size / asked, asked / point.size))

    def best(self, size: int | None = None) -> Configuration:
        """Returns the best configuration for a size, to be passed to the kernel by name.

        Without a size, returns the one at the knee, or else at the largest size.

        >>> study.best(1_000_000)                                   # doctest: +SKIP
        {'BLOCK': 256, 'num_warps': 4}
        """
        return dict(self.at(size).configuration)

    def table(self) -> str:
        """Returns a table of all sizes with their best configurations.

        >>> print(study.table())                                    # doctest: +SKIP
          size     time   GB/s  gain  best configuration
          4096  2.64 µs   18.6   1.2  BLOCK=128
        """
        return text_table(self.sizes, self.unit, self.knee)

    def report(self) -> Path:
        """Returns the path of the report, a page that loads nothing from elsewhere.

        >>> import webbrowser
        >>> webbrowser.open(study.report().as_uri())                # doctest: +SKIP
        """
        page = self.folder / "report.html"
        if not page.is_file():
            _program.call(["export", self.folder, "--format", "report", "--output", page])
        return page.resolve()

    def to_pandas(self, what: str = "sizes") -> Any:
        """Returns a pandas.DataFrame of the ``sizes`` or of the ``trials``.

        >>> study.to_pandas().plot("size", "metric", logx=True)     # doctest: +SKIP
        """
        pandas = import_module("pandas")
        if what == "trials":
            return pandas.DataFrame(self.trials)
        if what != "sizes":
            raise ValueError(f"there is no table `{what}`; there are `sizes` and `trials`")
        rows = [{**vars(point), **point.configuration} for point in self.sizes]
        return pandas.DataFrame(rows).drop(columns="configuration")

    def __str__(self) -> str:
        return _program.call(["show", self.folder, "--no-source"]).rstrip()

    def __repr__(self) -> str:
        return f"<autobench.Study {os.fspath(self.folder)!r}>"

    def _repr_html_(self) -> str:
        picture = ""
        for name in ("saturation.svg", "tuning.svg"):
            if (self.folder / name).is_file():
                picture = (self.folder / name).read_text()
                break
        return f"{picture}{html_table(self.sizes, self.unit, self.knee)}"


def load(folder: str | os.PathLike[str]) -> Study:
    """Returns the study in a folder, finished or not.

    >>> load("out/20261130T110226Z_add_cpu_kneedle").knee           # doctest: +SKIP
    46656
    """
    return Study(folder)


def _pair(interval: Any) -> tuple[float, float]:
    return float(interval[0]), float(interval[1])


def _point(closed: dict[str, Any]) -> SizePoint:
    best = closed["best"]
    metric = best.get("metric") or {}
    return SizePoint(
        size=closed["size"],
        configuration=best["configuration"],
        seconds=best["seconds"]["median"],
        interval=_pair(best["seconds"]["interval"]),
        metric=metric.get("value"),
        metric_interval=_pair(metric["interval"]) if metric.get("interval") else None,
        error=best.get("error"),
        gain=closed.get("gain"),
        unsettled=bool(best.get("unsettled", False)),
    )


def _row(trial: dict[str, Any]) -> dict[str, Any]:
    result = trial["result"]
    outcome = result["outcome"]
    measurement = outcome.get("measurement") or {}
    seconds = measurement.get("seconds") or {}
    return {
        "trial": trial["trial"],
        "size": result.get("size"),
        "phase": result["phase"],
        "status": outcome["status"],
        "reason": outcome.get("reason") or "",
        "seconds": seconds.get("median"),
        "samples": seconds.get("count", 0),
        "error": measurement.get("error"),
        **result["configuration"],
    }
