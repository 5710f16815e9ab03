"""How long a thread waited for a core: a sample in which it did is known as disturbed."""

from __future__ import annotations

import os
from contextlib import suppress

FILE = "/proc/thread-self/schedstat"
"""Linux writes there: seconds on a core, seconds of waiting for one, and turns; in nanoseconds."""


class Waiting:
    """What the thread that made this has waited."""

    def __init__(self) -> None:
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(FILE, os.O_RDONLY)

    def seconds(self) -> float | None:
        """Returns the seconds so far; None where the system does not count them."""
        if self._file is None:
            return None
        return int(os.pread(self._file, 80, 0).split()[1]) * 1e-9

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)
