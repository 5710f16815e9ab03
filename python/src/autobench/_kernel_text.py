"""The text that is compiled for ``tune_kernel``: the user's source below Kernel Tuner's macros."""

from __future__ import annotations

import re
from typing import Any

from ._kernel import THREADS, Kernel
from ._kernel_source import includes

GRID_NAMES = ("grid_size_x", "grid_size_y", "grid_size_z")

HOST_HEADER = re.compile(
    r"c(assert|math|stdio|stdlib)|(assert|math|stdio|stdlib|cuda|cuda_runtime"
    r"|device_launch_parameters|hip/hip_runtime)\.h"
)
"""Headers that compilers for GPUs lack at run time. What kernels use of them is built in."""

CHOICE = "tuned_source"
"""The macro with the number of the text, where a function makes several."""


def sources(kernel: Kernel) -> list[dict[str, Any]]:
    """Returns the sources of the benchmark: the text, and the files that it includes."""
    texts, choice = kernel.texts
    body = texts[0].text
    lines = []
    if len(texts) > 1:
        lines.append(f"#define {CHOICE} {_value(choice)}")
        parts = (f"#if {CHOICE} == {at}\n{one.text}\n#endif" for at, one in enumerate(texts))
        body = "\n".join(parts)
    macros = _macros(kernel, body) if kernel.defines is None else _defines(kernel)
    lines += [f"#define {name} {text}" for name, text in macros.items()]
    body = _unrolled(kernel, body.replace("{{", "{ {"))
    text = "\n".join([*lines, "#line 1", body])
    made = "template" if "{{" in text else "as_written"
    files = dict(texts[0].files)
    if kernel.device != "cpu":
        named = includes("\n".join([body, *files.values()]))
        lacking = filter(HOST_HEADER.fullmatch, named)
        files = {**dict.fromkeys(lacking, "// built in\n"), **files}
    included = [{"name": name, "text": file} for name, file in files.items()]
    return [{"name": "kernel.cu", "text": text, "made": made}, *included]


def _value(expression: str) -> str:
    """A place in a template that an expression fills."""
    return f"{{{{ {expression} }}}}"


def _macros(kernel: Kernel, body: str) -> dict[str, str]:
    """The macros of Kernel Tuner next to the parameters."""
    macros = {"kernel_tuner": "1"}
    for name in kernel.parameters:
        if kernel.internal(name) != name:
            macros[name] = _value(kernel.internal(name))
    for axis, name in enumerate(GRID_NAMES):
        if name in body:
            macros[name] = _value(kernel.grid(axis))
    for name, threads in zip(kernel.block_names, THREADS, strict=True):
        if name not in kernel.parameters and re.search(rf"\b{name}\b", body):
            macros[name] = threads
    return macros


def _defines(kernel: Kernel) -> dict[str, str]:
    """The macros that the user gave in place of all others."""
    macros = {}
    for name, given in (kernel.defines or {}).items():
        if callable(given):
            macros[name] = _value(kernel.table(given))
        else:
            inserted = kernel.inserted(str(given), lambda word: _value(kernel.internal(word)))
            macros[name] = inserted.replace("\n", "\\\n")
    return macros


def _unrolled(kernel: Kernel, body: str) -> str:
    """Writes factors of unrolling as numbers. A factor of 0 leaves the loop as it is."""
    factors = "|".join(name for name in kernel.parameters if "loop_unroll_factor" in name)
    if not factors:
        return body
    pragma = rf"^[ \t]*#[ \t]*pragma[ \t]+unroll[ \t]+({factors})\b"

    def written(found: re.Match[str]) -> str:
        name = found[1]
        return _value(kernel.table(lambda p: f"#pragma unroll {p[name]}" if p[name] else ""))

    return re.sub(pragma, written, body, flags=re.MULTILINE)
