"""Kernel Tuner's cache file, which its own readers accept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CLOSED = "}\n}"
"""The last bytes of a complete file. Kernel Tuner replaces them to go on."""

SAME = ("device_name", "kernel_name", "problem_size", "tune_params_keys")
"""What must agree if a call goes on with a file."""

Row = dict[str, Any]


class Cache:
    """Rows by configuration, which a later call with the same file does not measure again."""

    def __init__(self, name: str | Path | None, header: Mapping[str, Any]) -> None:
        self.path = Path(str(name).removesuffix(".json") + ".json") if name else None
        self.header: Row = json.loads(json.dumps(header, default=_plain))
        self.rows = self._read(self.path) if self.path and self.path.exists() else []

    def _read(self, path: Path) -> list[Row]:
        found = _parsed(path)
        for member in SAME:
            there, here = found.get(member), self.header[member]
            if _single(there) != _single(here):
                raise ValueError(
                    f"`{path}` is a cache for another `{member}`: {there}, not {here}; "
                    "name another file"
                )
        return list(found["cache"].values())

    def write(self, rows: Sequence[Row]) -> None:
        """Adds rows to the file, in the layout that Kernel Tuner goes on with."""
        if self.path is None or not rows:
            return
        merged = {self._key(row): row for row in [*self.rows, *rows]}
        lines = [f"{json.dumps(key)}: {json.dumps(row)}" for key, row in merged.items()]
        head = json.dumps({**self.header, "cache": {}}, indent="").removesuffix(CLOSED)
        aside = self.path.with_name(f"{self.path.name}.part")
        aside.write_text(head + "\n" + ",\n".join(lines) + CLOSED)
        aside.replace(self.path)

    def _key(self, row: Row) -> str:
        return ",".join(str(row[name]) for name in self.header["tune_params_keys"])


def _parsed(path: Path) -> Row:
    """Reads a file, also one that its writer has not closed."""
    text = path.read_text().strip()
    for whole in (text, text.rstrip(",") + CLOSED):
        try:
            found: Row = json.loads(whole)
        except ValueError:
            continue
        if isinstance(found, dict) and "cache" in found:
            return found
    raise ValueError(f"`{path}` is no cache file of Kernel Tuner; name another file")


def _plain(given: Any) -> Any:
    """A value of the header that JSON lacks: a number of NumPy, or a function."""
    return given.item() if hasattr(given, "item") else "callable"


def _single(member: Any) -> Any:
    """A list of one element means the same as the element."""
    return member[0] if isinstance(member, list) and len(member) == 1 else member
