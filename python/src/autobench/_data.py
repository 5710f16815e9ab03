"""The data of one size: arguments as they were made, and copies on which kernels run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import _arrays

MOST_COPIES = 1 << 16
"""Most copies of small arguments. With more, making them takes longer than measuring."""


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

    def runner(self, kernel: Callable[..., Any], options: dict[str, Any], runs: int) -> Any:
        """Returns a function that runs a kernel so many times, each on the next copy."""
        turns = itertools.islice(self.turns, runs)

        def run() -> None:
            for arguments in turns:
                kernel(*arguments, **options)

        return run
