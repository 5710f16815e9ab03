"""What a study records of its device: the processor, or the GPU that holds the arrays."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ._arrays import family
from ._clock import Clock, overhead

COMPILERS = ("numba", "triton", "torch", "cupy", "jax", "numpy")
"""Packages that make kernels; a resumed study refuses if their versions changed."""

UNKNOWN_CACHE = 256 << 20
"""Bytes of the last cache of a GPU that does not tell: AMD has one behind what it reports."""

JITS = ("numba", "triton", "torch", "cupy", "jax")
"""Those that compile a kernel when it is first called."""


def compiles_when_called() -> bool:
    """Whether the first call of a kernel may run a compiler."""
    return any(name in sys.modules for name in JITS)


def place_of(values: Iterable[object]) -> tuple[str, str]:
    """Returns package and device of the first array on a GPU, or else of the first array."""
    places = []
    for value in values:
        of = family(value)
        if of is not None:
            places.append((of.package, of.device(value)))
    on_gpu = [place for place in places if place[1] != "cpu"]
    return [*on_gpu, *places, ("numpy", "cpu")][0]


def facts(values: Iterable[object], clock: Clock) -> dict[str, Any]:
    """Returns the device as the protocol describes it (docs/guide/workers.md)."""
    package, place = place_of(values)
    backend, _, ordinal = place.partition(":")
    about = {"name": processor(), "backend": "cpu", "memory": memory()}
    if backend != "cpu":
        about = {**about, "backend": backend, **_gpu(package, int(ordinal or 0))}
    return {
        **about,
        "compiler": compiler(),
        "timer": [clock.resolution, overhead(clock)],
        "facts": {"python": platform.python_version(), "threads": str(usable_cpus())},
    }


def _gpu(package: str, ordinal: int) -> dict[str, Any]:
    backend = "cuda"
    if package == "torch" and sys.modules["torch"].cuda.is_available():
        torch = sys.modules["torch"]
        name = torch.cuda.get_device_properties(ordinal).name
        backend = "hip" if torch.version.hip else "cuda"
        free, total = torch.cuda.mem_get_info(ordinal)
        # What torch keeps for later is free for us.
        free += torch.cuda.memory_reserved(ordinal) - torch.cuda.memory_allocated(ordinal)
    elif package == "cupy":
        cupy = sys.modules["cupy"]
        name = cupy.cuda.runtime.getDeviceProperties(ordinal)["name"].decode()
        backend = "hip" if cupy.cuda.runtime.is_hip else "cuda"
        free, total = cupy.cuda.runtime.memGetInfo()
        free += cupy.get_default_memory_pool().free_bytes()
    elif package == "numba.cuda":
        context = sys.modules["numba.cuda"].current_context()
        name = context.device.name
        name = name.decode() if isinstance(name, bytes) else name
        free, total = context.get_memory_info()
    else:
        return {"name": f"{package or 'unknown'} device {ordinal}"}
    return {"name": name, "backend": backend, "memory": [int(total), int(free)]}


def compiler() -> str:
    """Returns Python and the packages that make kernels, with their versions."""
    used = [f"{platform.python_implementation()} {platform.python_version()}"]
    for name in COMPILERS:
        if name in sys.modules:
            try:
                used.append(f"{name} {version(name)}")
            except PackageNotFoundError:
                used.append(f"{name} {getattr(sys.modules[name], '__version__', '?')}")
    return ", ".join(used)


def processor() -> str:
    """Returns the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine() or "processor")


def memory() -> list[int]:
    """Returns the bytes of memory in total, and free now, within the limit of a container."""
    total = free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text())
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        total, free = min(total, limit), min(free, max(limit - used, 0))
    except (OSError, ValueError):
        pass
    return [total, free]


def usable_cpus() -> int:
    """Returns how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def caches() -> dict[int, int]:
    """Returns the bytes of the first processor's caches for data, by level."""
    sizes: dict[int, int] = {}
    for cache in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        try:
            if (cache / "type").read_text().strip() == "Instruction":
                continue
            level, size = (cache / name for name in ("level", "size"))
            sizes[int(level.read_text())] = int(size.read_text().strip().rstrip("K")) << 10
        except (OSError, ValueError):
            continue
    return sizes


def last_cache(values: Iterable[object] = ()) -> int:
    """Returns the bytes of the last-level cache of the device that holds arrays; 0 if unknown."""
    package, place = place_of(values)
    ordinal = int(place.partition(":")[2] or 0)
    if place == "cpu":
        sizes = caches()
        return sizes[max(sizes)] if sizes else 0
    known = 0
    if package == "torch" and sys.modules["torch"].cuda.is_available():
        torch = sys.modules["torch"]
        about = torch.cuda.get_device_properties(ordinal)
        known = 0 if torch.version.hip else int(getattr(about, "L2_cache_size", 0))
    elif package == "cupy":
        runtime = sys.modules["cupy"].cuda.runtime
        about = runtime.getDeviceProperties(ordinal)
        known = 0 if runtime.is_hip else int(about.get("l2CacheSize", 0))
    return known or UNKNOWN_CACHE
