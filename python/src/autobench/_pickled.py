"""The description of a study in its folder, so that another process can go on with it."""

from __future__ import annotations

import io
import os
import pickle
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ._description import Description
from .errors import SettingsError

FILE = "python.pickle"
MOST_BYTES = 64 << 20
"""Larger descriptions, as of large arrays, are not kept."""


class _TooLarge(Exception):
    """The description has more bytes than are kept."""


class _Limited(io.BytesIO):
    def write(self, data: Any) -> int:
        if self.tell() + memoryview(data).nbytes > MOST_BYTES:
            raise _TooLarge
        return super().write(data)


class _Plain(pickle.Pickler):
    """Pickles nothing of a script or a notebook, which another process would not find."""

    def reducer_override(self, obj: Any) -> Any:
        if getattr(obj, "__module__", "") == "__main__":
            raise pickle.PicklingError
        return NotImplemented


def dump(description: Description) -> bytes | None:
    """Returns a description as bytes; None if it is too large or cannot be pickled."""
    file = _Limited()
    try:
        if find_spec("cloudpickle"):
            import_module("cloudpickle").dump(description, file)
        else:
            _Plain(file).dump(description)
    except Exception:  # Objects may refuse in any way.
        return None
    return file.getvalue()


def keep(folder: Path, pickled: bytes) -> None:
    """Writes a description into a study's folder, whole or not at all."""
    temporary = folder / f".{FILE}.{os.getpid()}"
    temporary.write_bytes(pickled)
    temporary.replace(folder / FILE)


def load(folder: Path) -> Description:
    """Returns the description in a study's folder. This runs code, so trust the folder."""
    again = f"call ab.saturate or ab.tune as before, with resume={os.fspath(folder)!r}"
    try:
        pickled = (folder / FILE).read_bytes()
    except FileNotFoundError:
        raise SettingsError(
            f"`{folder}` has no `{FILE}`, because the kernel could not be pickled "
            "(cloudpickle can do more) or was too large",
            hint=again,
            folder=folder,
        ) from None
    try:
        description = pickle.loads(pickled)
    except Exception as error:
        raise SettingsError(
            f"`{folder / FILE}` cannot be read here: {error}", hint=again, folder=folder
        ) from error
    if not isinstance(description, Description):
        raise SettingsError(f"`{folder / FILE}` holds no kernel", hint=again, folder=folder)
    return description
