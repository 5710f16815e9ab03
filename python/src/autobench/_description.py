"""What a study measures: a kernel with its space, arguments and reference, checked once."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _arrays, _outputs, _sizes
from ._expressions import Quantity, Restriction, quantity
from ._tables import condition

Space = Mapping[str, Iterable[Any]]
"""Parameters with their values."""

BOUND = 1e-3
"""Largest error of a result where no other is given."""

METRIC = "nrmse"
"""Error metric where no other is given."""


@dataclass(frozen=True)
class Description:
    """Everything that a guest needs to know."""

    kernel: Callable[..., Any]
    make: Callable[[int], Any]
    reference: Callable[..., Any] | None
    error: Callable[..., float] | None
    space: dict[str, tuple[Any, ...]]
    sizes: _sizes.Sizes
    benchmark: dict[str, Any]
    cold: bool
    """Whether runs find their data in memory, because they go round over copies of it."""

    def arguments(self, size: int) -> tuple[Any, ...]:
        """Makes the arguments of a size."""
        return as_tuple(self.make(size))

    def options(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a configuration with the user's own values."""
        return {
            name: next(one for one in self.space[name] if plain(name, one) == value)
            for name, value in configuration.items()
        }


def describe(
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
    name: str | None = None,
) -> Description:
    """Checks what the user gave by asking for small arguments and their reference once."""
    if not isinstance(space, Mapping):
        raise TypeError(f"`space` is a dict of parameters with lists of values, not {space!r}")
    values = {parameter: _values(parameter, given) for parameter, given in space.items()}
    if not callable(kernel):
        raise TypeError(f"the kernel must be a function, not {_shown(kernel)}")
    if not callable(arguments):
        raise TypeError(
            f"`arguments` must be a function of the size, as `lambda n: (x[:n], y[:n])`, not "
            f"{_shown(arguments)}"
        )
    if reference is not None and not callable(reference):
        raise TypeError(
            f"`reference` must be a function of the kernel's arguments, not {_shown(reference)}"
        )
    sizes = _checked_sizes(sizes)
    _check_default(default or {}, values)
    bound = BOUND if max_error is None else max_error
    if isinstance(bound, str) or not 0 < bound < math.inf:
        raise ValueError(f"`max_error` is a finite number above 0, not {max_error!r}")
    if not (error is None or isinstance(error, str) or callable(error)):
        raise TypeError(f"`error` is a metric's name or a function, not {_shown(error)}")
    try:
        found = _sizes.find(lambda size: _flat(as_tuple(arguments(size))), sizes)
    except _sizes.Unsized as why:
        raise ValueError(str(why)) from None
    sample = as_tuple(arguments(found.start))
    chosen = {parameter: given[0] for parameter, given in values.items()} | dict(default or {})
    _check_call(kernel, sample, chosen)
    if reference is not None and not _outputs.results(reference(*_arrays.deep_copy(sample))):
        raise TypeError("`reference` must return an array or a number, or a tuple of these")
    document = _document(kernel, arguments, values, found, name)
    document["restrictions"] = [_restriction(one, values) for one in _listed(restrict)]
    document |= _work(bytes, flops, list(values))
    document["error"] = {
        "metric": error if isinstance(error, str) else _metric(error),
        "bound": float(bound),
    }
    for parameter in document["parameters"]:
        key = parameter["name"]
        parameter["default"] = plain(key, _one_of(key, chosen[key], values[key]))
    return Description(
        kernel=kernel,
        make=arguments,
        reference=reference,
        error=None if isinstance(error, str) else error,
        space=values,
        sizes=found,
        benchmark=document,
        cold=_arrays.can_be_copied(sample),
    )


def as_tuple(given: Any) -> tuple[Any, ...]:
    """Returns the arguments of a kernel: a tuple, a list, or anything else as the only one."""
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def plain(name: str, value: Any) -> Any:
    """Returns a value as the program knows it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"the parameter `{name}` has the value {value}, which is not finite")
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        f"the parameter `{name}` has the value {value!r}; values are numbers, texts and truth "
        "values, so give a name and look it up in the kernel"
    )


def _values(name: str, given: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"the parameter `{name}` needs a list of values, not {given!r}")
    values = tuple(given)
    if not values:
        raise ValueError(f"the parameter `{name}` has no values")
    for value in values:
        plain(name, value)
    return values


def _one_of(name: str, value: Any, values: Sequence[Any]) -> Any:
    if value not in values:
        raise ValueError(f"the default {value!r} of `{name}` is none of its values")
    return value


def _flat(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns arguments, none of which holds arrays inside."""
    for at, value in enumerate(arguments):
        inner = list(value.values()) if isinstance(value, dict) else value
        if isinstance(inner, (list, tuple)) and _arrays.arrays(inner):
            raise TypeError(
                f"argument {at} is a {type(value).__name__} of arrays, which could not be copied; "
                "pass each array as an argument of its own"
            )
    return arguments


def _check_call(kernel: Callable[..., Any], arguments: Sequence[Any], chosen: Any) -> None:
    """Refuses a kernel that cannot take its arguments and parameters."""
    try:
        signature = inspect.signature(kernel)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*arguments, **chosen)
    except TypeError as why:
        named = f"by name {', '.join(chosen)} of `space`" if chosen else "nothing of `space`"
        raise TypeError(
            f"`{_name(kernel)}` cannot be called: {why}; it gets the {len(arguments)} values of "
            f"`arguments`, and {named}"
        ) from None


def _checked_sizes(given: Any) -> tuple[int, int] | None:
    """Refuses sizes that are no two whole numbers, the smaller one first."""
    if given is None:
        return None
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"`sizes` is the first and the largest size, not {given!r}")
    for size in given:
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
            raise TypeError(f"a size is a whole number, not {size!r}")
        if size < 1:
            raise ValueError(f"a size is at least 1, not {size}")
    if given[0] > given[1]:
        raise ValueError(f"the largest size, {given[1]}, is below the first, {given[0]}")
    return int(given[0]), int(given[1])


def _check_default(default: Mapping[str, Any], space: Mapping[str, Any]) -> None:
    """Refuses defaults of what is no parameter."""
    for parameter in default:
        if parameter not in space:
            raise ValueError(
                f"`default` names `{parameter}`, which is no parameter of the space "
                f"(there are: {', '.join(space) or 'none'})"
            )


def _shown(value: object) -> str:
    return f"a value of type `{type(value).__name__}`"


def _listed(given: Restriction | Sequence[Restriction]) -> Sequence[Restriction]:
    if isinstance(given, str) or callable(given):
        return [given]
    if not isinstance(given, Iterable):
        raise TypeError(f"`restrict` is a text, a function, or a list of these, not {given!r}")
    return list(given)


def _restriction(given: Restriction, space: Mapping[str, Sequence[Any]]) -> str:
    """Returns the expression of a restriction over the parameters."""
    if isinstance(given, str):
        return given
    if not callable(given):
        raise TypeError(f"a restriction is a text or a function, not {given!r}")
    return condition(given, space)


def _document(
    kernel: Callable[..., Any],
    arguments: Callable[..., Any],
    space: Mapping[str, Sequence[Any]],
    sizes: _sizes.Sizes,
    name: str | None,
) -> dict[str, Any]:
    """Returns the fields of the benchmark that need no expression."""
    size: dict[str, Any] = {"start": sizes.start, "meaning": _size_name(arguments)}
    if sizes.largest is not None:
        size["largest"] = sizes.largest
    return {
        "name": slug(name or _name(kernel)),
        "about": _about(kernel),
        "sources": _sources(kernel),
        "parameters": [
            {"name": parameter, "values": [plain(parameter, value) for value in values]}
            for parameter, values in space.items()
        ],
        "size": size,
    }


def _work(bytes: Quantity | None, flops: Quantity | None, names: Sequence[str]) -> dict[str, Any]:
    """Returns bytes and operations with the metrics that follow from them, or a plain rate."""
    work: dict[str, Any] = {}
    metrics = []
    for field, given, metric, unit in [
        ("flops", flops, "performance", "GFLOP/s"),
        ("bytes", bytes, "bandwidth", "GB/s"),
    ]:
        if given is not None:
            work[field] = quantity(field, given, names)
            expression = f"{field} / seconds / 1e9"
            metrics.append({"name": metric, "unit": unit, "expression": expression})
    rate = {"name": "rate", "unit": "M/s", "expression": "size / seconds / 1e6"}
    return {**work, "metrics": metrics or [rate]}


def _name(kernel: Callable[..., Any]) -> str:
    return str(getattr(kernel, "__name__", type(kernel).__name__))


def _metric(error: Callable[..., float] | None) -> str:
    return METRIC if error is None else "own_" + slug(_name(error)).replace("-", "_")


def slug(name: str) -> str:
    """Returns a name as benchmarks have it: lower-case letters, digits, `-` and `_`.

    >>> slug("<lambda>")
    'lambda'
    """
    plain_name = re.sub(r"[^a-z0-9_-]+", "-", name.lower())
    return plain_name.lstrip("-_0123456789").rstrip("-_") or "kernel"


def _function(kernel: Callable[..., Any]) -> Any:
    """Returns the function of Python inside a wrapper (Numba, Triton)."""
    return getattr(kernel, "py_func", getattr(kernel, "fn", inspect.unwrap(kernel)))


def _about(kernel: Callable[..., Any]) -> str:
    text = inspect.getdoc(_function(kernel)) if hasattr(_function(kernel), "__code__") else None
    return text.splitlines()[0] if text else f"the Python function `{_name(kernel)}`"


def _sources(kernel: Callable[..., Any]) -> list[dict[str, str]]:
    """Returns the kernel's source, so that it is kept with the results."""
    function = _function(kernel)
    try:
        text = textwrap.dedent(inspect.getsource(function))
        name = Path(inspect.getsourcefile(function) or "kernel.py").name
    except (OSError, TypeError):
        return []
    return [{"name": name if name.endswith(".py") else "kernel.py", "text": text}]


def _size_name(arguments: Callable[..., Any]) -> str:
    """Returns what a size is called: the name of the function's first argument."""
    try:
        return next(iter(inspect.signature(arguments).parameters), "n")
    except (TypeError, ValueError):
        return "n"
