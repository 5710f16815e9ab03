"""The benchmark that the program gets of a kernel (docs/guide/benchmarks.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _kernel_text
from ._description import slug
from ._expressions import literal
from ._kernel import Kernel
from ._kernel_arguments import Argument, read_arguments, read_constants, reference
from ._kernel_cache import Row
from ._tables import condition

MOST_THREADS = 1024
"""Threads that a block has at most, on every device."""


def write(kernel: Kernel, folder: Path, *restrictions: str) -> Path:
    """Writes the benchmark into a folder, with further restrictions. Returns its file."""
    path = folder / "kernel.yaml"
    path.write_text(json.dumps(_document(kernel, folder, restrictions), indent=1))
    return path


def among(kernel: Kernel, rows: Sequence[Row]) -> str:
    """Returns the expression that is true for the configurations of rows."""
    names = ", ".join(kernel.internal(name) for name in kernel.parameters)
    return f"[{names}] in {literal([[row[name] for name in kernel.parameters] for row in rows])}"


def arguments_of(kernel: Kernel) -> list[Argument]:
    """Returns the kernel's arguments with their names and roles."""
    declared = kernel.texts[0][0].arguments(kernel.name, len(kernel.arguments))
    return read_arguments(kernel.arguments, declared, kernel.answer)


def _document(kernel: Kernel, folder: Path, restrictions: Sequence[str]) -> dict[str, Any]:
    arguments = arguments_of(kernel)
    constants = read_constants(kernel.constants)
    document: dict[str, Any] = {
        "name": slug(kernel.name),
        "about": f"the kernel {kernel.name}, by tune_kernel",
        "sources": _kernel_text.sources(kernel),
        "options": _options(kernel),
        "launches": [_launch(kernel)],
        "arguments": [argument.described(folder) for argument in [*arguments, *constants]],
        "parameters": [
            {"name": kernel.internal(name), "values": values}
            for name, values in kernel.parameters.items()
        ],
        "restrictions": [*_restrictions(kernel), *restrictions],
        "size": {"start": kernel.size, "meaning": "elements of the problem"},
        **reference(arguments, folder, kernel.atol),
    }
    if kernel.metric:
        expression, higher = kernel.metric
        better = "higher" if higher else "lower"
        metric = {"name": "objective", "unit": "", "better": better}
        document["metrics"] = [{**metric, "expression": kernel.expression(expression)}]
    return document


def _launch(kernel: Kernel) -> dict[str, Any]:
    launch: dict[str, Any] = {
        "entry": kernel.expression(kernel.name),
        "problem": [kernel.grid(axis) for axis in range(3)],
        "grid_divisors": [[], [], []],
        "block": kernel.block(),
    }
    if "size" in kernel.shared_memory:
        launch["shared_bytes"] = kernel.number(kernel.shared_memory["size"])
    return launch


def _options(kernel: Kernel) -> dict[str, list[str]]:
    """Options of the compiler. The cpu device's gets only macros: the others are not its own."""
    macros = [option for option in kernel.compiler_options if option.startswith(("-D", "-U"))]
    others = [option for option in kernel.compiler_options if option not in macros]
    return {"all": macros, **({} if kernel.device == "cpu" else {kernel.device: others})}


def _restrictions(kernel: Kernel) -> list[str]:
    given = kernel.restrictions
    given = given if isinstance(given, list) else [] if given is None else [given]
    texts = [kernel.expression(_restriction(kernel, one)) for one in given]
    threads = [kernel.internal(name) for name in kernel.block_names if name in kernel.parameters]
    return texts + ([f"{' * '.join(threads)} <= {MOST_THREADS}"] if threads else [])


def _restriction(kernel: Kernel, restriction: Any) -> str:
    if isinstance(restriction, str):
        return restriction
    if isinstance(restriction, tuple) and len(restriction) >= 2 and callable(restriction[0]):
        function, names = restriction[0], list(restriction[1])
        return condition(lambda p: function(*(p[name] for name in names)), kernel.parameters)
    if callable(restriction) and not hasattr(restriction, "preProcess"):
        return condition(restriction, kernel.parameters)
    raise NotImplementedError(
        f"the restriction {restriction!r} is neither a text nor a function; write it as a text, "
        "such as `block_size_x * block_size_y <= 1024`"
    )
