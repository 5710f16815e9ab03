"""``do_bench``: the time of a callable, as Triton's function of that name takes it.

One run is timed alone, after a write over the cache, so that it finds its data in memory. Times are
milliseconds.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from . import _device
from ._arrays import known
from ._gpu_clocks import clock_for

ESTIMATED = 5
"""Runs from which the time of one is estimated, which decides how many follow."""

FEWEST = 6
"""Fewest samples whose smallest and largest enclose the median with a probability of 95 %."""

MODES = ("mean", "median", "min", "max", "all", "interval")

GPU_FLUSH = 256 << 20
"""Bytes that are written to overwrite the cache of a GPU, as in Triton."""

CPU_FLUSH = 64 << 20
"""Most bytes that are written to overwrite a processor's cache: a write takes time."""


class Interval(NamedTuple):
    """A median and its 95 % interval, in milliseconds.

    >>> Interval(median=1.0, low=0.9, high=1.1).high
    1.1
    """

    median: float
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""


@overload
def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: None = None,
    return_mode: Literal["min", "max", "mean", "median"] = "mean",
) -> float: ...
@overload
def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: None = None,
    *,
    return_mode: Literal["all"],
) -> list[float]: ...
@overload
def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: None = None,
    *,
    return_mode: Literal["interval"],
) -> Interval: ...
@overload
def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[Any] | None = None,
    *,
    quantiles: Sequence[float],
    return_mode: str = "mean",
) -> float | list[float]: ...


def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> float | list[float] | Interval:
    """Times ``fn`` in milliseconds, with the signature and results of ``triton.testing.do_bench``.

    ``fn`` runs for about ``warmup`` milliseconds, and is then timed for about ``rep`` milliseconds,
    with the writes over the cache in between. Events of torch or CuPy take the time if the program
    has imported one of them and there is a GPU, and otherwise the processor's clock does. The
    ``grad`` of the tensors ``grad_to_none`` is set to None before every run.

    With ``quantiles`` these are returned, a single one as a number. Otherwise ``return_mode`` says
    what is: ``mean``, ``median``, ``min``, ``max``, ``all`` (every time), or ``interval``, the
    median with its 95 % interval.

    >>> do_bench(lambda: sum(range(1000)), warmup=1, rep=5) > 0
    True
    >>> found = do_bench(lambda: sum(range(1000)), warmup=1, rep=5, return_mode="interval")
    >>> found.low <= found.median <= found.high
    True

    Triton tunes with it: ``triton.autotune(configs=…, key=…, do_bench=ab.do_bench)``.
    """
    if return_mode not in MODES:
        raise ValueError(f"no return mode named `{return_mode}` (known: {', '.join(MODES)})")
    timer = _Timer()
    timer.begin(fn)
    tensors = list(grad_to_none or ())
    begin = perf_counter()
    timer.times(fn, ESTIMATED, tensors)
    each = (perf_counter() - begin) * 1e3 / ESTIMATED
    for _ in range(max(1, int(warmup / each))):
        timer.run(fn)
    runs = max(FEWEST if return_mode == "interval" else 1, int(rep / each))
    times = timer.times(fn, runs, tensors)
    if quantiles is not None:
        of_times = [_quantile(sorted(times), share) for share in quantiles]
        return of_times[0] if len(of_times) == 1 else of_times
    if return_mode == "all":
        return times
    if return_mode == "interval":
        return _interval(times)
    summary: dict[str, Callable[[list[float]], float]] = {
        "mean": statistics.fmean,
        "median": statistics.median,
        "min": min,
        "max": max,
    }
    return summary[return_mode](times)


def do_bench_in_turn(
    fns: Sequence[Callable[[], object]], *, repeat: int, desc: str | None = None
) -> list[float]:
    """Times callables in turn, and returns the median of each in milliseconds.

    Each of ``repeat`` passes runs all of them, so what slows the machine for a while slows all.
    ``desc`` says what is compared; it is there for Helion, whose setting takes this function:
    ``helion.kernel(autotune_benchmark_fn=ab.do_bench_in_turn)``.

    >>> short, long = do_bench_in_turn([lambda: sum(range(9)), lambda: sum(range(9999))], repeat=9)
    >>> short < long
    True
    """
    del desc
    timer = _Timer()
    for fn in fns:
        timer.begin(fn)
    passes = [[timer.times(fn, 1, ())[0] for fn in fns] for _ in range(max(1, repeat))]
    return [statistics.median(times) for times in zip(*passes, strict=True)]


class _Timer:
    """Times runs one by one, each after a write over the cache.

    A GPU is held back until a run is launched. The package that a program has imported says where
    it runs: a callable for a GPU has imported one.
    """

    def __init__(self) -> None:
        torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
        self.cache: Any
        if torch is not None and torch.cuda.is_available():
            about = torch.cuda.get_device_properties(torch.cuda.current_device())
            flushed = max(GPU_FLUSH, 2 * getattr(about, "L2_cache_size", 0))
            self.cache = torch.empty(flushed, dtype=torch.int8, device="cuda")
        elif cupy is not None and cupy.is_available():
            self.cache = cupy.empty(GPU_FLUSH, dtype=cupy.int8)
        else:
            self.cache = np.empty(min(CPU_FLUSH, _device.last_cache() or CPU_FLUSH), np.int8)
        self.clock = clock_for([self.cache])
        self.launching: dict[int, float] = {}

    def begin(self, fn: Callable[[], object]) -> None:
        """Runs for the first time, and finds out how long launching takes."""
        self.run(fn)
        self.launching[id(fn)] = self.clock.launching(fn)

    def run(self, fn: Callable[[], object]) -> None:
        """Runs to the end, and takes no time."""
        fn()
        self.clock.synchronise()

    def times(
        self, fn: Callable[[], object], runs: int, grad_to_none: Iterable[Any]
    ) -> list[float]:
        """Returns the milliseconds of each run."""
        return [self._time(fn, grad_to_none) for _ in range(runs)]

    def _time(self, fn: Callable[[], object], grad_to_none: Iterable[Any]) -> float:
        for tensor in grad_to_none:
            tensor.grad = None
        known(self.cache).fill(self.cache, 0)
        return self.clock.seconds(fn, self.launching[id(fn)]) * 1e3


def _quantile(ordered: list[float], share: float) -> float:
    """A quantile of sorted times; between two of them it is interpolated."""
    if not 0 <= share <= 1:
        raise ValueError(f"a quantile is a number from 0 to 1, not {share}")
    place = share * (len(ordered) - 1)
    below, above = math.floor(place), math.ceil(place)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _interval(times: list[float]) -> Interval:
    """The median and the order statistics that enclose it with a probability of 95 %.

    The number of times below the true median is binomial with probability 1/2, whatever their
    distribution is. Fewer than six times give their range, which encloses it less often.
    """
    ordered, count = sorted(times), len(times)
    rank, outside = 0, 0.0
    for below in range(count // 2):
        outside += math.exp(
            math.lgamma(count + 1)
            - math.lgamma(below + 1)
            - math.lgamma(count - below + 1)
            - count * math.log(2)
        )
        if outside > 0.025:
            break
        rank = below
    return Interval(statistics.median(ordered), ordered[rank], ordered[count - 1 - rank])
