"""Families of arrays: what NumPy, torch, CuPy and Numba call bytes, copies and elements.

A package is only asked about arrays if the user's program has imported it.
"""

from __future__ import annotations

import sys
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
        distinct = _distinct(array)
        with sys.modules["torch"].no_grad():
            if self.owns(source):
                distinct.copy_(_distinct(source))
            else:
                distinct.fill_(source)

    def is_floating(self, array: Any) -> bool:
        return bool(array.is_floating_point() or array.is_complex())

    def take(self, array: Any, indices: NDArray[np.int64] | None) -> NDArray[Any]:
        torch = sys.modules["torch"]
        flat = array.detach().reshape(-1)
        if indices is not None:
            flat = flat[torch.as_tensor(indices, device=flat.device)]
        flat = flat.cpu().resolve_conj()
        # NumPy has no bfloat16.
        return np.asarray((flat.to(torch.float64) if flat.is_floating_point() else flat).numpy())

    def device(self, array: Any) -> str:
        return str(array.device)


def _distinct(tensor: Any) -> Any:
    """Returns the part of a tensor in which no two elements are the same memory."""
    return tensor[tuple(slice(0, 1) if step == 0 else slice(None) for step in tensor.stride())]


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


class Foreign:
    """Arrays of other packages, which are only used as they are."""

    package = ""

    def owns(self, value: object) -> bool:
        marks = ("__cuda_array_interface__", "__dlpack__", "__array_interface__")
        return not isinstance(value, np.generic) and any(hasattr(value, mark) for mark in marks)

    def nbytes(self, array: Any) -> int:
        return int(getattr(array, "nbytes", 0))

    def owner(self, array: Any) -> int:
        on_gpu = getattr(array, "__cuda_array_interface__", None)
        return id(array) if on_gpu is None else int(on_gpu["data"][0])

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


class _Numba(Foreign):
    """Arrays of ``numba.cuda``, which compute nothing by themselves."""

    package = "numba.cuda"

    def owns(self, value: object) -> bool:
        if not type(value).__module__.startswith("numba.cuda."):
            return False
        # Streams are no arrays, and arrays with gaps cannot be copied.
        contiguous = (
            getattr(value, "is_c_contiguous", None),
            getattr(value, "is_f_contiguous", None),
        )
        return any(is_it is not None and is_it() for is_it in contiguous)

    def copy(self, array: Any) -> Any:
        copy = sys.modules["numba.cuda"].device_array_like(array)
        copy.copy_to_device(array)
        return copy

    def fill(self, array: Any, source: Any) -> None:
        is_number = isinstance(source, (int, float))
        array.copy_to_device(np.full(array.shape, source, array.dtype) if is_number else source)

    def is_floating(self, array: Any) -> bool:
        return array.dtype.kind in "fc"

    def device(self, array: Any) -> str:
        return "cuda:0"


FOREIGN: Family = Foreign()
FAMILIES: tuple[Family, ...] = (_NumPy(), _Torch(), _CuPy(), _Numba(), FOREIGN)
"""The first that owns an array is its family."""
