"""``compare``: which of several studies is faster, and where."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from . import _program
from ._study import Study


@dataclass(frozen=True)
class Comparison:
    """What the program says of studies of the same kernel. Its text is a table.

    >>> comparison = Comparison({"first": "a", "others": []}, "a table")
    >>> print(comparison)
    a table
    """

    document: dict[str, Any]
    """Everything, as ``autobench compare --json`` gives it."""
    text: str

    def verdicts(self) -> dict[str, str]:
        """Returns the verdict on each other folder: ``faster``, ``slower``, ``same``, ``unknown``.

        >>> comparison.verdicts()                                   # doctest: +SKIP
        {'20261201T080000Z_add_cpu_kneedle': 'faster'}
        """
        return {
            other["name"]: str(benchmark["verdict"])
            for other in self.document["others"]
            for benchmark in other["benchmarks"]
        }

    def __str__(self) -> str:
        return self.text


def compare(
    first: Study | str | os.PathLike[str],
    *others: Study | str | os.PathLike[str],
    **flags: object,
) -> Comparison:
    """Compares studies, or folders of studies, with the first one.

    Further arguments are options of ``autobench compare``: ``margin="5%"``,
    ``fail_on="slower:5%"`` (then a :class:`ComparisonError` is raised where that is so).

    >>> print(compare("out/before", "out/after"))                   # doctest: +SKIP
    """
    folders = [study.folder if isinstance(study, Study) else study for study in (first, *others)]
    options = _program.flags(flags)
    text = _program.call(["compare", *folders, *options])
    document = _program.call(["compare", *folders, *options, "--json"])
    return Comparison(json.loads(document), text.rstrip())
