"""What kernels need of arrays of any package: bytes, copies, comparison, elements as numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._families import FAMILIES, FOREIGN, Family, Foreign

FIRST = np.array([0])


def family(value: object) -> Family | None:
    """Returns the family of an array; None for everything else."""
    for one in FAMILIES:
        if (not one.package or one.package in sys.modules) and one.owns(value):
            return one
    return None


def known(value: object) -> Family:
    """Returns the family of what is known to be an array."""
    found = family(value)
    if found is None:
        raise TypeError(f"a value of type `{type(value).__name__}` is no array")
    return found


def arrays(values: Iterable[object]) -> list[Any]:
    """Returns the arrays among values."""
    return [value for value in values if family(value) is not None]


def total_bytes(values: Iterable[object]) -> int:
    """Returns the bytes of all arrays among values."""
    return sum(known(array).nbytes(array) for array in arrays(values))


def can_be_copied(values: Iterable[object]) -> bool:
    """Whether all arrays among values can be copied."""
    return all(family(value) is not FOREIGN for value in values)


def deep_copy(values: Iterable[object]) -> tuple[Any, ...]:
    """Returns values with a copy of each array. What was one array stays one."""
    copies: dict[int, Any] = {}

    def copy(value: object) -> Any:
        of = family(value)
        if of is None or of is FOREIGN:
            return value
        if id(value) not in copies:
            copies[id(value)] = of.copy(value)
        return copies[id(value)]

    return tuple(copy(value) for value in values)


def restore(values: Iterable[object], originals: Iterable[object]) -> None:
    """Gives copies the content of their originals again."""
    for value, original in zip(values, originals, strict=True):
        of = family(value)
        if of is not None and of is not FOREIGN:
            of.fill(value, original)


def poison(array: Any) -> None:
    """Replaces the content: by NaN, and of whole numbers by the first, which may be an index."""
    of = known(array)
    if of is FOREIGN or of.nbytes(array) == 0:
        return
    of.fill(array, float("nan") if of.is_floating(array) else of.take(array, FIRST)[0].item())


def snapshot(array: Any) -> Any:
    """Returns what :func:`differs` compares an array with later. Copies have originals for that."""
    return known(array).take(array, None).copy() if known(array) is FOREIGN else array


def differs(array: Any, other: Any) -> bool:
    """Whether an array holds something else than another, or than a snapshot of it."""
    one, two = _comparable(array), _comparable(other)
    same = (one == two) | ((one != one) & (two != two))  # NaN is the same as NaN
    return not bool(same.all())


def _comparable(array: Any) -> Any:
    of = known(array)
    return of.take(array, None) if isinstance(of, Foreign) else array


def elements(value: Any, indices: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Returns elements of an array, or a number, by flat index. Of complex ones, both parts."""
    of = family(value)
    whole = np.asarray(value).reshape(-1) if of is None else of.take(value, indices)
    if whole.dtype.kind == "c":
        return np.ascontiguousarray(whole, np.complex128).view(np.float64)
    return whole.astype(np.float64)


def count(value: Any) -> int:
    """Returns the number of elements of an array or a number."""
    return int(np.prod(getattr(value, "shape", ()), dtype=np.int64))
