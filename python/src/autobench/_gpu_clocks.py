"""The clock for a kernel's arguments: events of the package that made the arrays on a GPU."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np

from ._arrays import family
from ._clock import Clock, EventClock, ProcessorClock

SPIN = """extern "C" __global__ void spin(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {}
}"""
"""Waits so many cycles."""


def clock_for(values: Iterable[object]) -> Clock:
    """Returns the clock for a kernel's arguments: that of their first array on a GPU."""
    for value in values:
        of = family(value)
        place = "cpu" if of is None else of.device(value)
        if of is None or place == "cpu":
            continue
        kind, _, ordinal = place.partition(":")
        if kind != "cuda":
            return ProcessorClock(getattr(sys.modules[of.package], kind).synchronize)
        package = of.package or type(value).__module__
        if package.startswith("numba.cuda"):
            return _numba()
        make = {"torch": _torch, "cupy": _cupy}.get(package)
        if make is None:
            return _runtime(package)
        clock, current = make()
        if int(ordinal or 0) != current:
            raise ValueError(
                f"the arrays are on `{place}`, and the current device is `cuda:{current}`; make "
                "theirs the current one first, as with torch.cuda.set_device"
            )
        return clock
    return ProcessorClock(_wait_for_gpus())


def _wait_for_gpus() -> Callable[[], object]:
    """Returns what waits for a GPU that kernels may use though no argument is on one."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return cast("Callable[[], object]", torch.cuda.synchronize)
    cupy = sys.modules.get("cupy")
    if cupy is not None and cupy.is_available():
        return cast("Callable[[], object]", cupy.cuda.runtime.deviceSynchronize)
    return lambda: None


def _torch() -> tuple[Clock, int]:
    cuda = sys.modules["torch"].cuda
    clock = EventClock(
        event=lambda: cuda.Event(enable_timing=True),
        record=lambda event: event.record(),
        wait=lambda event: event.synchronize(),
        passed=lambda event: bool(event.query()),
        milliseconds=lambda begin, end: float(begin.elapsed_time(end)),
        synchronise=cuda.synchronize,
    )
    if hasattr(cuda, "_sleep"):
        clock.hold_with(cuda._sleep)
    return clock, cuda.current_device()


def _cupy() -> tuple[Clock, int]:
    cupy = sys.modules["cupy"]
    kernel = cupy.RawKernel(SPIN, "spin")
    clock = EventClock(
        event=cupy.cuda.Event,
        record=lambda event: event.record(),
        wait=lambda event: event.synchronize(),
        passed=lambda event: bool(event.done),
        milliseconds=lambda begin, end: float(cupy.cuda.get_elapsed_time(begin, end)),
        synchronise=cupy.cuda.runtime.deviceSynchronize,
    )
    clock.hold_with(lambda cycles: kernel((1,), (1,), (np.int64(cycles),)))
    return clock, cupy.cuda.runtime.getDevice()


def _numba() -> Clock:
    cuda = sys.modules["numba.cuda"]
    clock = EventClock(
        event=cuda.event,
        record=lambda event: event.record(),
        wait=lambda event: event.synchronize(),
        passed=lambda event: bool(event.query()),
        milliseconds=lambda begin, end: float(begin.elapsed_time(end)),
        synchronise=cuda.synchronize,
    )

    def spin(cycles: int, result: Any) -> None:
        value = 1
        for _ in range(cycles):
            value = value * 1664525 + 1013904223  # Needs the one before it.
        result[0] = value

    kernel, result = cuda.jit(spin), cuda.device_array(1, np.int64)
    if not sys.modules["numba"].config.ENABLE_CUDASIM:
        clock.hold_with(lambda cycles: kernel[1, 1](cycles, result))
    return clock


def _runtime(package: str) -> Clock:
    """Returns a clock of cuda-python's events, which come between launches on blocking streams."""
    runtime = None if package.startswith("jax") else _cuda_runtime()
    if runtime is None:
        raise ValueError(
            f"kernels on arrays of `{package}` cannot be timed; use arrays of torch, CuPy or Numba"
        )

    def checked(returned: tuple[Any, ...]) -> Any:
        if int(returned[0]) != 0:
            raise RuntimeError(f"the CUDA runtime answered {returned[0]}")
        return returned[1] if len(returned) > 1 else None

    return EventClock(
        event=lambda: checked(runtime.cudaEventCreate()),
        record=lambda event: checked(runtime.cudaEventRecord(event, 0)),
        wait=lambda event: checked(runtime.cudaEventSynchronize(event)),
        passed=lambda event: int(runtime.cudaEventQuery(event)[0]) == 0,
        milliseconds=lambda begin, end: float(checked(runtime.cudaEventElapsedTime(begin, end))),
        synchronise=lambda: checked(runtime.cudaDeviceSynchronize()),
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
