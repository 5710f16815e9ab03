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


@dataclass(frozen=True)
class Argument:
    """One argument: its name, its role, its content, and what it should be after a run."""

    name: str
    role: str
    content: NDArray[Any]
    is_scalar: bool
    expected: NDArray[np.float64] | None = None

    @property
    def format(self) -> str:
        """The format of its elements, or of its bytes."""
        return FORMATS.get(self.content.dtype.str[1:], "u8")

    def described(self, folder: Path) -> dict[str, Any]:
        """Returns the argument of the benchmark, and writes its content into the folder."""
        about: dict[str, Any] = {"name": self.name, "role": self.role, "format": self.format}
        if self.is_scalar:
            return {**about, "value": repr(self.content.item() + 0)}
        known = self.content.dtype.str[1:] in FORMATS
        about["shape"] = [str(self.content.size if known else self.content.nbytes)]
        if self.role != "scratch" and self.content.any():
            file = f"{self.name}.in"
            self.content.tofile(folder / file)
            about["fill"] = {"file": file}
        return about


@dataclass(frozen=True)
class Arguments:
    """The arguments of a kernel, in its order."""

    all: list[Argument]

    @classmethod
    def of(
        cls, values: Sequence[Any], declared: Sequence[Pointer], answer: Sequence[Any] | None
    ) -> Arguments:
        """Gives each argument a role.

        With an answer, what it names is the output; otherwise everything that may be written. The
        content of an output is restored before a run, as in Kernel Tuner.
        """
        if answer is not None and len(answer) != len(values):
            raise TypeError(
                f"`answer` has {len(answer)} elements and `arguments` {len(values)}; "
                "give None for each input"
            )
        made = []
        for at, (value, pointer) in enumerate(zip(values, declared, strict=True)):
            content, is_scalar = _content(value, f"arguments[{at}]")
            expected = None
            if answer is not None and answer[at] is not None:
                expected = _expected(answer[at], content, f"answer[{at}]")
            if is_scalar or pointer.use == "read":
                role = "in"
            elif answer is None:
                role = "inout"
            else:
                role = _unchecked(pointer, content, f"arguments[{at}]")
            role = role if expected is None else "inout"
            made.append(Argument(pointer.name, role, content, is_scalar, expected))
        if not any(argument.role == "inout" for argument in made):
            outputs = [at for at, argument in enumerate(made) if not argument.is_scalar]
            if not outputs:
                raise ValueError("no argument is an array, so the kernel has no result")
            first = made[outputs[0]]
            made[outputs[0]] = Argument(first.name, "inout", first.content, is_scalar=False)
        return cls(made)

    @classmethod
    def constants(cls, values: Mapping[str, Any]) -> Arguments:
        """The arguments that are bound to symbols of constant memory."""
        contents = (
            (name, _content(value, f"cmem_args[{name!r}]")[0]) for name, value in values.items()
        )
        return cls(
            [
                Argument(name, "constant", np.atleast_1d(content), False)
                for name, content in contents
            ]
        )

    def described(self, folder: Path) -> list[dict[str, Any]]:
        """Returns the arguments of the benchmark, and writes their contents into the folder."""
        return [argument.described(folder) for argument in self.all]

    def reference(self, folder: Path, atol: float) -> dict[str, Any]:
        """Returns what the benchmark says of right results, and writes them into the folder.

        A result is right if `numpy.allclose` says so. The largest error that any right result can
        have decides which results are wrong at once, and `allclose` is a bound on the rest.
        """
        files, largest = {}, 0.0
        for argument in self.all:
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


def _unchecked(pointer: Pointer, content: NDArray[Any], place: str) -> str:
    """Returns the role of an array that a kernel may write, and whose answer is not given."""
    if pointer.use == "unknown":
        return "in"
    if content.any():
        raise NotImplementedError(
            f"{place}, `{pointer.name}`, is changed by the kernel and has no answer; give its "
            "answer too, or a function as `verify`"
        )
    return "scratch"


def _content(value: Any, place: str) -> tuple[NDArray[Any], bool]:
    """Returns an argument as an array on the host, and whether it is a scalar."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    elif not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "get"):
        value = value.get()
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value).reshape(-1), False
    if isinstance(value, np.generic):
        if value.dtype.str[1:] not in FORMATS:
            raise NotImplementedError(
                f"{place} is a scalar of type {value.dtype}; the program passes scalars of "
                f"{', '.join(sorted(set(FORMATS.values())))}"
            )
        return np.asarray(value), True
    raise TypeError(
        f"{place} is of type `{type(value).__name__}`; give an array, or a scalar of NumPy such as "
        "numpy.int32(…)"
    )


def _expected(answer: Any, content: NDArray[Any], place: str) -> NDArray[np.float64]:
    expected, is_scalar = _content(answer, place)
    if is_scalar or content.ndim == 0:
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
