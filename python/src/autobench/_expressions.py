"""``bytes``, ``flops`` and restrictions: texts, or functions that become texts.

The program reads expressions (docs/guide/tuning.md) and cannot call Python. A function is called
once with symbols in place of values, and what comes back is the text.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SIZE = "size"
"""What expressions call the problem size."""

Quantity = str | int | float | Callable[..., Any]
Restriction = str | Callable[..., Any]


def quantity(what: str, given: Quantity, names: Sequence[str]) -> str:
    """Returns the expression of `what` (``bytes`` or ``flops``) over the size and the parameters.

    >>> quantity("bytes", lambda n: 12 * n, [])
    '(12 * size)'
    >>> quantity("flops", lambda n, p: 2 * n // p["tile"], ["tile"])
    '((2 * size) // tile)'
    """
    if isinstance(given, str):
        return given
    if not callable(given):
        if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, float, np.number)):
            raise TypeError(f"`{what}` is a text, a number or a function, not {given!r}")
        return literal(given)
    text = traced(given, names, sized=True)
    if text is None:
        raise TypeError(
            f"`{what}` given as {named(given)} needs the value of the size, which is known only "
            "when kernels run; write it as a text, such as `12 * size if size < 1024 else 8 * size`"
        )
    return text


def traced(function: Callable[..., Any], names: Sequence[str], *, sized: bool) -> str | None:
    """Returns what a function makes of symbols; None if it needs values.

    The first argument of a function is the size if it is ``sized`` and takes one. A function of one
    argument that is no parameter's name gets all parameters as a mapping.
    """
    try:
        arguments = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in arguments):
        return None
    taken = [one.name for one in arguments if one.name in names or one.default is one.empty]
    symbols: dict[str, Any] = {name: Symbol(name) for name in taken}
    if sized and taken and taken[0] not in names:
        symbols[taken.pop(0)] = Symbol(SIZE)
    if len(taken) == 1 and taken[0] not in names:
        symbols[taken.pop()] = _Parameters()
    for name in taken:
        if name not in names:
            known = ", ".join(names) or "none"
            raise TypeError(
                f"{named(function)} takes `{name}`, which is no parameter of the space "
                f"(there are: {known})"
            )
    try:
        result = function(**symbols)
    except Exception:  # Whatever a function does with symbols only says that it needs values.
        return None
    if isinstance(result, np.generic):
        result = result.item()
    if isinstance(result, bool) or not isinstance(result, (Symbol, int, float)):
        return None
    return literal(result)


def named(function: Callable[..., Any]) -> str:
    """Returns what messages call a function."""
    return f"`{getattr(function, '__name__', repr(function))}`"


class Symbol:
    """A value that is not known yet. Operators make the text of an expression of it."""

    __slots__ = ("text",)
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # Numbers of NumPy leave operators to us.

    def __init__(self, text: str) -> None:
        self.text = text

    def __bool__(self) -> bool:
        raise TypeError("a symbol has no truth value")

    def __neg__(self) -> Symbol:
        return Symbol(f"(-{self.text})")

    def __pos__(self) -> Symbol:
        return self

    def __invert__(self) -> Symbol:
        return Symbol(f"(~{self.text})")

    def __abs__(self) -> Symbol:
        return Symbol(f"abs({self.text})")

    def __ceil__(self) -> Symbol:
        return Symbol(f"ceil({self.text})")

    def __floor__(self) -> Symbol:
        return Symbol(f"floor({self.text})")

    def __round__(self, digits: int | None = None) -> Symbol:
        return Symbol(f"round({self.text})" if digits is None else f"round({self.text}, {digits})")


class _Parameters:
    """All parameters by name, for functions that take one mapping. Only names are known of it."""

    def __getitem__(self, name: object) -> Symbol:
        if not isinstance(name, str):
            raise TypeError("parameters have names, and no order or number in an expression")
        return Symbol(name)


def literal(value: object) -> str:
    """Returns a constant as a text of an expression.

    >>> literal((1, "a", True))
    "[1, 'a', True]"
    """
    if isinstance(value, Symbol):
        return value.text
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return f"[{', '.join(literal(one) for one in value)}]"
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise TypeError(f"{value!r} has no place in an expression")


def _binary(operator: str, *, reflected: bool) -> Callable[[Symbol, object], Symbol]:
    def apply(self: Symbol, other: object) -> Symbol:
        sides = (self.text, literal(other))
        left, right = reversed(sides) if reflected else sides
        return Symbol(f"({left} {operator} {right})")

    return apply


_ARITHMETIC = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

for _name, _sign in _ARITHMETIC.items():
    setattr(Symbol, f"__{_name}__", _binary(_sign, reflected=False))
    setattr(Symbol, f"__r{_name}__", _binary(_sign, reflected=True))
for _name, _sign in _COMPARISONS.items():
    setattr(Symbol, f"__{_name}__", _binary(_sign, reflected=False))
