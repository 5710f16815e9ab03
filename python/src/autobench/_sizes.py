"""Sizes: the first, the largest, and the bytes of each, from the arguments of small sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._arrays import arrays, known

Make = Callable[[int], tuple[Any, ...]]
"""Makes the arguments of a size."""

SMALLEST = 16
"""The first size that is tried."""

START_BYTES = 16 << 10
"""The first size of a study has at least so many bytes, if arguments are asked for it."""

FEWEST = 16
"""Least ratio of the largest size and the first, if the arrays allow it."""

PROBED_BYTES = 16 << 20
"""Arguments are asked for larger sizes until arrays of so many bytes are made for it."""


CHECKED = 128
"""Arrays of smaller sizes may be padded."""

GROWS = 0.9
"""An array that is as long as it should be grows at this share of its growth before, or more."""

CONSTANT = 10
"""Arrays that have not grown after so many doublings do not depend on the size."""


class Unsized(Exception):
    """Why sizes cannot be found out, as one sentence."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of a study, and what they need."""

    start: int
    largest: int | None
    points: tuple[tuple[int, int], ...]
    """Sizes with the bytes of their arrays, ascending."""

    def bytes(self, size: int) -> int:
        """Returns the bytes of a size, between and beyond `points` by powers of the size."""
        known_points = [point for point in self.points if point[1] > 0]
        if len(known_points) < 2:
            return known_points[0][1] if known_points else 0
        after = next((at for at, point in enumerate(known_points) if point[0] >= size), None)
        last = len(known_points) - 1
        at = last if after is None else max(after, 1)
        (low, low_bytes), (high, high_bytes) = known_points[at - 1 : at + 1]
        power = math.log(high_bytes / low_bytes) / math.log(high / low)
        return int(high_bytes * (size / high) ** power)


def find(make: Make, given: tuple[int, int] | None) -> Sizes:
    """Finds the sizes of a study by asking for arguments of doubled sizes."""
    start, largest = given if given is not None else (SMALLEST, None)
    first = last = _Probe(make, start)
    if start == largest:
        _refuse_ended(make, last)
    points = {start: last.total}
    if not last.bytes:
        if given is None:
            raise Unsized("`arguments` gives no arrays; give sizes=(start, largest)")
        return Sizes(start, largest, ())
    bound = None
    while last.made < PROBED_BYTES and (largest is None or last.size < largest):
        size = 2 * last.size if largest is None else min(2 * last.size, largest)
        probe = _tried(make, size, last)
        bound = _bound(make, first, last, probe, size)
        if probe is None or bound is not None:
            break
        points[size] = probe.total
        last = probe
        if len(points) > CONSTANT and last.total == first.total:
            break
    if bound is not None:
        largest = bound
        points = {size: points[size] for size in points if size < bound}
        points[bound] = _Probe(make, bound).total
    if given is None:
        if points[start] == last.total:
            raise Unsized(
                f"`arguments({last.size})` gives as many bytes as `arguments({start})`; let the "
                "arrays grow with the size, or give sizes=(start, largest)"
            )
        end = math.inf if largest is None else largest / FEWEST
        start = next(size for size in points if points[size] >= START_BYTES or size >= end)
    elif largest is not None and largest < given[1]:
        raise Unsized(
            f"the arrays of `arguments` end at size {largest}, but sizes go to {given[1]}"
        )
    return Sizes(start, largest, tuple(points.items()))


def _refuse_ended(make: Make, one: _Probe) -> None:
    """Fails if arrays grow less up to the only size than they did before it."""
    if one.size < CHECKED:
        return
    sizes = (SMALLEST, one.size // 4, one.size // 2)
    lists = [probe.bytes for size in sizes if (probe := _tried(make, size)) is not None]
    if len(lists) < len(sizes):
        return
    for small, before, middle, now in zip(*lists, one.bytes, strict=False):
        growth = now / middle - 1 if middle else math.inf
        growth_before = middle / before - 1 if before else 0
        if small < now and growth <= GROWS * growth_before:
            raise Unsized(f"the arrays of `arguments` end below size {one.size}")


class _Probe:
    """The arrays of a size."""

    def __init__(self, make: Make, size: int, before: _Probe | None = None) -> None:
        self.size = size
        # They stay alive until the next size has its own, so that no memory is given out twice.
        self.arrays = arrays(make(size))
        self.bytes = [known(one).nbytes(one) for one in self.arrays]
        self.total = sum(self.bytes)
        owners = {known(one).owner(one) for one in before.arrays} if before is not None else set()
        made = [known(one).owner(one) not in owners for one in self.arrays]
        self.made = sum(bytes_ for bytes_, is_made in zip(self.bytes, made, strict=True) if is_made)
        """Bytes of the arrays that were made for this size, and are no parts of finished ones."""


def _tried(make: Make, size: int, before: _Probe | None = None) -> _Probe | None:
    """Returns the arrays of a size; None if there are none, as when a slice cannot be reshaped."""
    try:
        return _Probe(make, size, before)
    except Exception:  # Smaller sizes worked, so this one is too large.
        return None


def _bound(make: Make, first: _Probe, last: _Probe, now: _Probe | None, size: int) -> int | None:
    """Returns the largest size, if arrays cannot be had at `size` (`now`) or no longer grow."""
    if now is None:
        return _largest(last.size, size, lambda at: _tried(make, at) is not None)
    ended = _ended(first, last, now)
    if not ended:
        return None
    full = [now.bytes[at] for at in ended]
    begin = max(last.size // 2, first.size)
    return 1 + _largest(begin, last.size, lambda at: not _any(make, at, ended, full))


def _ended(first: _Probe, before: _Probe, now: _Probe) -> list[int]:
    """Returns which arrays grew with the size and no longer do."""
    if not len(first.bytes) == len(before.bytes) == len(now.bytes):
        return []
    sizes = zip(first.bytes, before.bytes, now.bytes, strict=True)
    return [at for at, (one, two, three) in enumerate(sizes) if one < two == three]


def _any(make: Make, size: int, places: list[int], full: list[int]) -> bool:
    """Whether any of these arrays is as large as it gets."""
    found = _Probe(make, size).bytes
    return any(found[at] == bytes_ for at, bytes_ in zip(places, full, strict=True))


def _largest(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Returns the largest size for which something holds, which is so at `low`, not at `high`."""
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
