"""Answers the program's requests about one kernel (docs/guide/workers.md)."""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from . import _arrays, _clock, _data, _device, _outputs
from ._description import Description
from ._faults import fault, kind
from ._gpu_clocks import clock_for

PROTOCOL = 1


@dataclass
class Kernel:
    """A configuration at an open size."""

    data: _data.Data
    configuration: str
    options: dict[str, Any]
    timer: _clock.Timer
    failed: Exception | None = None
    """What its first run raised."""


class Guest:
    """Answers the requests of one connection."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.sizes: dict[int, _data.Data] = {}
        self.kernels: dict[int, Kernel] = {}
        self.outputs: dict[str, _outputs.Outputs] = {}
        """Those of configurations: one may write what another adds to."""
        sample = description.arguments(description.sizes.start)
        self.clock = clock_for(sample)
        self.on_processor = isinstance(self.clock, _clock.ProcessorClock)
        self.device = _device.facts(sample, self.clock)
        self.cache = _device.last_cache(sample)
        self.waiting = _clock.Waiting()
        self.wanted: int | None = None
        self.answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "describe": self.describe,
            "footprint": self.footprint,
            "open": self.open,
            "compile": self.compile,
            "check": self.check,
            "sample": self.sample,
            "close": self.close,
        }

    def answer(self, line: bytes) -> bytes:
        """Returns the reply to a line. An exception of the user's code becomes a fault."""
        try:
            request = json.loads(line)
            reply = json.dumps(self.answers[request["request"]](request))
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            reply = json.dumps(fault(error))
        return reply.encode() + b"\n"

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        """Says what is measured, and on what."""
        benchmark = self.description.benchmark
        return {"protocol": PROTOCOL, "benchmark": benchmark, "device": self.device}

    def footprint(self, request: dict[str, Any]) -> dict[str, Any]:
        """Says how many bytes a size needs, with copies and with what a check needs."""
        one = self.description.sizes.bytes(request["size"])
        ring = one * _data.copies(one, self.cold_bytes() if request["cold"] else 0)
        return {"bytes": ring + (1 if self.description.reference is None else 3) * one}

    def cold_bytes(self) -> int:
        """Returns the bytes that copies must have together to be cold."""
        if self.wanted is None:
            free = self.device["memory"][1]
            self.wanted = _data.enough(self.cache, free, on_processor=self.on_processor)
        return self.wanted

    def open(self, request: dict[str, Any]) -> dict[str, Any]:
        """Makes the data of a size."""
        size, cold = request["size"], request["cold"]
        arguments = self.description.arguments(size)
        if cold and not _arrays.can_be_copied(arguments):
            raise RuntimeError("arrays of this kind cannot be copied; measure with caches='hot'")
        foreseen = self.description.sizes.bytes(size)
        if 2 * _arrays.total_bytes(arguments) < foreseen:
            found = _arrays.total_bytes(arguments)
            raise RuntimeError(
                f"`arguments({size})` gives {found} bytes where {foreseen} were expected; "
                "give sizes=(start, largest) so that its arrays are long enough"
            )
        data = _data.Data(arguments, self.cold_bytes() if cold else 0)
        self.clock.synchronise()
        self.sizes[size] = data
        return {"bytes": data.footprint}

    def compile(self, request: dict[str, Any]) -> dict[str, Any]:
        """Runs a configuration for the first time if its compiler may run then.

        The program allows compilers more time than kernels.
        """
        data = self.sizes[request["size"]]
        configuration = request["configuration"]
        options = self.description.options(configuration)
        timer = _clock.Timer(self.clock, partial(data.runner, self.description.kernel, options))
        kernel = Kernel(data, json.dumps(configuration), options, timer)
        try:
            if _device.compiles_when_called():
                self.call(kernel, data.first())
        except Exception as error:
            if kind(error) in ("invalid", "compile", "lost"):
                raise
            kernel.failed = error  # It compiled, and fails when it runs.
        self.kernels[request["kernel"]] = kernel
        return {}

    def ready(self, request: dict[str, Any]) -> Kernel:
        """Returns a kernel that ran."""
        kernel = self.kernels[request["kernel"]]
        if kernel.failed is not None:
            raise kernel.failed
        return kernel

    def call(self, kernel: Kernel, arguments: Sequence[Any]) -> Any:
        """Runs a kernel once, to its end."""
        returned = self.description.kernel(*arguments, **kernel.options)
        self.clock.synchronise()
        return returned

    def outputs_of(self, kernel: Kernel) -> _outputs.Outputs:
        """Returns where a kernel's outputs are, and finds that out the first time."""
        if kernel.configuration not in self.outputs:
            data = kernel.data
            self.outputs[kernel.configuration] = _outputs.find(
                lambda arguments: self.call(kernel, arguments),
                data.ring[0],
                data.originals,
                self.description.kernel,
                len(self.expected(data)),
            )
        return self.outputs[kernel.configuration]

    def expected(self, data: _data.Data) -> tuple[Any, ...]:
        """Returns the reference's outputs of a size."""
        reference = self.description.reference
        assert reference is not None
        if data.expected is None:
            data.expected = _outputs.results(reference(*_arrays.deep_copy(data.originals)))
        return data.expected

    def check(self, request: dict[str, Any]) -> dict[str, Any]:
        """Runs a kernel once and gives its outputs beside those of the reference."""
        kernel = self.ready(request)
        if self.description.reference is None:
            self.call(kernel, kernel.data.first())
            return {"outputs": []}
        outputs = self.outputs_of(kernel)
        arguments = kernel.data.first()
        outputs.prepare(arguments)
        found = outputs.of(arguments, self.call(kernel, arguments))
        expected = self.expected(kernel.data)
        for name, one, other in zip(outputs.names, found, expected, strict=True):
            if _arrays.count(one) != _arrays.count(other):
                raise _outputs.Wrong(
                    f"`{name}` has {_arrays.count(one)} elements, and that of `reference` "
                    f"{_arrays.count(other)}"
                )
        error = self.description.error
        if error is not None:
            alone = len(found) == 1
            value: Any = error(*(found + expected if alone else (found, expected)))
            try:
                return {"outputs": [], "errors": {"error": _number(float(value))}}
            except TypeError:
                raise TypeError(f"`error` returned {value!r}, which is no number") from None
        judged = zip(outputs.names, found, expected, strict=True)
        return {"outputs": [_judged(*one, thorough=request["thorough"]) for one in judged]}

    def sample(self, request: dict[str, Any]) -> dict[str, Any]:
        """Times runs of a kernel, one after the other."""
        kernel = self.ready(request)
        collects = gc.isenabled()
        gc.disable()
        before = self.waiting.seconds()
        try:
            seconds = kernel.timer.seconds(request["runs"])
        finally:
            if collects:
                gc.enable()
        after = self.waiting.seconds()
        if before is None or after is None or not self.on_processor:
            return {"seconds": seconds}
        return {"seconds": seconds, "waited": after - before}

    def close(self, request: dict[str, Any]) -> dict[str, Any]:
        """Frees a kernel, or a size with its kernels."""
        if "kernel" in request:
            self.kernels.pop(request["kernel"], None)
        else:
            data = self.sizes.pop(request["size"], None)
            self.kernels = {
                number: kernel for number, kernel in self.kernels.items() if kernel.data is not data
            }
        return {}


def _judged(name: str, found: Any, expected: Any, *, thorough: bool) -> dict[str, Any]:
    indices = _outputs.spread(_arrays.count(expected), thorough=thorough)
    found, expected = _arrays.elements(found, indices), _arrays.elements(expected, indices)
    output = {"name": name, "found": _numbers(found), "expected": _numbers(expected)}
    if indices is not None:
        parts = len(found) // len(indices)
        flat = indices if parts == 1 else (2 * indices[:, None] + [0, 1]).reshape(-1)
        output["indices"] = flat.tolist()
    return output


def _numbers(values: Any) -> list[float | None]:
    if np.isfinite(values).all():
        return cast("list[float | None]", values.tolist())
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
