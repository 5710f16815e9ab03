"""Checks of what ``tune_kernel`` is asked for, and what the program calls it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _kernel_results as results
from ._kernel import BLOCK_NAMES
from ._kernel_source import read_source
from ._program import call
from .errors import DeviceError

BACKENDS = {"CUDA": "cuda", "CUPY": "cuda", "NVCUDA": "cuda", "PYCUDA": "cuda", "HIP": "hip"}
"""Kinds of devices by Kernel Tuner's names of languages."""


def refuse(**given: tuple[Any, str]) -> None:
    """Raises for an argument that is given and not supported, with what to do."""
    for name, (value, cure) in given.items():
        if value is not None and value != {} and value != []:
            raise NotImplementedError(f"`{name}` is not supported: {cure}")


def direction(objective: str, higher_is_better: bool | None) -> bool:
    """Returns whether more of an objective is better."""
    if higher_is_better is None:
        higher_is_better = results.DIRECTIONS.get(objective)
    if higher_is_better is None:
        raise ValueError(f"say `objective_higher_is_better` for the objective `{objective}`")
    return higher_is_better


def metric(
    objective: str, higher: bool, metrics: Mapping[str, Any], *, exhaustive: bool
) -> tuple[str, bool] | None:
    """Returns what a search improves as an expression; None if that is the time.

    If every configuration is tried, the best is picked afterwards.
    """
    if objective == "time" and not higher:
        return None
    given = "time" if objective == "time" else metrics.get(objective)
    if given is None:
        raise NotImplementedError(
            f"the objective `{objective}` is neither `time` nor one of `metrics`; "
            "use ab.tune, which has others, such as energy"
        )
    if exhaustive:
        return None
    if not isinstance(given, str):
        raise NotImplementedError(
            f"the objective `{objective}` is a function, which a strategy cannot call; write the "
            "metric as a text, or leave `strategy` out to try every configuration"
        )
    return results.expression(given, metrics), higher


def backend(kernel_source: Any, lang: str | None) -> str:
    """Returns the kind of GPU that a source is written for, `cuda` or `hip`."""
    if lang is None:
        if callable(kernel_source):
            raise TypeError("say `lang` if a function makes the source")
        text = read_source(kernel_source).text
        lang = "CUDA" if "__global__" in text else "OpenCL" if "__kernel" in text else "C"
    if lang.upper() not in BACKENDS:
        raise NotImplementedError(
            f"kernels in {lang} are not supported, only CUDA C++ and HIP; "
            "give ab.tune a Python function that runs yours"
        )
    return BACKENDS[lang.upper()]


def place(kind: str, device: int | str, parallel: bool | int | None) -> tuple[str, str]:
    """Returns the device as the program names it, and its own name.

    A number is that of a GPU. Without any GPU of the kind, the processor is used.
    """
    found = {name: state.get("Ok", []) for name, state in json.loads(call(["devices", "--json"]))}
    first = 0
    if isinstance(device, str):
        kind, _, numbers = device.partition(":")
        first = int(numbers) if numbers.isdecimal() else 0
    elif not found.get(kind):
        kind = device = "cpu"
    else:
        first = device
        many = len(found[kind]) if parallel is True else int(parallel or 1)
        numbers = ",".join(str(number) for number in (range(many) if many > 1 else [first]))
        device = f"{kind}:{numbers}"
    if first >= len(found.get(kind, [])):
        raise DeviceError(f"there is no device `{device}`", hint="`autobench devices` shows all")
    return device, str(found[kind][first]["name"])


def block_names(given: Sequence[str] | None, parameters: Mapping[str, Any]) -> list[str]:
    """Returns the names of the parameters that are the threads of a block, in x, y and z."""
    if given is None:
        lower = {name.lower(): name for name in parameters}
        return [lower.get(name, name) for name in BLOCK_NAMES]
    if len(given) > len(BLOCK_NAMES):
        raise ValueError("`block_size_names` has more than three names; a block has three axes")
    return [*given, *BLOCK_NAMES[len(given) :]]
