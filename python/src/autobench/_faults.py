"""An exception of the user's code as a fault of the protocol (docs/guide/workers.md)."""

from __future__ import annotations

import traceback
from pathlib import Path

from ._outputs import Wrong

INVALID = (
    "OutOfResources",
    "too many resources requested",
    "LAUNCH_OUT_OF_RESOURCES",
    "invalid configuration argument",
    "INVALID_VALUE",
)
"""Words of launches that a device cannot do."""

COMPILE = (
    "numba.core.errors",
    "triton.compiler",
    "torch._dynamo",
    "torch._inductor",
    "CompileException",
    "CompilationError",
    "NVRTCError",
    "NvrtcError",
    "NvvmError",
    "LinkerError",
    "PTXASError",
)
"""Modules and names of compilers' exceptions."""

LOST = (
    "illegal memory access",
    "ILLEGAL_ADDRESS",
    "misaligned address",
    "MISALIGNED_ADDRESS",
    "unspecified launch failure",
    "LAUNCH_FAILED",
    "device-side assert",
    "LAUNCH_TIMEOUT",
)
"""Words of faults after which a GPU does nothing more for this process."""

LONGEST = 400
"""Most characters of a reason."""

OURS = Path(__file__).parent


def fault(error: BaseException) -> dict[str, str]:
    """Returns the reply for an exception."""
    return {"fault": kind(error), "reason": reason(error)}


def kind(error: BaseException) -> str:
    """Returns what an exception says about its configuration."""
    named = {f"{one.__module__}.{one.__qualname__}" for one in type(error).__mro__}
    words = f"{' '.join(named)} {error}"
    if isinstance(error, Wrong):
        return "wrong"
    if any(word in words for word in LOST):
        return "lost"
    if any(word in words for word in INVALID):
        return "invalid"
    if any(word in " ".join(named) for word in COMPILE) or isinstance(error, SyntaxError):
        return "compile"
    return "invalid" if isinstance(error, ValueError) else "run"


def reason(error: BaseException) -> str:
    """Returns the last line of a traceback, and the place in the user's code."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, Wrong):
        return lines[0]
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    if len(text) > LONGEST:
        text = text[:LONGEST] + "…"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if OURS not in Path(frame.filename).parents]
    place = next((f for f in reversed(own) if "site-packages" not in f.filename), None)
    return f"{text} ({Path(place.filename).name}, line {place.lineno})" if place else text
