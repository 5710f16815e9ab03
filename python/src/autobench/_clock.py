"""Clocks: the processor's, and events of the package that made the arrays on a GPU."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable
from time import get_clock_info, perf_counter
from typing import Any, Protocol

from ._arrays import FOREIGN, family

EMPTY_SAMPLES = 31
"""Empty samples that say what timing adds."""


class Clock(Protocol):
    """Times a function, and waits for what it began."""

    resolution: float

    def seconds(self, function: Callable[[], object]) -> float:
        """Returns the seconds that a function and all that it began take."""

    def synchronise(self) -> None:
        """Waits for all that was begun."""


def overhead(clock: Clock) -> float:
    """Returns the seconds that timing adds to a sample."""
    return statistics.median(clock.seconds(lambda: None) for _ in range(EMPTY_SAMPLES))


class ProcessorClock:
    """Times what a processor does; other devices are waited for with `wait`."""

    resolution = get_clock_info("perf_counter").resolution

    def __init__(self, wait: Callable[[], object] | None = None) -> None:
        self.wait = wait

    def seconds(self, function: Callable[[], object]) -> float:
        """Returns the seconds that a function takes, with the wait for its device."""
        if self.wait is None:
            begin = perf_counter()
            function()
            return perf_counter() - begin
        self.wait()
        begin = perf_counter()
        function()
        self.wait()
        return perf_counter() - begin

    def synchronise(self) -> None:
        """Waits for the device."""
        if self.wait is not None:
            self.wait()


class EventClock:
    """Times what a GPU does between two events of its stream."""

    resolution = 5e-7

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
        self.settle = settle

    def seconds(self, function: Callable[[], object]) -> float:
        """Returns the seconds between two events around what a function launches."""
        self.record(self.begin)
        function()
        self.record(self.end)
        self.wait(self.end)
        return self.milliseconds(self.begin, self.end) / 1e3

    def synchronise(self) -> None:
        """Waits for the device."""
        self.settle()


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
    return EventClock(
        lambda: cuda.Event(enable_timing=True),
        lambda event: event.record(),
        lambda event: event.synchronize(),
        lambda begin, end: float(begin.elapsed_time(end)),
        cuda.synchronize,
    )


def _cupy_clock() -> Clock:
    cuda = sys.modules["cupy"].cuda
    return EventClock(
        cuda.Event,
        lambda event: event.record(),
        lambda event: event.synchronize(),
        lambda begin, end: float(cuda.get_elapsed_time(begin, end)),
        cuda.runtime.deviceSynchronize,
    )


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
