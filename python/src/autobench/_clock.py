"""Clocks: the processor's, and events of the package that made the arrays on a GPU."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import get_clock_info, perf_counter
from typing import Any, Protocol

import numpy as np

from ._arrays import FOREIGN, family

WAITED = "/proc/thread-self/schedstat"
"""Linux writes there: seconds on a core, seconds of waiting for one, and turns; in nanoseconds."""

EMPTY_SAMPLES = 31
"""Empty samples that say what timing adds."""

SPUN_CYCLES = 1_000_000
"""A kernel that waits so long is timed, which says how long a cycle is."""

HELD = 2
"""A GPU is held back so many times as long as launching is known to take."""

LONGEST_HELD = 0.1
"""Most seconds for which a GPU is held back."""

SPIN = """extern "C" __global__ void spin(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {}
}"""
"""Waits so many cycles."""


class Clock(Protocol):
    """Times a function, and waits for what it began."""

    resolution: float
    at_once: int
    """Most runs of one sample that are timed together."""
    synchronise: Callable[[], object]
    """Waits for all that was begun."""

    def seconds(self, function: Callable[[], object], launching: float = 0.0) -> float:
        """Returns the seconds that a function and all that it began take.

        Where that is a GPU's work, the seconds of `launching` it are no part of it.
        """

    def launching(self, function: Callable[[], object]) -> float:
        """Returns the seconds that a function takes to begin its work; 0 if that is of no use."""


def overhead(clock: Clock) -> float:
    """Returns the seconds that timing adds to a sample."""
    return statistics.median(clock.seconds(lambda: None) for _ in range(EMPTY_SAMPLES))


class ProcessorClock:
    """Times what a processor does; other devices are waited for with `wait`."""

    resolution = get_clock_info("perf_counter").resolution
    at_once = sys.maxsize

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
    at_once = 512
    """A longer queue is full before its first run begins."""

    def __init__(
        self,
        event: Callable[[], Any],
        record: Callable[[Any], object],
        wait: Callable[[Any], object],
        milliseconds: Callable[[Any, Any], float],
        settle: Callable[[], object],
    ) -> None:
        self.begin, self.end = event(), event()
        self.record, self.wait, self.milliseconds = record, wait, milliseconds
        self.synchronise = settle
        self.hold: Callable[[float], object] | None = None

    def hold_with(self, spin: Callable[[int], object]) -> EventClock:
        """Lets the GPU wait with `spin`, which launches a kernel that takes so many cycles."""
        self.seconds(lambda: spin(1))
        second = SPUN_CYCLES / self.seconds(lambda: spin(SPUN_CYCLES))
        self.hold = lambda seconds: spin(int(min(HELD * seconds, LONGEST_HELD) * second))
        return self

    def seconds(self, function: Callable[[], object], launching: float = 0.0) -> float:
        """Returns the seconds between two events around what a function launches."""
        if self.hold is not None and launching > 0:
            self.hold(launching)
        self.record(self.begin)
        function()
        self.record(self.end)
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


def clock_for(values: Iterable[object]) -> Clock:
    """Returns the clock for a kernel's arguments: that of their first array on a GPU."""
    for value in values:
        of = family(value)
        place = "cpu" if of is None else of.device(value)
        if of is None or place == "cpu":
            continue
        if of is FOREIGN:
            return _foreign_clock(value)
        kind = place.partition(":")[0]
        if of.package == "torch" and kind != "cuda":
            return ProcessorClock(getattr(sys.modules["torch"], kind).synchronize)
        return _torch_clock() if of.package == "torch" else _cupy_clock()
    return ProcessorClock()


def _torch_clock() -> Clock:
    cuda = sys.modules["torch"].cuda
    clock = EventClock(
        lambda: cuda.Event(enable_timing=True),
        lambda event: event.record(),
        lambda event: event.synchronize(),
        lambda begin, end: float(begin.elapsed_time(end)),
        cuda.synchronize,
    )
    return clock.hold_with(cuda._sleep) if hasattr(cuda, "_sleep") else clock


def _cupy_clock() -> Clock:
    cupy = sys.modules["cupy"]
    kernel = cupy.RawKernel(SPIN, "spin")
    return EventClock(
        cupy.cuda.Event,
        lambda event: event.record(),
        lambda event: event.synchronize(),
        lambda begin, end: float(cupy.cuda.get_elapsed_time(begin, end)),
        cupy.cuda.runtime.deviceSynchronize,
    ).hold_with(lambda cycles: kernel((1,), (1,), (np.int64(cycles),)))


def _foreign_clock(array: object) -> Clock:
    if type(array).__module__.startswith("numba."):
        cuda = sys.modules["numba.cuda"]
        return EventClock(
            cuda.event,
            lambda event: event.record(),
            lambda event: event.synchronize(),
            lambda begin, end: float(begin.elapsed_time(end)),
            cuda.synchronize,
        )
    runtime = _cuda_runtime()
    if runtime is None:
        raise ValueError(
            f"kernels on arrays of `{type(array).__module__}` cannot be timed; "
            "install cuda-python, or use arrays of torch or CuPy"
        )

    def checked(returned: tuple[Any, ...]) -> Any:
        if int(returned[0]) != 0:
            raise RuntimeError(f"the CUDA runtime answered {returned[0]}")
        return returned[1] if len(returned) > 1 else None

    return EventClock(
        lambda: checked(runtime.cudaEventCreate()),
        lambda event: checked(runtime.cudaEventRecord(event, 0)),
        lambda event: checked(runtime.cudaEventSynchronize(event)),
        lambda begin, end: float(checked(runtime.cudaEventElapsedTime(begin, end))),
        lambda: checked(runtime.cudaDeviceSynchronize()),
    )


def _cuda_runtime() -> Any:
    """Returns the CUDA runtime of cuda-python, whose module has had two names."""
    try:
        from cuda.bindings import runtime
    except ImportError:
        try:
            from cuda import cudart as runtime
        except ImportError:
            return None
    return runtime
