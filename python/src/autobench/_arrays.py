"""Arrays of NumPy, torch and CuPy: bytes, copies, comparison, and elements as numbers.

A package is only asked about arrays if the user's program has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Family(Protocol):
    """What arrays of one package can do."""

    package: str

    def owns(self, value: object) -> bool:
        """Whether a value is such an array."""

    def nbytes(self, array: Any) -> int:
        """Bytes of all elements."""

    def owner(self, array: Any) -> int:
        """Returns the address of the memory that an array is the whole or a part of."""

    def copy(self, array: Any) -> Any:
        """Returns a new array with the same content, shape, strides and device."""

    def fill(self, array: Any, source: Any) -> None:
        """Copies content."""

    def is_floating(self, array: Any) -> bool:
        """Whether an array can hold NaN."""

    def take(self, array: Any, indices: NDArray[np.int64] | None) -> NDArray[Any]:
        """Returns elements by flat index, or all, as an array of NumPy."""

    def device(self, array: Any) -> str:
        """``cpu``, ``cuda:0`` or another device."""


def strided(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """Returns the bytes that strides reach over, and where the first element lies in them."""
    if 0 in shape:
        return 0, 0
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    below = -sum(min(bytes_, 0) for bytes_ in reach)
    return below + sum(max(bytes_, 0) for bytes_ in reach) + itemsize, below


class _NumPy:
    package = "numpy"

    def owns(self, value: object) -> bool:
        return isinstance(value, np.ndarray)

    def nbytes(self, array: Any) -> int:
        return int(array.nbytes)

    def owner(self, array: Any) -> int:
        while isinstance(array.base, np.ndarray):
            array = array.base
        return int(array.__array_interface__["data"][0])

    def copy(self, array: Any) -> Any:
        if array.flags.forc:
            return array.copy(order="K")
        extent, first = strided(array.shape, array.strides, array.itemsize)
        memory = np.empty(extent, np.uint8)
        copy = np.ndarray(array.shape, array.dtype, memory, first, array.strides)
        copy[...] = array
        return copy

    def fill(self, array: Any, source: Any) -> None:
        array[...] = source

    def is_floating(self, array: Any) -> bool:
        return array.dtype.kind in "fc"

    def take(self, array: Any, indices: NDArray[np.int64] | None) -> NDArray[Any]:
        flat = array.reshape(-1)
        return np.asarray(flat if indices is None else flat[indices])

    def device(self, array: Any) -> str:
        return "cpu"


class _Torch:
    package = "torch"

    def owns(self, value: object) -> bool:
        return isinstance(value, sys.modules["torch"].Tensor)

    def nbytes(self, array: Any) -> int:
        return int(array.numel() * array.element_size())

    def owner(self, array: Any) -> int:
        return int(array.untyped_storage().data_ptr())

    def copy(self, array: Any) -> Any:
        copy = sys.modules["torch"].empty_strided(
            array.shape, array.stride(), dtype=array.dtype, device=array.device
        )
        self.fill(copy, array)
        return copy.requires_grad_(array.requires_grad)

    def fill(self, array: Any, source: Any) -> None:
        with sys.modules["torch"].no_grad():
            array.copy_(source) if self.owns(source) else array.fill_(source)

    def is_floating(self, array: Any) -> bool:
        return bool(array.is_floating_point() or array.is_complex())

    def take(self, array: Any, indices: NDArray[np.int64] | None) -> NDArray[Any]:
        torch = sys.modules["torch"]
        flat = array.detach().reshape(-1)
        if indices is not None:
            flat = flat[torch.as_tensor(indices, device=flat.device)]
        if flat.is_floating_point():
            flat = flat.to(torch.float64)  # NumPy has no bfloat16
        return np.asarray(flat.cpu().resolve_conj().numpy())

    def device(self, array: Any) -> str:
        return str(array.device)


class _CuPy(_NumPy):
    package = "cupy"

    def owns(self, value: object) -> bool:
        return isinstance(value, sys.modules["cupy"].ndarray)

    def owner(self, array: Any) -> int:
        return int(array.data.mem.ptr)

    def copy(self, array: Any) -> Any:
        cupy = sys.modules["cupy"]
        extent, first = strided(array.shape, array.strides, array.itemsize)
        with array.device:
            memory = cupy.empty(extent, cupy.uint8)
            copy = cupy.ndarray(array.shape, array.dtype, memory.data + first, array.strides)
            copy[...] = array
        return copy

    def take(self, array: Any, indices: NDArray[np.int64] | None) -> NDArray[Any]:
        flat = array.reshape(-1)
        return np.asarray(
            (flat if indices is None else flat[sys.modules["cupy"].asarray(indices)]).get()
        )

    def device(self, array: Any) -> str:
        return f"cuda:{array.device.id}"


class _Foreign:
    """Arrays of other packages, which are only used as they are."""

    package = ""

    def owns(self, value: object) -> bool:
        marks = ("__cuda_array_interface__", "__dlpack__", "__array_interface__")
        return not isinstance(value, np.generic) and any(hasattr(value, mark) for mark in marks)

    def nbytes(self, array: Any) -> int:
        return int(getattr(array, "nbytes", 0))

    def owner(self, array: Any) -> int:
        return id(array)

    def copy(self, array: Any) -> Any:
        raise TypeError(f"an array of {type(array).__module__} cannot be copied")

    def fill(self, array: Any, source: Any) -> None:
        raise TypeError(f"an array of {type(array).__module__} cannot be filled")

    def is_floating(self, array: Any) -> bool:
        return False

    def take(self, array: Any, indices: NDArray[np.int64] | None) -> NDArray[Any]:
        to_host = getattr(array, "copy_to_host", None)
        flat = np.asarray(array if to_host is None else to_host()).reshape(-1)
        return flat if indices is None else flat[indices]

    def device(self, array: Any) -> str:
        return "cuda:0" if hasattr(array, "__cuda_array_interface__") else "cpu"


FOREIGN: Family = _Foreign()
_FAMILIES: tuple[Family, ...] = (_NumPy(), _Torch(), _CuPy(), FOREIGN)


def family(value: object) -> Family | None:
    """Returns the family of an array; None for everything else."""
    for one in _FAMILIES:
        if (not one.package or one.package in sys.modules) and one.owns(value):
            return one
    return None


def known(value: object) -> Family:
    """Returns the family of what is known to be an array."""
    found = family(value)
    if found is None:
        raise TypeError(f"a value of type `{type(value).__name__}` is no array")
    return found


def arrays(values: Iterable[object]) -> list[Any]:
    """Returns the arrays among values."""
    return [value for value in values if family(value) is not None]


def total_bytes(values: Iterable[object]) -> int:
    """Returns the bytes of all arrays among values."""
    return sum(known(array).nbytes(array) for array in arrays(values))


def can_be_copied(values: Iterable[object]) -> bool:
    """Whether all arrays among values can be copied."""
    return all(family(value) is not FOREIGN for value in values)


def deep_copy(values: Iterable[object]) -> tuple[Any, ...]:
    """Returns values with a copy of each array. What was one array stays one."""
    copies: dict[int, Any] = {}

    def copy(value: object) -> Any:
        of = family(value)
        if of is None or of is FOREIGN:
            return value
        if id(value) not in copies:
            copies[id(value)] = of.copy(value)
        return copies[id(value)]

    return tuple(copy(value) for value in values)


def restore(values: Iterable[object], originals: Iterable[object]) -> None:
    """Gives copies the content of their originals again."""
    for value, original in zip(values, originals, strict=True):
        of = family(value)
        if of is not None and of is not FOREIGN:
            of.fill(value, original)


def poison(array: Any) -> None:
    """Replaces the content: by NaN, and of whole numbers by the first, which may be an index."""
    of = known(array)
    if of is FOREIGN or of.nbytes(array) == 0:
        return
    of.fill(array, float("nan") if of.is_floating(array) else array.reshape(-1)[0].item())


def snapshot(array: Any) -> Any:
    """Returns what :func:`differs` compares an array with later. Copies have originals for that."""
    return known(array).take(array, None).copy() if known(array) is FOREIGN else array


def differs(array: Any, other: Any) -> bool:
    """Whether an array holds something else than another, or than a snapshot of it."""
    one = known(array).take(array, None) if known(array) is FOREIGN else array
    same = (one == other) | ((one != one) & (other != other))  # NaN is the same as NaN
    return not bool(same.all())


def elements(value: Any, indices: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Returns elements of an array, or a number, by flat index. Of complex ones, both parts."""
    of = family(value)
    whole = np.asarray(value).reshape(-1) if of is None else of.take(value, indices)
    if whole.dtype.kind == "c":
        return np.ascontiguousarray(whole, np.complex128).view(np.float64)
    return whole.astype(np.float64)


def count(value: Any) -> int:
    """Returns the number of elements of an array or a number."""
    return int(np.prod(getattr(value, "shape", ()), dtype=np.int64))
