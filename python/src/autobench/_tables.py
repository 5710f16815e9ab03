"""Functions of parameters as expressions of a benchmark, by the table of their values.

The program reads expressions and calls no Python. A function that depends on nothing but parameters
is called once for each combination of those that it reads, and becomes the table of its results.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from ._expressions import SIZE, literal, named, traced

Value = bool | int | float | str
Parameters = Mapping[str, Sequence[Value]]

MOST_COMBINATIONS = 1 << 14
"""Most combinations of a table. The program looks each configuration up in it."""

MOST_VALUES = 150
"""Most values of the parameters of a table of results: an expression has at most 500 operators."""


def condition(function: Callable[..., object], parameters: Parameters) -> str:
    """The expression that is true where a function of parameters is.

    A function that divides by zero is true there, as in Kernel Tuner.

    >>> condition(lambda BLOCK: BLOCK * 2 <= 512, {"BLOCK": [128, 512]})
    '((BLOCK * 2) <= 512)'
    >>> condition(lambda p: p["a"] > 1 and p["b"] in (1, 2), {"a": [1, 2], "b": [1, 3]})
    '[a, b] in [[2, 1]]'
    """
    text = traced(function, [*parameters, SIZE], sized=False)
    if text is not None:
        return text
    if SIZE not in parameters and SIZE in inspect.signature(function).parameters:
        raise TypeError(
            f"{named(function)} needs the value of `{SIZE}`, which is known only when kernels run; "
            "write the restriction as a text, such as `size >= 1024 or BLOCK < 64`"
        )
    names, rows = _called(function, parameters, on_zero_division=True)
    kept = [list(row) for row, result in rows if result]
    left = [list(row) for row, result in rows if not result]
    if not left:
        return "True"
    if not kept:
        return "False"
    rows_are_fewer = len(kept) <= len(left)
    shown = kept if rows_are_fewer else left
    is_in = "in" if rows_are_fewer else "not in"
    if len(names) == 1:
        return f"{names[0]} {is_in} {_list([row[0] for row in shown])}"
    return f"[{', '.join(names)}] {is_in} [{', '.join(map(_list, shown))}]"


def value(function: Callable[..., object], parameters: Parameters) -> str:
    """The expression with the value of a function of parameters."""
    try:
        return table(function, parameters)
    except NotImplementedError:
        text = traced(function, list(parameters), sized=False)
        if text is None:
            raise
        return text


def table(function: Callable[..., object], parameters: Parameters) -> str:
    """The expression that looks the value of a function of parameters up.

    Where the function divides by zero the value is 0.
    """
    names, rows = _called(function, parameters, on_zero_division=0)
    results = [_scalar(result) for _, result in rows]
    if len(set(map(literal, results))) == 1:
        return literal(results[0])
    if sum(len(parameters[name]) for name in names) > MOST_VALUES:
        raise NotImplementedError(
            f"the function {named(function)} of {', '.join(names)} has too many values; "
            "write it as a text, such as `block_size_x // 2`"
        )
    terms, stride = [], 1
    for name in reversed(names):
        for at, choice in enumerate(parameters[name]):
            if at:
                terms.append(f"({name} == {literal(choice)}) * {at * stride}")
        stride *= len(parameters[name])
    return f"{_list(results)}[{' + '.join(terms)}]"


def call_with(function: Callable[..., object], configuration: Mapping[str, Any]) -> object:
    """Calls a function with a configuration: as one mapping, or by the names of its arguments.

    A function of one argument that is no parameter's name takes the mapping.
    """
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(configuration)
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    names = [
        argument.name
        for argument in arguments
        if argument.kind not in kinds
        and (argument.name in configuration or argument.default is argument.empty)
    ]
    if len(names) == 1 and names[0] not in configuration:
        return function(configuration)
    if any(argument.kind is inspect.Parameter.VAR_KEYWORD for argument in arguments):
        return function(**configuration)
    if any(argument.kind is inspect.Parameter.VAR_POSITIONAL for argument in arguments):
        return function(*configuration.values())
    return function(**{name: configuration[name] for name in names if name in configuration})


class _Reading(Mapping[str, Any]):
    """A configuration that remembers which of its values were asked for."""

    def __init__(self, values: dict[str, Value]) -> None:
        self.all = values
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        found = self.all[name]
        self.read.add(name)
        return found

    def __iter__(self) -> Iterator[str]:
        self.read.update(self.all)
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)


def _called(
    function: Callable[..., object], parameters: Parameters, on_zero_division: object
) -> tuple[list[str], list[tuple[tuple[Value, ...], object]]]:
    """The parameters that a function reads, and its result for each combination of them."""
    read: set[str] = set()
    while True:
        names = [name for name in parameters if name in read]
        combinations = 1
        for name in names:
            combinations *= len(parameters[name])
        if combinations > MOST_COMBINATIONS:
            raise NotImplementedError(
                f"the function {named(function)} reads {', '.join(names)}, which have "
                f"{combinations} combinations, too many to call it with each; write it as a text, "
                "such as `block_size_x * block_size_y <= 1024`"
            )
        rows = []
        for row in product(*(parameters[name] for name in names)):
            others = {name: choices[0] for name, choices in parameters.items()}
            reading = _Reading({**others, **dict(zip(names, row, strict=True))})
            try:
                result = call_with(function, reading)
            except ZeroDivisionError:
                result = on_zero_division
            except Exception as error:
                raise TypeError(
                    f"the function {named(function)} of parameters raised "
                    f"{type(error).__name__}: {error}; it takes parameters by the names of its "
                    "arguments, or all as a dict if it has one argument of another name"
                ) from error
            rows.append((row, result))
            if not reading.read <= read:
                read |= reading.read
                break
        else:
            return names, rows


def _scalar(result: object) -> Value:
    item = getattr(result, "item", None)
    plain = item() if callable(item) else result
    if isinstance(plain, (bool, int, float, str)):
        return plain
    raise TypeError(f"a function of parameters gives a number or a text, not {plain!r}")


def _list(row: Sequence[Value]) -> str:
    return f"[{', '.join(literal(scalar) for scalar in row)}]"
