"""The data of one size: arguments as they were made, and copies on which kernels run.

Runs find their data in memory and not in a cache if enough bytes lie between two uses of the same
bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _device

MOST_COPIES = 1 << 16
"""Most copies of small arguments. With more, making them takes longer than measuring."""

LEAST = 16 << 20
"""Least bytes between two uses: devices may have caches that they do not report."""

CACHES = 2
"""Bytes between two uses as a multiple of the last-level cache."""

MEASURED_ABOVE = 64 << 20
"""A larger cache is mostly used by others, so it is measured how much of it serves us."""

FALLS = 0.8
"""Bytes that do not fit a cache are read at most at this share of the speed of few bytes."""

LEVEL = 0.9
"""Bytes are cold if twice as many are read at this share of their speed or more."""

PASSES = 3
SHARE = 1 / 64
"""Share of the free memory that copies of one size may take: dozens of sizes are open at a time."""


def copies(one: int, wanted: int) -> int:
    """Returns how many copies of so many bytes are together as large as is wanted."""
    return 1 if one == 0 else min(max(-(-wanted // one), 1), MOST_COPIES)


class Data:
    """The data of an open size."""

    def __init__(self, arguments: Sequence[Any], wanted: int) -> None:
        """Copies arguments until the copies have `wanted` bytes together, once if that is 0."""
        self.originals = tuple(arguments)
        self.bytes = _arrays.total_bytes(self.originals)
        count = copies(self.bytes, wanted)
        self.ring = [_arrays.deep_copy(self.originals) for _ in range(count)]
        self.turns: Iterator[tuple[Any, ...]] = itertools.cycle(self.ring)
        self.expected: tuple[Any, ...] | None = None

    @property
    def footprint(self) -> int:
        """Bytes of all copies, and of the arguments if nobody else has them."""
        return self.bytes * (len(self.ring) + 1)

    def first(self) -> tuple[Any, ...]:
        """Returns the first copy, with its content as it was made."""
        _arrays.restore(self.ring[0], self.originals)
        return self.ring[0]

    def runner(
        self, kernel: Callable[..., Any], options: dict[str, Any], runs: int
    ) -> Callable[[], None]:
        """Returns a function that runs a kernel so many times, each on the next copy."""
        turns = itertools.islice(self.turns, runs)

        def run() -> None:
            for arguments in turns:
                kernel(*arguments, **options)

        return run


def enough(cache: int, free: int, *, on_processor: bool) -> int:
    """Returns the bytes that copies must have together to be cold, within the free memory."""
    most = max(int(free * SHARE), LEAST)
    if not on_processor:
        return min(max(CACHES * cache, LEAST), most)
    sizes = _device.caches()
    own = sum(sizes[level] for level in sizes if level < max(sizes)) * _device.usable_cpus()
    wanted = CACHES * cache
    if cache > MEASURED_ABOVE:
        wanted = _measured(min(wanted, most))
    return min(max(wanted + CACHES * own, LEAST), most)


def _measured(wanted: int) -> int:
    """Returns twice the bytes from which on reading becomes no slower, at most `wanted`."""
    memory = np.empty(wanted // 8, np.uint64)  # Only what is written takes memory.
    speeds: list[float] = []
    part = LEAST
    while part <= wanted:
        memory[: part // 8] = 1
        speeds.append(_speed(memory[: part // 8]))
        if len(speeds) > 1 and speeds[-2] < FALLS * speeds[0] and speeds[-1] > LEVEL * speeds[-2]:
            return part
        part *= 2
    return wanted


def _speed(memory: NDArray[np.uint64]) -> float:
    """Returns the bytes per second at which memory is read again and again."""
    memory.max()
    seconds = []
    for _ in range(PASSES):
        begin = perf_counter()
        memory.max()
        seconds.append(perf_counter() - begin)
    return memory.nbytes / min(seconds)
