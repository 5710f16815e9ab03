"""The study of a kernel: runs the program, and reads its trials as rows of Kernel Tuner."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kernel_document
from ._kernel import Kernel
from ._kernel_results import Row, mark_wrong
from ._program import call, flags

SAMPLES = 256
"""Most samples of a configuration, unless more iterations are asked for."""

EVERYTHING = 1 << 40
"""A budget that no space exceeds."""


class KernelStudy:
    """A kernel's benchmark in a folder, and its study."""

    def __init__(self, kernel: Kernel, folder: Path, device: str) -> None:
        self.kernel, self.scratch, self.device = kernel, folder, device
        self.folder: Path | None = None
        """The study's folder, once it has run."""
        self.wrong = 0
        """Configurations whose result was wrong."""
        self.best: Row | None = None
        """The row of the study's answer, whose time comes from fresh samples of the fastest."""

    def search(
        self, known: Sequence[Row], evaluations: int | None, options: Mapping[str, Any]
    ) -> list[Row]:
        """Returns the known rows and a row for each configuration that was tried."""
        left = None if evaluations is None else evaluations - len(known)
        if left is not None and left <= 0:
            return list(known)
        benchmark = _kernel_document.write(self.kernel, self.scratch, known)
        size = str(self.kernel.size)
        if known:
            space = json.loads(call(["space", benchmark, "--size", size, "--json"]))
            if space["valid"] == 0:
                return list(known)
        return [
            *known,
            *self._tried(benchmark, {"size": size, "budget": left or EVERYTHING, **options}),
        ]

    def replay(self, cache: Path, evaluations: int | None, options: Mapping[str, Any]) -> list[Row]:
        """Returns a row for each configuration that a search would have tried, without a device."""
        self.device = f"replay:{cache}"
        return self._tried(None, {"budget": evaluations or EVERYTHING, **options})

    def _tried(self, benchmark: Path | None, options: Mapping[str, Any]) -> list[Row]:
        checks = {"verify": "off"}
        if self.kernel.answer is not None and benchmark is not None:
            checks = {"verify": "thorough", "bound": "allclose<=1"}
        command = ["tune", *([str(benchmark)] if benchmark else []), *flags({**checks, **options})]
        told = json.loads(call([*command, "--device", self.device, "--json"]))
        self.folder = Path(told["folder"])
        file = self.scratch / "trials.json"
        call(["export", self.folder, "--format", "kernel-tuner", "--output", file])
        times = self._timestamps()
        rows = [self._row(found, times) for found in json.loads(file.read_text())["cache"].values()]
        answer = (told["workload"] or {}).get("best")
        if answer:
            best = self.kernel.named(answer["configuration"])
            self.best = next((row for row in rows if best.items() <= row.items()), None)
        return rows

    def _row(self, found: Row, times: Mapping[tuple[Any, ...], str]) -> Row:
        names = [self.kernel.internal(name) for name in self.kernel.parameters]
        row = self.kernel.named(found)
        own = found.pop("autobench", {})
        if own.get("status") == "wrong-result" or found.pop("allclose", 0.0) > 1:
            self.wrong += 1
            mark_wrong(found)
        if "__error__" in found:
            found.pop("time", None)
        when = {"timestamp": times.get(tuple(row.values()), "")}
        return {
            **row,
            **when,
            **{name: value for name, value in found.items() if name not in names},
        }

    def _timestamps(self) -> dict[tuple[Any, ...], str]:
        """When each configuration was tried."""
        times: dict[tuple[Any, ...], str] = {}
        if self.folder is not None:
            for line in (self.folder / "journal.jsonl").read_text().splitlines():
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
        outputs = [at for at, value in enumerate(self.kernel.arguments) if np.ndim(value) > 0]
        if answer is not None:
            outputs = [at for at in outputs if answer[at] is not None]
        named = {"atol": atol} if "atol" in inspect.signature(verify).parameters else {}
        for row in rows:
            if "__error__" not in row and not verify(answer, self._outputs(row, outputs), **named):
                self.wrong += 1
                mark_wrong(row)

    def _outputs(self, row: Row, wanted: Sequence[int]) -> list[NDArray[Any] | None]:
        """The arguments after a run of one configuration; None for those that are not wanted."""
        names = _kernel_document.argument_names(self.kernel)
        options = {
            "size": str(self.kernel.size),
            "device": self.device,
            "param": {self.kernel.internal(name): row[name] for name in self.kernel.parameters},
            "hot": True,
            "samples": 1,
            "measure": "rounds=0",
            "budget": 1,
            "verify": "off",
            "keep_output": [names[at] for at in wanted],
            "out": self.scratch / "outputs",
            "json": True,
        }
        benchmark = self.scratch / "kernel.yaml"
        folder = Path(json.loads(call(["tune", benchmark, *flags(options)]))["folder"])
        found: list[NDArray[Any] | None] = [None] * len(names)
        for at in wanted:
            _, *lines = (folder / f"output-{names[at]}.csv").read_text().split()
            shaped = np.asarray(self.kernel.arguments[at])
            found[at] = np.array(lines, np.float64).astype(shaped.dtype).reshape(shaped.shape)
        return found
