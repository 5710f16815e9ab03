"""``saturate``, ``tune`` and ``resume``: studies of a kernel that is a Python callable."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from . import _pickled, _program, _running
from ._description import Description, Space, describe
from ._expressions import Quantity, Restriction
from ._study import Study

Caches = Literal["cold", "hot"]
Folder = str | os.PathLike[str]


def saturate(
    kernel: Callable[..., Any],
    *,
    space: Space,
    arguments: Callable[[int], Any],
    restrict: Restriction | Sequence[Restriction] = (),
    reference: Callable[..., Any] | None = None,
    max_error: float | None = None,
    error: str | Callable[..., float] | None = None,
    bytes: Quantity | None = None,
    flops: Quantity | None = None,
    default: Mapping[str, Any] | None = None,
    sizes: tuple[int, int] | None = None,
    caches: Caches | None = None,
    isolate: bool | None = None,
    name: str | None = None,
    out: Folder = "out",
    resume: Folder | None = None,
    quiet: bool = False,
    **flags: object,
) -> Study:
    """Finds the size that saturates the device, and the best configuration at every size.

    ``kernel(*arguments(n), **configuration)`` is one run. ``space`` gives each parameter's values;
    the first ones are the default unless ``default`` names others. ``restrict`` are expressions, or
    functions of parameters, that valid configurations make true.

    ``reference(*arguments(n))`` returns the right result, or a tuple of them: of what the kernel
    returns, or else of the arguments that it changes. ``max_error`` bounds ``error``, which is a
    metric's name (``nrmse``) or a function of found and expected results.

    ``bytes`` and ``flops`` say what a run moves and computes: an expression over ``size`` and the
    parameters, or a function of the size. ``sizes`` is the first and the largest size; without it,
    they are found by asking ``arguments`` for small ones.

    ``caches`` is ``cold`` (runs go round over copies) or ``hot``. Kernels run in a forked process
    where that is safe; ``isolate`` forbids that (False) or insists (True). ``resume`` goes on with
    the study of a folder, with its settings. Every further argument is an option of
    ``autobench run``: ``budget=24``, ``time=60``, ``strategy="random"``, ``trial_timeout=5``.

    >>> study = saturate(                                           # doctest: +SKIP
    ...     add,
    ...     space={"BLOCK": [64, 128, 256]},
    ...     arguments=lambda n: (x[:n], y[:n], out[:n]),
    ...     reference=lambda x, y, out: x + y,
    ...     bytes=lambda n: 12 * n,
    ... )
    >>> study.knee, study.best()                                    # doctest: +SKIP
    (46656, {'BLOCK': 128})
    """
    description = describe(
        kernel,
        space=space,
        arguments=arguments,
        restrict=restrict,
        reference=reference,
        max_error=max_error,
        error=error,
        bytes=bytes,
        flops=flops,
        default=default,
        sizes=sizes,
        name=name,
    )
    if resume is not None:
        return _go_on(resume, description, flags, quiet=quiet, isolate=isolate)
    description = _with_caches(caches, description)
    return _running.begin("run", description, out=out, flags=flags, quiet=quiet, isolate=isolate)


def tune(
    kernel: Callable[..., Any],
    size: int,
    *,
    space: Space,
    arguments: Callable[[int], Any],
    restrict: Restriction | Sequence[Restriction] = (),
    reference: Callable[..., Any] | None = None,
    max_error: float | None = None,
    error: str | Callable[..., float] | None = None,
    bytes: Quantity | None = None,
    flops: Quantity | None = None,
    default: Mapping[str, Any] | None = None,
    caches: Caches | None = None,
    isolate: bool | None = None,
    name: str | None = None,
    out: Folder = "out",
    resume: Folder | None = None,
    quiet: bool = False,
    **flags: object,
) -> Study:
    """Finds the best configuration at one size. The other arguments are those of `saturate`.

    >>> study = tune(                                               # doctest: +SKIP
    ...     add,
    ...     1_000_000,
    ...     space={"BLOCK": [64, 128, 256]},
    ...     arguments=lambda n: (x[:n], y[:n], out[:n]),
    ...     budget=40,
    ... )
    >>> study.best()                                                # doctest: +SKIP
    {'BLOCK': 128}
    """
    description = describe(
        kernel,
        space=space,
        arguments=arguments,
        restrict=restrict,
        reference=reference,
        max_error=max_error,
        error=error,
        bytes=bytes,
        flops=flops,
        default=default,
        sizes=(size, size),
        name=name,
    )
    if resume is not None:
        return _go_on(resume, description, flags, quiet=quiet, isolate=isolate)
    description = _with_caches(caches, description)
    flags |= {"size": size}
    return _running.begin("tune", description, out=out, flags=flags, quiet=quiet, isolate=isolate)


def resume(
    folder: Folder,
    *,
    accept_changes: bool = False,
    isolate: bool | None = None,
    quiet: bool = False,
) -> Study:
    """Goes on with an interrupted study, also in another process.

    The kernel comes from ``python.pickle`` in the folder. Reading it runs code, so do this only
    with folders that you trust. ``accept_changes`` goes on although the kernel, the device or a
    compiler has changed.

    >>> resume("out/20261130T110226Z_add_cpu_kneedle").knee         # doctest: +SKIP
    46656
    """
    path, flags = Path(folder), {"accept_changes": accept_changes}
    if not (path / _pickled.FILE).exists() and not _running.is_of_python(path):
        _program.call(["resume", path, "--quiet", *_program.flags(flags)], folder=path)
        return Study(path)
    return _go_on(path, _pickled.load(path), flags, quiet=quiet, isolate=isolate)


def _go_on(
    folder: Folder,
    description: Description,
    flags: Mapping[str, object],
    *,
    quiet: bool,
    isolate: bool | None,
) -> Study:
    # Everything else is in the folder.
    kept = {name: flags[name] for name in ("accept_changes",) if name in flags}
    return _running.go_on(Path(folder), description, flags=kept, quiet=quiet, isolate=isolate)


def _with_caches(asked: Caches | None, description: Description) -> Description:
    """Decides between cold and hot caches. Arrays that cannot be copied are measured hot."""
    if asked not in (None, "cold", "hot"):
        raise ValueError(f"caches={asked!r} is unknown; it is 'cold' or 'hot'")
    if asked is None and not description.cold:
        warnings.warn(
            "some arrays are of no package that autobench can copy, so caches are hot; "
            "pass caches='hot' to say so, or use arrays of NumPy, torch or CuPy",
            stacklevel=3,
        )
    return replace(description, cold=asked == "cold" or (asked is None and description.cold))
