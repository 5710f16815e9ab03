"""A kernel's outputs: what it returns, or else the arguments that it changes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays

FEW = 4096
"""Elements of an output that are compared."""

EDGE = 64
"""Elements at both ends that are always among them."""

MANY = 1 << 18
"""Most elements of an output that a thorough check compares: a reply has at most 64 MiB."""

Call = Callable[[Sequence[Any]], Any]
"""Runs the kernel on arguments and waits for it."""


class Wrong(Exception):
    """Why a result cannot be compared with the reference, as one sentence."""


@dataclass(frozen=True)
class Outputs:
    """Where a kernel's outputs are."""

    changed: tuple[int, ...] | None
    """Positions of the arguments that it changes; None if it returns its outputs."""
    written: tuple[int, ...]
    """Those that it writes without reading them."""
    names: tuple[str, ...]

    def prepare(self, arguments: Sequence[Any]) -> None:
        """Spoils what the kernel must write, so that nothing that was there counts as its work."""
        for at in self.written:
            _arrays.poison(arguments[at])

    def of(self, arguments: Sequence[Any], returned: Any) -> tuple[Any, ...]:
        """Returns the outputs after a run."""
        if self.changed is not None:
            return tuple(arguments[at] for at in self.changed)
        values = results(returned)
        if len(values) != len(self.names):
            raise Wrong(f"it returned {_counted(values)}, and `reference` {len(self.names)}")
        return values


def results(returned: Any) -> tuple[Any, ...]:
    """Returns what a function returned as a tuple of arrays and numbers; empty if it is neither."""
    values = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
    is_result = [
        _arrays.family(value) is not None or isinstance(value, (int, float, complex, np.generic))
        for value in values
    ]
    return values if all(is_result) else ()


def find(
    call: Call, arguments: Sequence[Any], originals: Sequence[Any], kernel: object, count: int
) -> Outputs:
    """Runs a kernel and finds its outputs, which are as many as the reference has."""
    _arrays.restore(arguments, originals)
    places = [at for at, value in enumerate(originals) if _arrays.family(value) is not None]
    before = {at: _arrays.snapshot(originals[at]) for at in places}
    returned = results(call(arguments))
    if returned:
        if len(returned) != count:
            raise Wrong(f"it returned {_counted(returned)}, and `reference` {count}")
        names = ["result"] if count == 1 else [f"result_{at}" for at in range(count)]
        return Outputs(None, (), tuple(names))
    changed = [at for at in places if _arrays.differs(arguments[at], before[at])]
    changed = changed or [at for at in places if _overwrites(call, arguments, originals, at)]
    called = _names(kernel, len(originals))
    if len(changed) != count:
        words = ", ".join(f"`{called[at]}`" for at in changed) or "none of its arguments"
        raise Wrong(
            f"it returned nothing and changed {words}, and `reference` gives {_outputs(count)}; "
            "return the outputs from the kernel to say which they are"
        )
    after = {at: _arrays.deep_copy([arguments[at]])[0] for at in changed}
    written = [at for at in changed if _is_the_same(call, arguments, originals, at, after[at])]
    return Outputs(tuple(changed), tuple(written), tuple(called[at] for at in changed))


def _overwrites(call: Call, arguments: Sequence[Any], originals: Sequence[Any], at: int) -> bool:
    """Whether a run writes an argument that already held what the kernel writes."""
    if not _arrays.known(originals[at]).is_floating(originals[at]):
        return False
    _arrays.restore(arguments, originals)
    _arrays.poison(arguments[at])
    spoilt = _arrays.deep_copy([arguments[at]])[0]
    call(arguments)
    return _arrays.differs(arguments[at], spoilt)


def _is_the_same(
    call: Call, arguments: Sequence[Any], originals: Sequence[Any], at: int, result: Any
) -> bool:
    """Whether a run gives the same if an argument held something else before."""
    if not _arrays.can_be_copied([originals[at]]):
        return False
    _arrays.restore(arguments, originals)
    _arrays.poison(arguments[at])
    call(arguments)
    return not _arrays.differs(arguments[at], result)


def _names(kernel: object, count: int) -> list[str]:
    """Returns what the kernel calls its first arguments."""
    try:
        names = list(inspect.signature(kernel).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        names = []
    return [names[at] if at < len(names) else f"argument_{at}" for at in range(count)]


def _counted(values: Sequence[object]) -> str:
    return f"{len(values)} value{'s' if len(values) != 1 else ''}"


def _outputs(count: int) -> str:
    return "an output" if count == 1 else f"{count} outputs"


@lru_cache(maxsize=256)
def spread(count: int, *, thorough: bool) -> NDArray[np.int64] | None:
    """Returns flat indices of elements to compare: both ends and a random part, always the same.

    None means all.
    """
    most = MANY if thorough else FEW
    if count <= most:
        return None
    ends = np.r_[0:EDGE, count - EDGE : count]
    inner = np.random.default_rng(count).integers(0, count, most - 2 * EDGE)
    return np.unique(np.r_[ends, inner])
