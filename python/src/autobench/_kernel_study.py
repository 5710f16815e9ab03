"""The study of a kernel: runs the program, and reads its trials as rows of Kernel Tuner."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kernel_document
from ._kernel import Kernel
from ._kernel_arguments import Argument
from ._kernel_cache import Cache, Row
from ._kernel_results import mark_wrong
from ._program import INTERRUPTED, call, failure, find, flags
from ._screen import Screen
from ._server import interruptible
from ._study import Study
from .errors import AutobenchError, Interrupted

SAMPLES = 256
"""Most samples of a configuration, unless more iterations are asked for."""

EVERYTHING = 1 << 40
"""A budget that no space exceeds."""


class KernelStudy:
    """A kernel's benchmark in a folder, and its study."""

    def __init__(self, kernel: Kernel, folder: Path, device: str, *, quiet: bool) -> None:
        self.kernel, self.scratch, self.device, self.quiet = kernel, folder, device, quiet
        self.folder: Path | None = None
        """The study's folder, once it has run."""
        self.wrong = 0
        """Configurations whose result was wrong."""
        self.best: Row | None = None
        """The row of the study's answer, whose time comes from fresh samples of the fastest."""

    def search(
        self, known: Cache, evaluations: int | None, options: Mapping[str, object]
    ) -> list[Row]:
        """Returns the known rows and a row for each configuration that was tried.

        If Ctrl-C stops the search, what it tried is kept in the cache.
        """
        rows = self._in_space(known.rows)
        left = None if evaluations is None else max(evaluations - len(rows), 0)
        unknown = [f"not ({_kernel_document.among(self.kernel, rows)})"] if rows else []
        benchmark = _kernel_document.write(self.kernel, self.scratch, *unknown)
        if rows and (left == 0 or self._space(benchmark, 0)["valid"] == 0):
            return rows
        checks = {"verify": "off"}
        if self.kernel.answer is not None:
            checks = {"verify": "thorough", "bound": "allclose<=1"}
        where = {"size": self.kernel.size, "device": self.device, "budget": left or EVERYTHING}
        try:
            folder = self._run(["tune", benchmark, *flags({**where, **checks, **options})])
        except Interrupted as stopped:
            if stopped.folder is not None:
                with suppress(AutobenchError):  # There may be no rows yet.
                    known.write(self._tried(stopped.folder))
            raise
        return [*rows, *self._tried(folder)]

    def _run(self, command: Sequence[str | os.PathLike[str]]) -> Path:
        """Runs the program and shows its progress. Returns the folder of the study."""
        with Screen(quiet=self.quiet) as screen:
            process = screen.start([os.fspath(word) for word in [find(), *command]])
            with interruptible(process) as was_interrupted:
                while screen.ready():
                    pass
                code = process.wait()
        # The path of the benchmark is in no other record.
        records = Path("out").glob("*/study.json")
        ours = (one.parent for one in records if self.scratch.name in one.read_text())
        folder = next(ours, None)
        if was_interrupted() or code == INTERRUPTED:
            why = f"the study was stopped; what it measured is in {folder}"
            raise Interrupted(why, folder=folder)
        if code != 0 or folder is None:
            raise failure(code, screen.written, folder)
        return folder

    def _in_space(self, rows: Sequence[Row]) -> list[Row]:
        """Returns the rows whose configurations are valid now."""
        values = self.kernel.parameters
        listed = [row for row in rows if all(row[name] in values[name] for name in values)]
        if not listed:
            return []
        among = _kernel_document.among(self.kernel, listed)
        benchmark = _kernel_document.write(self.kernel, self.scratch, among)
        valid = [self.kernel.named(one) for one in self._space(benchmark, len(listed))["sample"]]
        return [row for row in listed if {name: row[name] for name in values} in valid]

    def _space(self, benchmark: Path, sample: int) -> dict[str, Any]:
        options = {"size": self.kernel.size, "sample": sample, "json": True}
        found: dict[str, Any] = json.loads(call(["space", benchmark, *flags(options)]))
        return found

    def replay(
        self, known: Cache, evaluations: int | None, options: Mapping[str, object]
    ) -> list[Row]:
        """Returns a row for each configuration that a search would have tried, without a device."""
        if not known.rows:
            raise ValueError("`simulation_mode` replays a cache; give the file of one as `cache`")
        device = f"replay:{known.path}"
        where = {"device": device, "budget": evaluations or EVERYTHING, "json": True}
        told = json.loads(call(["tune", *flags({**where, **options})]))
        return self._tried(Path(told["folder"]))

    def _tried(self, folder: Path) -> list[Row]:
        self.folder = folder
        file = self.scratch / "trials.json"
        call(["export", folder, "--format", "kernel-tuner", "--output", file])
        times = self._timestamps(folder)
        rows = [self._row(found, times) for found in json.loads(file.read_text())["cache"].values()]
        with suppress(AutobenchError):  # There is no answer if it was stopped.
            best = self.kernel.named(Study(folder).best())
            self.best = next((row for row in rows if best.items() <= row.items()), None)
        return rows

    def _row(self, found: Row, times: Mapping[tuple[Any, ...], str]) -> Row:
        names = [self.kernel.internal(name) for name in self.kernel.parameters]
        row = self.kernel.named(found)
        row["timestamp"] = times.get(tuple(row.values()), "")
        own = found.pop("autobench", {})
        if own.get("status") == "wrong-result" or found.pop("allclose", 0.0) > 1:
            self.wrong += 1
            mark_wrong(found)
        if "__error__" in found:
            found.pop("time", None)
        return row | {name: value for name, value in found.items() if name not in names}

    def _timestamps(self, folder: Path) -> dict[tuple[Any, ...], str]:
        """When each configuration was tried."""
        times: dict[tuple[Any, ...], str] = {}
        for line in (folder / "journal.jsonl").read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "trial":
                named = self.kernel.named(event["configuration"])
                times.setdefault(tuple(named.values()), event["utc"])
        return times

    def verify(
        self,
        rows: Sequence[Row],
        answer: Sequence[Any] | None,
        verify: Callable[..., object],
        atol: float,
    ) -> None:
        """Marks the measured rows whose outputs the user's function refuses.

        Each configuration runs once more, since the program keeps the outputs of the best alone.
        """
        arguments = _kernel_document.arguments_of(self.kernel)
        named = {"atol": atol} if "atol" in inspect.signature(verify).parameters else {}
        for row in rows:
            if "__error__" in row:
                continue
            if not verify(answer, self._outputs(row, arguments, answer), **named):
                self.wrong += 1
                mark_wrong(row)

    def _outputs(
        self, row: Row, arguments: Sequence[Argument], answer: Sequence[Any] | None
    ) -> list[NDArray[Any] | None]:
        """The arrays after a run of one configuration; None for those without an answer."""
        found: list[NDArray[Any] | None] = [None] * len(arguments)
        wanted = {}
        for at, argument in enumerate(arguments):
            if argument.role == "inout" and (answer is None or answer[at] is not None):
                wanted[at] = argument
            elif answer is None and argument.content.ndim:
                found[at] = argument.content
        options = {
            "size": self.kernel.size,
            "device": self.device,
            "param": {self.kernel.internal(name): row[name] for name in self.kernel.parameters},
            "hot": True,
            "samples": 1,
            "measure": "rounds=0",
            "budget": 1,
            "verify": "off",
            "keep_output": [argument.name for argument in wanted.values()],
            "out": self.scratch / "outputs",
            "json": True,
        }
        benchmark = self.scratch / "kernel.yaml"
        folder = Path(json.loads(call(["tune", benchmark, *flags(options)]))["folder"])
        for at, argument in wanted.items():
            _, *lines = (folder / f"output-{argument.name}.csv").read_text().split()
            found[at] = np.array(lines, np.float64).astype(argument.content.dtype)
        return found
