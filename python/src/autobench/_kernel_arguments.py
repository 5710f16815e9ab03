"""The arguments of a kernel as arguments of a benchmark: roles, formats and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._kernel_source import Pointer

FORMATS = {
    "f8": "f64",
    "f4": "f32",
    "f2": "f16",
    "i8": "i64",
    "i4": "i32",
    "i1": "i8",
    "u8": "u64",
    "u4": "u32",
    "u1": "u8",
    "b1": "u8",
}
"""Formats of the program by NumPy's types. Arrays of others are passed as bytes."""

RELATIVE = 1e-5
"""The relative tolerance of ``numpy.allclose``, which Kernel Tuner leaves as it is."""


@dataclass
class Argument:
    """One argument: its name, its role, its content, and what it should be after a run."""

    name: str
    role: str
    content: NDArray[Any]
    """In one dimension; a scalar has none."""
    expected: NDArray[np.float64] | None = None

    def described(self, folder: Path) -> dict[str, Any]:
        """Returns the argument of the benchmark, and writes its content into the folder."""
        known = FORMATS.get(self.content.dtype.str[1:])
        about: dict[str, Any] = {"name": self.name, "role": self.role, "format": known or "u8"}
        if self.content.ndim == 0:
            return {**about, "value": repr(self.content.item() + 0)}
        about["shape"] = [str(self.content.size if known else self.content.nbytes)]
        if self.role != "scratch" and self.content.any():
            file = f"{self.name}.in"
            self.content.tofile(folder / file)
            about["fill"] = {"file": file}
        return about


def read_arguments(
    values: Sequence[Any], declared: Sequence[Pointer], answer: Sequence[Any] | None
) -> list[Argument]:
    """Gives each argument of a kernel a role.

    With an answer, what it names is the output; otherwise everything that may be written. The
    content of an output is restored before a run, as in Kernel Tuner.
    """
    answers = [None] * len(values) if answer is None else answer
    if len(answers) != len(values):
        raise TypeError(
            f"`answer` has {len(answers)} elements and `arguments` {len(values)}; "
            "give None for each input"
        )
    made = []
    for at, (value, pointer, right) in enumerate(zip(values, declared, answers, strict=True)):
        content = _content(value, f"arguments[{at}]")
        expected = None if right is None else _expected(right, content, f"answer[{at}]")
        if expected is not None:
            role = "inout"
        elif content.ndim == 0 or pointer.use == "read":
            role = "in"
        elif answer is None:
            role = "inout"
        elif pointer.use == "unknown":
            role = "in"
        elif not content.any():
            role = "scratch"
        else:
            raise NotImplementedError(
                f"arguments[{at}], `{pointer.name}`, is changed by the kernel and has no answer; "
                "give its answer too, or a function as `verify`"
            )
        made.append(Argument(pointer.name, role, content, expected))
    if not any(argument.role == "inout" for argument in made):
        output = next((argument for argument in made if argument.content.ndim), None)
        if output is None:
            raise ValueError("no argument is an array, so the kernel has no result")
        output.role = "inout"
    return made


def read_constants(values: Mapping[str, Any]) -> list[Argument]:
    """Returns the arguments that are bound to symbols of constant memory."""
    return [
        Argument(name, "constant", np.atleast_1d(_content(value, f"cmem_args[{name!r}]")))
        for name, value in values.items()
    ]


def reference(arguments: Sequence[Argument], folder: Path, atol: float) -> dict[str, Any]:
    """Returns what the benchmark says of right results, and writes them into the folder.

    A result is right if `numpy.allclose` says so. The largest error that any right result can
    have decides which results are wrong at once, and `allclose` is a bound on the rest.
    """
    files, largest = {}, 0.0
    for argument in arguments:
        if argument.expected is not None:
            files[argument.name] = f"{argument.name}.answer"
            argument.expected.tofile(folder / files[argument.name])
            largest = max(largest, float(np.abs(argument.expected).max(initial=0)))
    if not files:
        return {"error": {"metric": "max", "bound": 1e300}}
    bound = max(atol + RELATIVE * largest, 1e-300)
    each = f"abs(x - r) / (max({float(atol)!r}, 1e-300) + {RELATIVE!r} * abs(x))"
    return {
        "error": {"metric": "max", "bound": bound, "wrong_above": bound},
        "errors": [{"name": "allclose", "each": each, "over": "max"}],
        "reference": {"files": files},
    }


def _content(value: Any, place: str) -> NDArray[Any]:
    """Returns an argument as an array on the host, of one dimension, or of none for a scalar."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    elif not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "get"):
        value = value.get()
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value).reshape(-1)
    if isinstance(value, np.generic):
        if value.dtype.str[1:] not in FORMATS:
            raise NotImplementedError(
                f"{place} is a scalar of type {value.dtype}; the program passes scalars of "
                f"{', '.join(sorted(set(FORMATS.values())))}"
            )
        return np.asarray(value)
    raise TypeError(
        f"{place} is of type `{type(value).__name__}`; give an array, or a scalar of NumPy such as "
        "numpy.int32(…)"
    )


def _expected(answer: Any, content: NDArray[Any], place: str) -> NDArray[np.float64]:
    expected = _content(answer, place)
    if expected.ndim == 0 or content.ndim == 0:
        raise TypeError(f"{place} is a scalar; a kernel's output is an array")
    if expected.size != content.size:
        raise ValueError(f"{place} has {expected.size} elements and the argument {content.size}")
    if content.dtype.str[1:] not in FORMATS:
        raise NotImplementedError(
            f"{place}: results of type {content.dtype} cannot be compared; leave it None"
        )
    if not np.isfinite(expected).all():
        raise NotImplementedError(
            f"{place} holds NaN or infinity, which the program takes for a wrong result; "
            "write a number there"
        )
    return expected.astype(np.float64)
