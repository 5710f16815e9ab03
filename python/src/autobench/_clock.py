"""Clocks: the processor's, and events of a GPU, which is held back until its runs are queued."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable
from contextlib import suppress
from time import get_clock_info, perf_counter
from typing import Any, Protocol

WAITED = "/proc/thread-self/schedstat"
"""Linux writes there: seconds on a core, seconds of waiting for one, and turns; in nanoseconds."""

EMPTY_SAMPLES = 31
"""Empty samples that say what timing adds."""

SPUN_CYCLES = 1_000_000
"""A kernel that waits for so many cycles is timed, to know how long a cycle is."""

HOLD_FACTOR = 2
"""A GPU is held back for this multiple of the time that launching took before."""

MAX_HOLD_SECONDS = 0.1
"""Most seconds for which a GPU is held back."""

WARM_SECONDS = 0.05
"""Seconds of work before the length of a cycle is measured."""

MOST_QUEUED = 512
"""Most runs that are queued at once. A driver's queue has room for about 1,000 launches."""

EMPTY_HOLD_SECONDS = 1e-4
"""Seconds for which a GPU is held back before an empty sample."""


class Clock(Protocol):
    """Times a function, and waits for what it began."""

    resolution: float
    late: bool
    """Whether a GPU began the last timed function before all of it was launched."""
    synchronise: Callable[[], object]
    """Waits for all that was begun."""

    def seconds(self, function: Callable[[], object], launching: float = 0.0) -> float:
        """Returns the seconds that a function and all that it began take.

        On a GPU, the time to launch the work is left out if it is about `launching` seconds.
        """

    def launching(self, function: Callable[[], object]) -> float:
        """Returns the seconds until a function has launched its work; 0 if they are counted."""


def overhead(clock: Clock) -> float:
    """Returns the seconds that timing adds to a sample."""
    empty = (clock.seconds(lambda: None, EMPTY_HOLD_SECONDS) for _ in range(EMPTY_SAMPLES))
    return statistics.median(empty)


class Timer:
    """Times samples of one kernel, in parts that fit into the queue of a GPU."""

    def __init__(self, clock: Clock, runner: Callable[[int], Callable[[], object]]) -> None:
        """Takes what makes a function of so many runs."""
        self.clock, self.runner = clock, runner
        self.each: float | None = None
        """Seconds that launching a run takes."""
        self.most = sys.maxsize
        """Most runs that are launched in time."""
        self.is_late = False
        """Whether a run alone was once not launched in time."""

    def seconds(self, runs: int) -> float:
        """Returns the seconds of so many runs."""
        if self.each is None:
            self.each = self.clock.launching(lambda: self.runner(1)())
            if self.each > 0:
                self.most = max(
                    1, min(MOST_QUEUED, int(MAX_HOLD_SECONDS / HOLD_FACTOR / self.each))
                )
        total, left = 0.0, runs
        while left > 0:
            part = min(left, self.most)
            seconds = self.clock.seconds(self.runner(part), part * self.each)
            if self.clock.late and part > 1:
                self.most = part // 2
                continue  # A run that launches many kernels fills the queue alone.
            if self.clock.late and not self.is_late:
                self.is_late, self.each = True, 4 * self.each
                continue  # Launching took longer than it did before, or the run always waits.
            total, left = total + seconds, left - part
        return total


class ProcessorClock:
    """Times what a processor does; other devices are waited for with `wait`."""

    resolution = get_clock_info("perf_counter").resolution
    late = False

    def __init__(self, wait: Callable[[], object] = lambda: None) -> None:
        self.synchronise = wait

    def seconds(self, function: Callable[[], object], launching: float = 0.0) -> float:
        """Returns the seconds that a function takes, with the wait for its device."""
        self.synchronise()
        begin = perf_counter()
        function()
        self.synchronise()
        return perf_counter() - begin

    def launching(self, function: Callable[[], object]) -> float:
        """Returns 0: all of a function's time counts."""
        return 0.0


class Waiting:
    """What the thread that made this has waited for a core: its samples are then disturbed."""

    def __init__(self) -> None:
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(WAITED, os.O_RDONLY)

    def seconds(self) -> float | None:
        """Returns the seconds so far; None where the system does not count them."""
        if self._file is None:
            return None
        return int(os.pread(self._file, 80, 0).split()[1]) * 1e-9

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)


class EventClock:
    """Times what a GPU does between two events of its stream.

    Launching from Python takes longer than many kernels run. So a kernel that only waits goes first
    (`hold_with`), and the GPU begins when all runs are queued, as nvbench does it.
    """

    resolution = 5e-7

    def __init__(
        self,
        *,
        event: Callable[[], Any],
        record: Callable[[Any], object],
        wait: Callable[[Any], object],
        passed: Callable[[Any], bool],
        milliseconds: Callable[[Any, Any], float],
        synchronise: Callable[[], object],
    ) -> None:
        self.begin, self.end = event(), event()
        self.record, self.wait, self.passed = record, wait, passed
        self.milliseconds, self.synchronise = milliseconds, synchronise
        self.hold: Callable[[float], object] | None = None
        self.late = False

    def hold_with(self, spin: Callable[[int], object]) -> EventClock:
        """Lets the GPU wait with `spin`, which launches a kernel that takes so many cycles."""
        self.seconds(lambda: spin(1))  # It may be compiled now.
        end = perf_counter() + WARM_SECONDS
        while perf_counter() < end:  # Clocks rise with work.
            seconds = self.seconds(lambda: spin(SPUN_CYCLES))
        second = SPUN_CYCLES / seconds
        self.hold = lambda seconds: spin(int(min(HOLD_FACTOR * seconds, MAX_HOLD_SECONDS) * second))
        return self

    def seconds(self, function: Callable[[], object], launching: float = 0.0) -> float:
        """Returns the seconds between two events around what a function launches."""
        hold = self.hold if launching > 0 else None
        if hold is not None:
            hold(launching)
        self.record(self.begin)
        function()
        self.record(self.end)
        self.late = hold is not None and self.passed(self.begin)
        self.wait(self.end)
        return self.milliseconds(self.begin, self.end) / 1e3

    def launching(self, function: Callable[[], object]) -> float:
        """Returns the seconds until a function has launched its work; 0 without `hold`."""
        if self.hold is None:
            return 0.0
        function()
        self.synchronise()
        begin = perf_counter()
        function()
        seconds = perf_counter() - begin
        self.synchronise()
        return seconds
