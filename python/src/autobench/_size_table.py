"""Sizes as tables, in text and in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._study import SizePoint

HEAD = ("size", "time", "", "gain", "best configuration")
PREFIXES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def duration(seconds: float) -> str:
    """Returns seconds with three digits and a fitting unit.

    >>> duration(2.644e-6)
    '2.64 µs'
    """
    factor, unit = next((one for one in PREFIXES if seconds >= one[0]), PREFIXES[-1])
    return f"{seconds / factor:.3g} {unit}"


def configuration(values: dict[str, object]) -> str:
    """Returns a configuration as one word.

    >>> configuration({"a": 1, "b": "x"})
    'a=1,b=x'
    """
    return ",".join(f"{name}={value}" for name, value in values.items())


def _rows(points: Sequence[SizePoint], unit: str, knee: int | None) -> list[tuple[str, ...]]:
    head = (*HEAD[:2], unit, *HEAD[3:])
    rows: list[tuple[str, ...]] = [
        (
            f"{point.size}{' (knee)' if point.size == knee else ''}",
            duration(point.seconds),
            "" if point.metric is None else f"{point.metric:.4g}",
            "" if point.gain is None else f"{point.gain:.3g}",
            configuration(point.configuration),
        )
        for point in points
    ]
    return [head, *rows]


def text_table(points: Sequence[SizePoint], unit: str, knee: int | None) -> str:
    """Returns a table in text: numbers to the right, configurations to the left."""
    rows = _rows(points, unit, knee)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = widths[:-1]
    return "\n".join("  ".join([*map(str.rjust, row[:-1], numbers), row[-1]]) for row in rows)


def html_table(points: Sequence[SizePoint], unit: str, knee: int | None) -> str:
    """Returns a table in HTML."""
    head, *rows = _rows(points, unit, knee)
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
