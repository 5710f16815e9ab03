"""What ``tune_kernel`` was given about a kernel, and the numbers that follow from it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ._kernel_source import KernelSource, read_source
from ._tables import Value, table, value

BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")

THREADS = ("256", "1", "1")
"""Threads of a block where no parameter says how many, as in Kernel Tuner."""

TAKEN = frozenset(["autobench", "bytes", "flops", "i", "seconds", "size"])
"""Words that mean something else in expressions, so that no parameter of a benchmark has them."""

WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


@dataclass
class Kernel:
    """The arguments of ``tune_kernel`` that say what is measured."""

    name: str
    source: Any
    problem_size: Any
    arguments: Sequence[Any]
    parameters: dict[str, list[Value]]
    block_names: Sequence[str]
    device: str
    """``cuda``, ``hip`` or ``cpu``."""
    grid_divisors: tuple[Any, Any, Any] = (None, None, None)
    restrictions: Any = None
    answer: Sequence[Any] | None = None
    atol: float = 1e-6
    shared_memory: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    defines: Mapping[str, Any] | None = None
    compiler_options: Sequence[str] = ()
    metric: tuple[str, bool] | None = None
    """What a search improves if it is not the time, and whether more of it is better."""

    @property
    def size(self) -> int:
        """The number by which results name the problem: its extents multiplied."""
        sizes = _axes(self.problem_size)
        if all(isinstance(size, (int, np.integer)) for size in sizes):
            return max(1, math.prod(int(size) for size in sizes))
        return max(1, *(int(np.size(argument)) for argument in self.arguments))

    def internal(self, name: str) -> str:
        """Returns a parameter's name in the program.

        Every parameter of a benchmark is a macro. With ``defines``, only what it lists may be one,
        so parameters get names that no source uses.
        """
        return name if self.defines is None and name not in TAKEN else f"tuned_{name}"

    def named(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a configuration of the program by the names that the user gave."""
        return {name: configuration[self.internal(name)] for name in self.parameters}

    def expression(self, text: str) -> str:
        """Returns an expression of the user with the program's names of parameters."""
        return self.inserted(text, self.internal)

    def inserted(self, text: str, shown: Callable[[str], str]) -> str:
        """Replaces the names of parameters in a text."""

        def replaced(word: re.Match[str]) -> str:
            return shown(word[0]) if word[0] in self.parameters else word[0]

        return WORD.sub(replaced, text)

    def table(self, function: Callable[[Mapping[str, Any]], object]) -> str:
        """Returns the expression that looks a function of parameters up."""
        return self.expression(table(function, self.parameters))

    def number(self, given: Any) -> str:
        """Returns a number, a text or a function of parameters as an expression.

        What a text gives is cut to a whole number, as in Kernel Tuner.
        """
        if callable(given):
            return self.expression(value(given, self.parameters))
        if isinstance(given, str):
            return f"int({self.expression(given)})"
        if isinstance(given, (int, float, np.number)):
            return str(given)
        raise TypeError(
            f"sizes and divisors are numbers, texts or functions of parameters, not {given!r}"
        )

    def grid(self, axis: int) -> str:
        """Returns the blocks along an axis: the extent over all divisors, rounded up."""
        given, name = self.grid_divisors[axis], self.block_names[axis]
        if given is None:
            divisors = [self.internal(name)] if name in self.parameters else []
        else:
            listed = given if isinstance(given, (list, tuple)) else [given]
            divisors = [self.number(divisor) for divisor in listed]
        if callable(self.problem_size):
            extent = self.table(lambda p: _axes(self.problem_size(p))[axis])
        else:
            extent = self.number(_axes(self.problem_size)[axis])
        return f"ceil(({extent}) / ({' * '.join(divisors)}))" if divisors else extent

    def block(self) -> list[str]:
        """Returns the threads of a block along each axis."""
        return [
            self.internal(name) if name in self.parameters else threads
            for name, threads in zip(self.block_names, THREADS, strict=True)
        ]

    @cached_property
    def texts(self) -> tuple[list[KernelSource], str]:
        """The sources that there are, and the expression with a configuration's one."""
        if not callable(self.source):
            return [read_source(self.source)], "0"
        made: list[Any] = []

        def place(configuration: Mapping[str, Any]) -> int:
            text = self.source(dict(configuration))
            if text not in made:
                made.append(text)
            return made.index(text)

        choice = self.table(place)
        return [read_source(text) for text in made], choice


def _axes(sizes: Any) -> list[Any]:
    """Returns the extents in x, y and z; those that are not given are 1."""
    return [*(sizes if isinstance(sizes, (list, tuple)) else [sizes]), 1, 1][:3]
